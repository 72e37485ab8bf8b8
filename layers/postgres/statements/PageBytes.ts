import type * as Cursor from "#src/paging/Cursor.ts"
import type { PageQuery } from "#src/paging/Page.ts"
import { most } from "#src/paging/PageBytes.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

const decodeFound = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ found: Schema.Number })))

/**
 * A page of a list whose rows may be large: `limit` rows, or fewer where `most` bytes are reached. `looked` selects the
 * rows in `order` without a limit, each with its length as `bytes`; `columns` are read of those rows, as table `as`.
 * The end is found from the lengths, for which Postgres does not read the texts.
 */
export const read = Effect.fnUntraced(function*<A, E>(sql: SqlClient.SqlClient, page: {
  readonly as: string
  readonly columns: Statement.Fragment
  readonly looked: Statement.Fragment
  readonly order: Statement.Fragment
  readonly limit: number
  readonly decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, E>
}) {
  const { as, columns, decode, limit, looked, order } = page
  const table = sql(as)
  const rows = yield* sql`select ${columns}, found from (
      select *, count(*) over ()::int as found, sum(bytes) over (order by ${order}) - bytes as before
      from (${looked} order by ${order} limit ${limit + 1}::int) as ${table}) as ${table}
    where before < ${most}::int order by ${order} limit ${limit}::int`
  const [first] = yield* decodeFound(rows.slice(0, 1))
  return { rows: yield* decode(rows), isLast: rows.length === (first?.found ?? 0) }
})

/**
 * A page of what an environment has in a table, newest first: the rows for which `where` holds, which may be large.
 * `bytes` is the length of a row's texts.
 */
export const newestFirst = Effect.fnUntraced(function*<A extends { readonly created: number; readonly id: string }, E>(
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
  const { isLast, rows } = yield* read(sql, {
    as: table,
    columns: sql.literal(columns),
    looked: sql`select *, ${sql.literal(bytes)} as bytes from ${sql(table)} where scope = ${list.scope} ${where}
      ${before === undefined ? sql`` : sql`and (created_at, id) < (${before.at}::bigint, ${before.id})`}`,
    order: sql`created_at desc, id desc`,
    limit: query.limit,
    decode
  })
  return Pages.of({ cursors, list, items: rows, isLast, position: ({ created, id }) => ({ at: created, id }) })
})
