import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import * as InPieces from "#layers/postgres/statements/InPieces.ts"
import * as Joining from "#layers/postgres/lists/Joining.ts"
import * as Prefix from "#layers/postgres/lists/Prefix.ts"
import * as Subscriptions from "#layers/postgres/lists/Subscriptions.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as UserLock from "#layers/postgres/statements/UserLock.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as Pages from "#src/paging/Pages.ts"
import { ListNotFound, type ListRecord, Lists } from "#src/people/Lists.ts"
import { StoredPreferences, toStored } from "#src/people/StoredPreferences.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  preferences: StoredPreferences,
  created: Schema.Number,
  updated: Schema.Number
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const columns = `l.id, l.name, l.created_at::float8 as created, l.updated_at::float8 as updated`

const record = ({ preferences, ...row }: typeof Row.Type): ListRecord => ({
  ...row,
  preferences: preferences ?? undefined
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const listed = Readable.listed("list", Row)

  const put: Lists["Service"]["put"] = Effect.fnUntraced(function*(scope, id, { name, preferences }) {
    const now = yield* Clock.currentTimeMillis
    yield* sql`insert into lists (scope, id, name, preferences, created_at, updated_at)
      values (${scope}, ${id}, ${name}, ${toStored(preferences)}, ${now}, ${now})
      on conflict (scope, id) do update set name = excluded.name, preferences = excluded.preferences,
        updated_at = excluded.updated_at, deleted_at = null`
  }, orUnavailable)

  const get: Lists["Service"]["get"] = Effect.fnUntraced(function*(scope, id) {
    const rows = yield* sql`select ${sql.literal(columns)}, l.preferences from lists l
      where scope = ${scope} and id = ${id} and deleted_at is null`.pipe(Effect.flatMap(decode))
    const row = Array.head(rows)
    return Option.isSome(row) ? record(row.value) : yield* new ListNotFound({ id })
  }, orUnavailable)

  // Where nothing is known of the table, few lists are held to be there still, and all of them would be sorted.
  const ordered = inOrder(sql)

  const page = (looked: Statement.Fragment, limit: number) =>
    PageBytes.read(sql, {
      as: "l",
      columns: sql`${sql.literal(columns)}, l.preferences`,
      looked,
      by: { id: "id" },
      limit,
      decode: listed
    })

  const list: Lists["Service"]["list"] = Effect.fnUntraced(function*(scope, { cursor, limit, pattern }) {
    const sealed: Cursor.List = { scope, route: "lists", filters: [pattern?.text ?? null] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const matching = pattern === undefined
      ? sql``
      : sql`and id >= ${pattern.prefix} and id <= ${Prefix.endOf(pattern.prefix)} and id ~ ${pattern.expression}`
    const { end, rows } = yield* ordered(page(
      sql`select *, coalesce(octet_length(preferences), 0) as bytes from lists l
        where scope = ${scope} and deleted_at is null ${matching} ${
        after === undefined ? sql`` : sql`and id > ${after}`
      }`,
      limit
    ))
    return Pages.upTo(cursors, sealed, rows.map(record), end)
  }, orUnavailable)

  const remove: Lists["Service"]["remove"] = Effect.fnUntraced(function*(scope, id) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`update lists set deleted_at = ${now}
      where scope = ${scope} and id = ${id} and deleted_at is null returning 1`
    if (rows.length === 0) return yield* new ListNotFound({ id })
  }, orUnavailable)

  const restore: Lists["Service"]["restore"] = Effect.fnUntraced(function*(scope, id) {
    const back = yield* sql`update lists set deleted_at = null
      where scope = ${scope} and id = ${id} and deleted_at is not null returning 1`
    if (back.length > 0) return true
    const found = yield* sql`select 1 from lists where scope = ${scope} and id = ${id}`
    return found.length === 0 ? yield* new ListNotFound({ id }) : false
  }, orUnavailable)

  const listsOf: Lists["Service"]["listsOf"] = Effect.fnUntraced(function*(scope, userId, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "lists of a user", filters: [userId] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const { end, rows } = yield* page(
      sql`select s.list_id as id, l.name, l.created_at, l.updated_at, s.preferences,
          coalesce(octet_length(s.preferences), 0) as bytes
        from list_subscriptions s join lists l on l.scope = s.scope and l.id = s.list_id
        where s.scope = ${scope} and s.user_id = ${userId} and l.deleted_at is null
          ${after === undefined ? sql`` : sql`and s.list_id > ${after}`}`,
      limit
    )
    return Pages.upTo(cursors, sealed, rows.map(record), end)
  }, orUnavailable)

  // Locks the rows of each piece first, in the order in which `join` does. Each is looked up by key: a join with them
  // would compare each with all of them while the table has no statistics.
  const leave: Lists["Service"]["leave"] = Effect.fnUntraced(
    function*(scope, userId) {
      yield* UserLock.of(sql, scope, userId)
      const walk = yield* InPieces.opened(
        sql,
        sql`select list_id as key from list_subscriptions where scope = ${scope} and user_id = ${userId} order by list_id`
      )
      yield* walk((listIds) =>
        sql`delete from list_subscriptions where ctid = any(array(
          select s.ctid from unnest(${listIds}::text[]) as x(list_id) cross join lateral (
            select ctid from list_subscriptions
            where scope = ${scope} and list_id = x.list_id collate "C" and user_id = ${userId} for update) s))`
      )
    },
    sql.withTransaction,
    orUnavailable
  )

  return Lists.of({
    put,
    get,
    list,
    remove,
    restore,
    listsOf,
    join: Joining.make(sql),
    leave,
    ...Subscriptions.make(sql, cursors)
  })
})

/** Lists and subscriptions in Postgres. */
export const layer = Layer.effect(Lists, make)
