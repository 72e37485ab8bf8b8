import { EmbeddedStore } from "#layers/postgres/embedded/Embedded.ts"
import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import process from "node:process"

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ table: Schema.String, bytes: Schema.Number, old: Schema.Boolean }))
)

/**
 * Does what autovacuum does on a server, since the embedded database has no background processes. Every ten minutes it
 * vacuums and analyses the tables that grew or shrank, and those whose transaction ids grow old: one statement per
 * table, so that others wait for only one of them. It goes by sizes, since the dead-row counters stay at zero.
 */
const vacuum = Effect.fnUntraced(function*(sizes: Map<string, number>) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`
    select oid::regclass::text as "table", pg_relation_size(oid)::float8 as bytes, age(relfrozenxid) > 100000000 as old
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`.pipe(Effect.flatMap(decode))
  for (const { bytes, old, table } of tables) {
    if (!old && (sizes.get(table) ?? 0) === bytes) continue
    yield* sql.unsafe(`vacuum (analyze) ${table}`)
    sizes.set(table, bytes)
  }
}, Effect.catchCause((cause) => Effect.logWarning("cannot vacuum", cause)))

/** Ends the process once the database broke, since it answers nothing more. The next recovers what was committed. */
const leave = Effect.gen(function*() {
  const broken = yield* (yield* EmbeddedStore).broken
  yield* Effect.logFatal("the embedded database broke; restart to recover", broken)
  yield* Effect.sync(() => process.exit(1))
})

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  yield* vacuum(new Map()).pipe(Effect.schedule(Schedule.spaced("10 minutes")), Effect.forkScoped)
  yield* Effect.forkScoped(leave)
}))
