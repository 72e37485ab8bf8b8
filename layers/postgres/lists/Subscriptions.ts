import * as InPieces from "#layers/postgres/statements/InPieces.ts"
import * as Others from "#layers/postgres/lists/Others.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type { ListId } from "#schemas/List.ts"
import type { Scope } from "#schemas/Scope.ts"
import type * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as Pages from "#src/paging/Pages.ts"
import { ListNotFound, type Lists, type NewSubscription, SubscriptionNotFound } from "#src/people/Lists.ts"
import { StoredPreferences, toStored } from "#src/people/StoredPreferences.ts"
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const Row = Schema.Struct({ userId: Schema.String, preferences: StoredPreferences, created: Schema.Number })

const decodeRemoved = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ removed: Schema.Boolean, listed: Schema.Boolean })])
)

/**
 * One per user, the last one given. In one order, or two writers could deadlock; any will do, and that of JavaScript's
 * own strings is found in a quarter of the time.
 */
const perUser = (subscriptions: ReadonlyArray<NewSubscription>): ReadonlyArray<NewSubscription> =>
  [...new Map(subscriptions.map((subscription) => [subscription.userId, subscription])).values()]
    .toSorted((a, b) => a.userId < b.userId ? -1 : 1)

const rowsOf = (subscriptions: ReadonlyArray<NewSubscription>): string =>
  JSON.stringify(
    subscriptions.map(({ preferences, userId }) => ({ user_id: userId, preferences: toStored(preferences) }))
  )

/** Makes Postgres run the parts `fresh` and `back` (`ensured`) before the part that has this condition. */
export const ensuredFirst = (sql: SqlClient.SqlClient) =>
  sql.literal("where (select count(*) from fresh) + (select count(*) from back) >= 0")

/** The subscriptions of a list. */
export const make = (sql: SqlClient.SqlClient, cursors: Cursor.Cursors) => {
  const readable = Readable.listed("subscription", Row)

  /**
   * The parts of a statement that make the list if there is none, or restore a deleted one. An existing list is not
   * locked. A statement that writes subscriptions reads these parts first (`ensuredFirst`), since all writers must lock
   * the list before its subscriptions: Postgres runs parts that nothing reads last, and two writers could deadlock.
   */
  const ensured = (scope: Scope, id: ListId, now: number) =>
    sql`fresh as (insert into lists (scope, id, name, created_at, updated_at)
        values (${scope}, ${id}, ${id}, ${now}, ${now}) on conflict (scope, id) do nothing returning 1),
      back as (update lists set deleted_at = null, updated_at = ${now}
        where scope = ${scope} and id = ${id} and deleted_at is not null returning 1)`

  const first = ensuredFirst(sql)
  const others = Others.make(sql)

  const inserted = (scope: Scope, id: ListId, piece: ReadonlyArray<NewSubscription>, now: number) =>
    sql`insert into list_subscriptions (scope, list_id, user_id, preferences, created_at)
      select ${scope}::int, ${id}, x.user_id, x.preferences, ${now}::bigint
      from json_to_recordset(${rowsOf(piece)}::json) as x(user_id text, preferences text)`

  /** What is said anew replaces what was; an equal row is locked only. */
  const anew = sql`on conflict (scope, list_id, user_id) do update set preferences = excluded.preferences
    where list_subscriptions.preferences is distinct from excluded.preferences`

  const subscribe: Lists["Service"]["subscribe"] = Effect.fnUntraced(function*(scope, id, subscriptions) {
    const now = yield* Clock.currentTimeMillis
    const rows = perUser(subscriptions.toReversed())
    // Only the first statement looks at the list: a later one would wait for who replaces all, and he for its users.
    const added = InPieces.run(rows, (piece, from) => {
      const ensuring = from === 0 ? sql`with ${ensured(scope, id, now)}` : sql``
      return sql`${ensuring} ${inserted(scope, id, piece, now)} ${from === 0 ? first : sql``}
        on conflict (scope, list_id, user_id) do nothing`
    })
    yield* rows.length > InPieces.most ? sql.withTransaction(added) : added
  }, orUnavailable)

  const putSubscription: Lists["Service"]["putSubscription"] = Effect.fnUntraced(
    function*(scope, id, subscription) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`with ${ensured(scope, id, now)} ${inserted(scope, id, [subscription], now)}
        ${first} ${anew}`
    },
    orUnavailable
  )

  // The list is locked first: of two calls at once, one's set remains in the end, not the union of both. Users are
  // removed last: a call that subscribes several waits at a removed one while it has those before it, and if these were
  // inserted here afterwards, both would wait.
  const replaceSubscriptions: Lists["Service"]["replaceSubscriptions"] = Effect.fnUntraced(
    function*(scope, id, subscriptions) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into lists (scope, id, name, created_at, updated_at)
        values (${scope}, ${id}, ${id}, ${now}, ${now}) on conflict (scope, id) do update set deleted_at = null,
          updated_at = case when lists.deleted_at is null then lists.updated_at else excluded.updated_at end`
      const removeOthers = yield* others(scope, id)
      const rows = perUser(subscriptions)
      yield* InPieces.run(rows, (piece) => sql`${inserted(scope, id, piece, now)} ${anew}`)
      yield* removeOthers(new Set(rows.map(({ userId }) => userId)))
    },
    sql.withTransaction,
    orUnavailable
  )

  const removeSubscription: Lists["Service"]["removeSubscription"] = Effect.fnUntraced(
    function*(scope, listId, userId) {
      const rows = yield* sql`with listed as (select 1 from lists
          where scope = ${scope} and id = ${listId} and deleted_at is null),
        gone as (delete from list_subscriptions
          where scope = ${scope} and list_id = ${listId} and user_id = ${userId} returning 1)
        select exists (select 1 from gone) as removed, exists (select 1 from listed) as listed`
      const [{ listed, removed }] = yield* decodeRemoved(rows)
      if (removed) return
      return yield* listed ? new SubscriptionNotFound({ listId, userId }) : new ListNotFound({ id: listId })
    },
    orUnavailable
  )

  const subscriptions: Lists["Service"]["subscriptions"] = Effect.fnUntraced(function*(scope, id, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "list subscriptions", filters: [id] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const listed = yield* sql`select 1 from lists where scope = ${scope} and id = ${id} and deleted_at is null`
    if (listed.length === 0) return yield* new ListNotFound({ id })
    const { end, rows } = yield* PageBytes.read(sql, {
      as: "s",
      columns: sql.literal(`user_id as "userId", preferences, created_at::float8 as created`),
      looked: sql`select *, coalesce(octet_length(preferences), 0) as bytes from list_subscriptions
        where scope = ${scope} and list_id = ${id} ${after === undefined ? sql`` : sql`and user_id > ${after}`}`,
      by: { id: "user_id" },
      limit,
      decode: readable
    })
    const found = rows.map((row) => ({ ...row, preferences: row.preferences ?? undefined }))
    return Pages.upTo(cursors, sealed, found, end)
  }, orUnavailable)

  return { subscribe, putSubscription, replaceSubscriptions, removeSubscription, subscriptions }
}
