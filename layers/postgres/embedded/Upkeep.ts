import { EmbeddedStore } from "#layers/postgres/embedded/Embedded.ts"
import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import process from "node:process"

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ table: Schema.String, bytes: Schema.Number, old: Schema.Boolean }))
)

/**
 * The embedded database has no background processes, so what autovacuum does on a server is done here: every ten minutes the tables that
 * grew or shrank are vacuumed and analysed, one statement each, so that nothing waits for more than one of them; and those whose transaction
 * ids grow old. (Its dead-row counters stay at zero, so sizes are what we go by.)
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

/** A database that broke answers nothing more: the process ends at once, and the next one recovers what was acknowledged. */
const leave = Effect.gen(function*() {
  const broken = yield* (yield* EmbeddedStore).broken
  yield* Effect.logFatal("the embedded database broke; restart to recover", broken)
  yield* Effect.sync(() => process.exit(1))
})

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  yield* vacuum(new Map()).pipe(Effect.schedule(Schedule.spaced("10 minutes")), Effect.forkScoped)
  yield* Effect.forkScoped(leave)
}))
