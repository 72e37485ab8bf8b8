import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const Table = Schema.Struct({
  /** As SQL writes it, like all names here. */
  name: Schema.String,
  columns: Schema.String,
  /** How many bytes a row has, about: an expression that unpacks no value. */
  size: Schema.String,
  /** The partitions, or the table itself. */
  parts: Schema.Array(Schema.String),
  hasTriggers: Schema.Boolean
})
export type Table = typeof Table.Type

const decode = Schema.decodeUnknownEffect(Schema.Array(Table))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Number })]))

/**
 * All tables of this database as its catalogue has them, but for the record of its migrations: those that refer to others
 * last. `names`: these alone.
 */
export const all = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, names?: ReadonlyArray<string>) {
  const rows = yield* sql.unsafe(
    `select t.oid::regclass::text as name, c.columns, c.size, p.parts,
      exists (select from pg_trigger where tgrelid = t.oid and not tgisinternal) as "hasTriggers"
    from pg_class t,
      lateral (select string_agg(quote_ident(attname), ', ' order by attnum) as columns,
        coalesce(string_agg(format('coalesce(%s(%I), 0)', case when atttypid in ('text'::regtype, 'bytea'::regtype)
          then 'octet_length' else 'pg_column_size' end, attname), ' + ') filter (where attlen = -1), '0') as size
        from pg_attribute where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = '') c,
      lateral (select coalesce(array_agg(inhrelid::regclass::text order by inhrelid::regclass::text), array[t.oid::regclass::text]) as parts
        from pg_inherits where inhparent = t.oid) p
    where t.relkind in ('r', 'p') and not t.relispartition and ${
      names === undefined ? "t.relnamespace = 'public'::regnamespace" : "t.oid = any($1::text[]::regclass[])"
    } and t.relname <> 'migrations'
    order by exists (select from pg_constraint where contype = 'f' and conrelid = t.oid), t.relname`,
    names === undefined ? [] : [names]
  )
  return yield* decode(rows)
})

/** The rows of a part, however long a role lets a statement take. */
const count = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, part: string) {
  yield* sql`select set_config('statement_timeout', '0', true)`
  const [{ count }] = yield* decodeCount(yield* sql.unsafe(`select count(*)::float8 as count from ${part}`))
  return count
}, (counting, sql) => sql.withTransaction(counting))

/** How many rows each of these tables has. A partition is counted by itself: a year of them at once are many locks. */
export const counts = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, tables: ReadonlyArray<Table>) {
  const found = new Map<string, number>()
  for (const { name, parts } of tables) {
    for (const part of parts) found.set(name, (found.get(name) ?? 0) + (yield* count(sql, part)))
  }
  return found
})
