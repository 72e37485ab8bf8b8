import type * as Cursor from "#src/paging/Cursor.ts"
import type { PageQuery } from "#src/paging/Page.ts"
import { most } from "#src/paging/PageBytes.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

const decodeFound = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ found: Schema.Number })))
const decodePlaces = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ placeAt: Schema.Number, placeId: Schema.String }))
)

/** The columns that say where a row is in its list: its id, after its time where the list is ordered by that first. */
export interface By {
  readonly id: string
  readonly at?: string
}

/** What `endOf` reads of a row, beside its own columns. */
export const place = (sql: SqlClient.SqlClient, { at = "0", id }: By) =>
  sql.literal(`${at}::float8 as "placeAt", ${id}::text as "placeId"`)

/** The place of the last of these rows: of one, too, that does not decode. */
export const endOf = Effect.fnUntraced(function*(rows: ReadonlyArray<unknown>) {
  const [last] = yield* decodePlaces(rows.slice(-1))
  return last && { at: last.placeAt, id: last.placeId }
})

/**
 * A page of a list whose rows may be large: `limit` rows, or fewer where `most` bytes are reached. `looked` selects the
 * rows without a limit, each with its length as `bytes`; `columns` are read of those rows, as table `as`. The end is
 * found from the lengths, for which Postgres does not read the texts. `decode` may leave out some of the `read` rows:
 * `last` is the place of the last one, and `end` the same, or `undefined` if no more follow.
 */
export const read = Effect.fnUntraced(function*<A, E>(sql: SqlClient.SqlClient, page: {
  readonly as: string
  readonly columns: Statement.Fragment
  readonly looked: Statement.Fragment
  readonly by: By
  readonly descending?: boolean
  readonly limit: number
  readonly decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, E>
}) {
  const { as, by, columns, decode, limit, looked } = page
  const table = sql(as)
  const way = page.descending === true ? "desc" : ""
  const order = sql.literal([...(by.at === undefined ? [] : [by.at]), by.id].map((column) => `${column} ${way}`).join())
  const rows = yield* sql`select ${columns}, ${place(sql, by)}, found from (
      select *, count(*) over ()::int as found, sum(bytes) over (order by ${order}) - bytes as before
      from (${looked} order by ${order} limit ${limit + 1}::int) as ${table}) as ${table}
    where before < ${most}::int order by ${order} limit ${limit}::int`
  const [first] = yield* decodeFound(rows.slice(0, 1))
  const last = yield* endOf(rows)
  const isLast = rows.length === (first?.found ?? 0)
  return { rows: yield* decode(rows), end: isLast ? undefined : last, last, read: rows.length }
})

/**
 * A page of what an environment has in a table, newest first: the rows for which `where` holds, which may be large.
 * `bytes` is the length of a row's texts.
 */
export const newestFirst = Effect.fnUntraced(function*<A, E>(
  sql: SqlClient.SqlClient,
  page: {
    readonly cursors: Cursor.Cursors
    readonly list: Cursor.List
    readonly query: PageQuery
    readonly table: string
    readonly columns: string
    readonly bytes: string
    readonly where?: Statement.Fragment
    readonly decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, E>
  }
) {
  const { bytes, columns, cursors, decode, list, query, table, where = sql`` } = page
  const before = yield* Pages.after(cursors, list, query.cursor)
  const { end, rows } = yield* read(sql, {
    as: table,
    columns: sql.literal(columns),
    looked: sql`select *, ${sql.literal(bytes)} as bytes from ${sql(table)} where scope = ${list.scope} ${where}
      ${before === undefined ? sql`` : sql`and (created_at, id) < (${before.at}::bigint, ${before.id})`}`,
    by: { at: "created_at", id: "id" },
    descending: true,
    limit: query.limit,
    decode
  })
  return Pages.upTo(cursors, list, rows, end)
})
