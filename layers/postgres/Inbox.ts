import * as Expired from "#layers/postgres/statements/Expired.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { UserId } from "#schemas/Profile.ts"
import { Rendered } from "#schemas/Rendered.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as Pages from "#src/paging/Pages.ts"
import { filtersOf, Inbox, InboxItemNotFound, type InboxMessage, type Marking, mostUnread } from "#src/reports/Inbox.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Time = Schema.NullOr(Schema.Number)

const Row = Schema.Struct({
  messageId: MessageId,
  rendered: Schema.fromJsonString(Rendered),
  tenantId: Schema.NullOr(Schema.String),
  createdAt: Schema.Number,
  expiresAt: Time,
  readAt: Time,
  openedAt: Time,
  archivedAt: Time
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

const columns = `message_id as "messageId", rendered, tenant_id as "tenantId", created_at::float8 as "createdAt",
  expires_at::float8 as "expiresAt", read_at::float8 as "readAt", opened_at::float8 as "openedAt",
  archived_at::float8 as "archivedAt"`

const itemOf = ({ archivedAt, expiresAt, openedAt, readAt, tenantId, ...row }: typeof Row.Type): InboxMessage => ({
  ...row,
  tenantId: tenantId ?? undefined,
  expiresAt: expiresAt ?? undefined,
  readAt: readAt ?? undefined,
  openedAt: openedAt ?? undefined,
  archivedAt: archivedAt ?? undefined
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const listed = Readable.listed("inbox item", Row)

  const ofUser = (scope: Scope, userId: UserId, now: number) =>
    sql`scope = ${scope} and user_id = ${userId} and (expires_at is null or expires_at > ${now}::bigint)`
  const readOrNot = (isRead: boolean | undefined) =>
    isRead === undefined ? sql`` : sql`and (read_at is not null) = ${isRead}`

  const list: Inbox["Service"]["list"] = Effect.fn("Inbox.list")(function*(scope, userId, options) {
    const { cursor, isArchived = false, isRead, limit } = options
    const sealed: Cursor.List = { scope, route: "inbox", filters: [userId, ...filtersOf(options)] }
    const before = yield* Pages.after(cursors, sealed, cursor)
    const now = yield* Clock.currentTimeMillis
    const { end, rows } = yield* PageBytes.read(sql, {
      as: "inbox",
      columns: sql.literal(columns),
      looked: sql`select *, octet_length(rendered) as bytes from inbox
        where ${ofUser(scope, userId, now)} and (archived_at is not null) = ${isArchived} ${readOrNot(isRead)}
          ${before === undefined ? sql`` : sql`and (created_at, message_id) < (${before.at}::bigint, ${before.id})`}`,
      by: { at: "created_at", id: "message_id" },
      descending: true,
      limit,
      decode: listed
    })
    return Pages.upTo(cursors, sealed, rows.map(itemOf), end)
  }, orUnavailable)

  const unread: Inbox["Service"]["unread"] = Effect.fn("Inbox.unread")(function*(scope, userId) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`select count(*)::int as count from (select from inbox
      where ${
      ofUser(scope, userId, now)
    } and read_at is null and archived_at is null limit ${mostUnread}::int) as items`
    const [{ count }] = yield* decodeCount(rows)
    return count
  }, orUnavailable)

  const marked = ({ archived, opened, read }: Marking, now: number) => {
    const mark = (column: string, isSet: boolean | undefined) =>
      sql`case ${isSet ?? null}::boolean when true then coalesce(${sql(column)}, ${now}::bigint)
        when false then null else ${sql(column)} end`
    return sql`read_at = ${mark("read_at", read)}, opened_at = ${mark("opened_at", opened)},
      archived_at = ${mark("archived_at", archived)}`
  }

  const mark: Inbox["Service"]["mark"] = Effect.fn("Inbox.mark")(function*(scope, userId, id, marking) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`update inbox set ${marked(marking, now)}
      where ${ofUser(scope, userId, now)} and message_id = ${id} returning ${sql.literal(columns)}`
    const row = Array.head(yield* decode(rows))
    return Option.isSome(row) ? itemOf(row.value) : yield* new InboxItemNotFound({ id })
  }, orUnavailable)

  /** Of each mark to be made, which rows do not have it so yet. */
  const differs = ({ archived, opened, read }: Marking) =>
    ([["read_at", read], ["opened_at", opened], ["archived_at", archived]] as const).flatMap(([column, isSet]) =>
      isSet === undefined ? [] : [sql`(${sql(column)} is not null) <> ${isSet}`]
    )

  /**
   * Only what changes is written: apps mark all as read whenever an inbox is looked at, however much of it was read. Rows
   * are locked in one order, or two of these deadlock. They are found again by their keys, which lead to what another
   * call left of a row that was waited for.
   */
  const markAll: Inbox["Service"]["markAll"] = Effect.fn("Inbox.markAll")(function*(scope, userId, marking, isRead) {
    const differing = differs(marking)
    if (differing.length === 0) return
    const now = yield* Clock.currentTimeMillis
    yield* sql`with locked as materialized (select message_id as id from inbox
        where ${ofUser(scope, userId, now)} and archived_at is null ${readOrNot(isRead)} and ${sql.or(differing)}
        order by message_id for update)
      update inbox set ${marked(marking, now)} from locked
      where scope = ${scope} and user_id = ${userId} and message_id = locked.id`
  }, orUnavailable)

  const sweep: Inbox["Service"]["sweep"] = Effect.fn("Inbox.sweep")(Expired.sweeping(sql, "inbox"), orUnavailable)

  return Inbox.of({ list, unread, mark, markAll, sweep })
})

/** The in-app inbox on Postgres. Messages are ordered by their delivery, which may be long after their acceptance. */
export const layer = Layer.effect(Inbox, make)
