import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { ExpansionState } from "#schemas/Expansion.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { RequestRecord } from "#src/delivery/Expansion.ts"
import type * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as Pages from "#src/paging/Pages.ts"
import type { MessageLog } from "#src/reports/MessageLog.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const Row = Schema.Struct({
  id: MessageId,
  state: ExpansionState,
  messages: Schema.Number,
  acceptedAt: Schema.Number,
  endedAt: Schema.NullOr(Schema.Number),
  error: Schema.NullOr(Schema.String),
  archived: Schema.Boolean
})

export const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

/** What `decode` reads of a row of `expansions`. */
export const columns = `id, state, created::float8 as messages, accepted_at::float8 as "acceptedAt",
  ended_at::float8 as "endedAt", error, archived`

export const record = ({ endedAt, error, ...row }: typeof Row.Type): RequestRecord => ({
  ...row,
  endedAt: endedAt ?? undefined,
  error: error ?? undefined
})

/**
 * The requests to many of a scope, the newest first. The state is a part of the statement, not a parameter of it: a plan
 * for any state is one for that of nearly all, and would look for a few that failed among all of them.
 */
export const list = (sql: SqlClient.SqlClient, cursors: Cursor.Cursors): MessageLog["Service"]["requests"] => {
  const ordered = inOrder(sql)
  const listed = Readable.listed("request", Row)
  const place = PageBytes.place(sql, { id: "id" })
  return Effect.fn("MessageLog.requests")(function*(scope, { cursor, limit, state }) {
    const sealed: Cursor.List = { scope, route: "requests", filters: [state ?? null] }
    const before = yield* IdPages.after(cursors, sealed, cursor)
    const rows = yield* ordered(sql`select ${sql.literal(columns)}, ${place} from expansions where scope = ${scope}
        ${state === undefined ? sql`` : sql`and state = ${sql.literal(`'${state}'`)}`}
        ${before === undefined ? sql`` : sql`and id < ${before}`}
      order by id desc limit ${limit + 1}::int`)
    const shown = rows.slice(0, limit)
    const end = rows.length > limit ? yield* PageBytes.endOf(shown) : undefined
    return Pages.upTo(cursors, sealed, (yield* listed(shown)).map(record), end)
  }, orUnavailable)
}
