import * as Expired from "#layers/postgres/statements/Expired.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Rendered } from "#schemas/Rendered.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Row = Schema.Struct({
  messageId: MessageId,
  rendered: Schema.fromJsonString(Rendered),
  tenantId: Schema.NullOr(Schema.String),
  createdAt: Schema.Number,
  expiresAt: Schema.NullOr(Schema.Number)
})

const columns = `message_id as "messageId", rendered, tenant_id as "tenantId", created_at::float8 as "createdAt",
  expires_at::float8 as "expiresAt"`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const listed = Readable.listed("inbox item", Row)

  const list: Inbox["Service"]["list"] = Effect.fn("Inbox.list")(function*(scope, userId, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "inbox", filters: [userId] }
    const before = yield* Pages.after(cursors, sealed, cursor)
    const now = yield* Clock.currentTimeMillis
    const { end, rows } = yield* PageBytes.read(sql, {
      as: "inbox",
      columns: sql.literal(columns),
      looked: sql`select *, octet_length(rendered) as bytes from inbox
        where scope = ${scope} and user_id = ${userId} and (expires_at is null or expires_at > ${now})
          ${before === undefined ? sql`` : sql`and (created_at, message_id) < (${before.at}::bigint, ${before.id})`}`,
      by: { at: "created_at", id: "message_id" },
      descending: true,
      limit,
      decode: listed
    })
    const items = rows.map((row) => ({
      ...row,
      tenantId: row.tenantId ?? undefined,
      expiresAt: row.expiresAt ?? undefined
    }))
    return Pages.upTo(cursors, sealed, items, end)
  }, orUnavailable)

  const sweep: Inbox["Service"]["sweep"] = Effect.fn("Inbox.sweep")(Expired.sweeping(sql, "inbox"), orUnavailable)

  return Inbox.of({ list, sweep })
})

/** The in-app inbox on Postgres. Messages are ordered by their delivery, which may be long after their acceptance. */
export const layer = Layer.effect(Inbox, make)
