import { EmbeddedStore } from "#layers/postgres/embedded/Embedded.ts"
import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import process from "node:process"

const decode = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ table: Schema.String, bytes: Schema.Number, isOld: Schema.Boolean, isDay: Schema.Boolean })
  )
)
const decodeIndexes = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ index: Schema.String, bytes: Schema.Number }))
)

/** The sizes in bytes that tables and indexes had when something was last done to them. */
type Sizes = Map<string, number>

/** SQL: whether a row of `pg_class` is the partition of a day, and not the default one. */
const ofDay = "relispartition and relname ~ '_[0-9]{8}$'"

/**
 * A sample of 3,000 rows, a tenth of the usual one: it takes 0.1 s however many messages the day has, where the usual
 * one took 0.8 s.
 */
const analysis = (table: string): string =>
  `do $$ begin
    perform set_config('default_statistics_target', '10', true);
    analyze ${table};
  end $$`

const tables = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, sizes: Sizes) {
  const found = yield* sql`
    select oid::regclass::text as "table", pg_relation_size(oid)::float8 as bytes, age(relfrozenxid) > 100000000 as "isOld",
      ${sql.literal(ofDay)} as "isDay"
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`.pipe(Effect.flatMap(decode))
  for (const { bytes, isDay, isOld, table } of found) {
    if (!isOld && (sizes.get(table) ?? 0) === bytes) continue
    yield* sql.unsafe(isDay && !isOld ? analysis(table) : `vacuum (analyze) ${table}`)
    sizes.set(table, bytes)
  }
})

/** An index that is smaller, in bytes, is left as it is: it has the entries of 160,000 closed messages at most. */
const worthwhile = 8_000_000

/**
 * Rebuilds the days' indexes of open messages, which keep the entries of those that were closed: 200,000 of these made
 * a look for due messages 3 ms longer per index. An index that was large after a rebuild is let grow to twice that.
 */
const indexes = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, sizes: Sizes) {
  const found = yield* sql`
    select i.indexrelid::regclass::text as index, pg_relation_size(i.indexrelid)::float8 as bytes
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and ${sql.literal(ofDay)}
      and pg_get_expr(i.indpred, i.indrelid) like '%due_at%'`.pipe(Effect.flatMap(decodeIndexes))
  for (const { bytes, index } of found) {
    if (bytes < Math.max(worthwhile, 2 * (sizes.get(index) ?? 0))) continue
    yield* sql.unsafe(`reindex index ${index}`)
    const [rebuilt] = yield* decodeIndexes(
      yield* sql`select ${index} as index, pg_relation_size(${index}::regclass)::float8 as bytes`
    )
    sizes.set(index, rebuilt?.bytes ?? bytes)
  }
})

/**
 * Does what autovacuum does on a server, since the embedded database has no background processes. Every ten minutes it
 * vacuums and analyses the tables that grew or shrank, and those whose transaction ids grow old: one statement per
 * table, so that others wait for only one of them. It goes by sizes, since the dead-row counters stay at zero.
 * The whole process waits for a statement to end, and to vacuum a day of 200,000 messages took 2 s. The space of a day
 * is not used again, so days are only analysed; what a vacuum did for their indexes of open messages, a rebuild of each
 * does in 0.2 s.
 */
const upkeep = (sizes: Sizes) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.andThen(tables(sql, sizes), indexes(sql, sizes))).pipe(
    Effect.catchCause((cause) => Effect.logWarning("the upkeep of the database failed", cause))
  )

/** Ends the process once the database broke, since it answers nothing more. The next recovers what was committed. */
const leave = Effect.gen(function*() {
  const broken = yield* (yield* EmbeddedStore).broken
  yield* Effect.logFatal("the embedded database broke; restart to recover", broken)
  yield* Effect.sync(() => process.exit(1))
})

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  yield* upkeep(new Map()).pipe(Effect.schedule(Schedule.spaced("10 minutes")), Effect.forkScoped)
  yield* Effect.forkScoped(leave)
}))
