import { SharedSessions } from "#layers/CannotStart.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pid: Schema.Int })]))

const pidOf = Effect.fnUntraced(function*(session: SqlConnection.Connection) {
  const [{ pid }] = yield* decode(yield* session.executeUnprepared("select pg_backend_pid() as pid", [], undefined))
  return pid
})

/**
 * Refuses a pooler that gives each transaction a session of its choice, as PgBouncer does in its transaction mode: the locks by which nodes own
 * shards, and `LISTEN`, are a session's. Two sessions that are ours never have one process, and none changes its own.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [first, second] = yield* Effect.all([sql.reserve, sql.reserve])
    const before = yield* pidOf(first)
    yield* second.executeUnprepared("begin", [], undefined)
    const other = yield* pidOf(second)
    const after = yield* pidOf(first)
    yield* second.executeUnprepared("rollback", [], undefined)
    if (before === other || before !== after) return yield* new SharedSessions()
  }).pipe(Effect.scoped)
)
