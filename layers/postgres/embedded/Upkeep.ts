import { EmbeddedStore } from "#layers/postgres/embedded/Embedded.ts"
import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import process from "node:process"

/** A table is swept when this many of its rows are dead; below, a sweep costs more than it saves. */
const deadRows = 20_000

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ table: Schema.String })))

/**
 * The embedded database has no background processes, so what autovacuum does on a server is done here: every ten minutes the tables with many
 * dead rows are vacuumed and analysed, one at a time, so that no statement waits for more than one of them. `vacuum` also keeps transaction
 * ids from running out.
 */
const vacuum = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`select relid::regclass::text as "table" from pg_stat_user_tables where n_dead_tup > ${deadRows}
    order by n_dead_tup desc`.pipe(Effect.flatMap(decode))
  for (const { table } of tables) yield* sql.unsafe(`vacuum (analyze) ${table}`)
}).pipe(Effect.catch((error) => Effect.logWarning("cannot vacuum", error)))

/** A database that broke answers nothing more: the process ends at once, and the next one recovers what was acknowledged. */
const leave = Effect.gen(function*() {
  const broken = yield* (yield* EmbeddedStore).broken
  yield* Effect.logFatal("the embedded database broke; restart to recover", broken)
  yield* Effect.sync(() => process.exit(1))
})

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  yield* vacuum.pipe(Effect.schedule(Schedule.spaced("10 minutes")), Effect.forkScoped)
  yield* Effect.forkScoped(leave)
}))
