import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const decodeColumns = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ table: Schema.String, column: Schema.String, type: Schema.String, mayBeNull: Schema.Boolean })
  )
)
const decodeDigests = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ rows: Schema.Int, digest: Schema.NullOr(Schema.String) }))
)
const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

/** What databases, and those who copy them, have stumbled over. */
const awkward = `'"\\ \\N \\. \\u0000 \\ud800 \n\r\t\u0001\u007f {NULL,"a"} \${x} $1 %I é漢😀\u2028`

const days = ["6b01400d", "6b0a584d", "ffffffff"]

/** The value of a column in the row with this number. */
const value = (table: string, column: string, type: string, row: number): unknown => {
  // Rows of environments that there are, in days of their own and in the default partition.
  if (column === "scope") return row % 2 + 1
  if (/^(?:message_)?id$/.test(column)) return `1-${days[row % days.length]}-${table}-${row}`
  if (type === "boolean") return row === 0
  if (type === "text[]") return [`${awkward}${row}`, "", "NULL"]
  if (type === "bigint") return row === 0 ? "9007199254740993" : String(row)
  if (/int/.test(type)) return row
  return `${column} ${row} ${awkward}`
}

/** The tables, whatever version of the schema this is. */
export const tables = (sql: SqlClient.SqlClient) =>
  sql`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and not relispartition and relname <> 'migrations' order by relname`.pipe(
    Effect.flatMap(decodeNames),
    Effect.map((rows) => rows.map(({ name }) => name))
  )

/** Fills every table that is not filled yet: with rows of all columns, and one that has no more than it must. */
export const fill = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const columns = yield* decodeColumns(
    yield* sql`select c.relname as table, attname as column, format_type(atttypid, atttypmod) as type, not attnotnull as "mayBeNull"
      from pg_attribute a join pg_class c on c.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname not in ('migrations', 'scopes')
        and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = '' order by attnum`
  )
  for (const name of yield* tables(sql)) {
    const all = columns.filter(({ table }) => table === name)
    for (const row of all.length === 0 ? [] : [0, 1, 2]) {
      const own = all.filter(({ mayBeNull }) => !mayBeNull || row < 2)
      yield* sql.unsafe(
        `insert into ${name} (${own.map(({ column }) => column).join(", ")})
          values (${own.map(({ type }, index) => `$${index + 1}::${type}`).join(", ")})`,
        own.map(({ column, type }) => value(name, column, type, row))
      )
    }
  }
})

/** A digest of the rows of each of these tables. */
export const digests = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, names: ReadonlyArray<string>) {
  const found: Record<string, string> = {}
  for (const name of names) {
    const [one] = yield* decodeDigests(
      yield* sql.unsafe(
        `select count(*)::int as rows, md5(string_agg(md5(r), '' order by md5(r))) as digest from (select t::text as r from ${name} t) t`
      )
    )
    found[name] = `${one?.rows} ${one?.digest}`
  }
  return found
})
