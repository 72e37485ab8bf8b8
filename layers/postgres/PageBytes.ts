import { most } from "#src/paging/PageBytes.ts"
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
