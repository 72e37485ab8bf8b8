import { CannotConnect, said, SharedSessions } from "#layers/CannotStart.ts"
import { Array, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"

/** A pool in session mode that is too small keeps who asks waiting for a session that never becomes free. */
const longest = "3 seconds"

const none = () => Effect.fail(new CannotConnect({ cause: "it lent no session within 3 s" }))

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pid: Schema.Int })]))

const pidOf = Effect.fnUntraced(function*(session: SqlConnection.Connection) {
  const [{ pid }] = yield* decode(yield* session.executeUnprepared("select pg_backend_pid() as pid", [], undefined))
  return pid
})

/**
 * Opens as many sessions as this node takes at most, `count`, and refuses a pooler that gives each transaction a session of its choice, as
 * PgBouncer does in its transaction and statement modes: the locks by which nodes own shards, and `LISTEN`, are a session's. Two sessions that
 * are ours never have one process, and none changes its own: asked all at once, and then one after the other in the other order, which finds
 * out a pooler whatever the order is in which it lends. Where the database has fewer for us, the start says so: what would need one more is 503.
 */
export const layer = (count: number) =>
  Layer.effectDiscard(
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const open = Effect.gen(function*() {
        const session = yield* sql.reserve
        return { session, pid: yield* Effect.timeoutOrElse(pidOf(session), { duration: longest, orElse: none }) }
      })
      const [ours, refused] = yield* Effect.partition(Array.range(1, count), () => open, { concurrency: "unbounded" })
      const [reason] = refused
      if (reason !== undefined && ours.length === 0) return yield* Effect.fail(reason)
      let shared = new Set(ours.map(({ pid }) => pid)).size < ours.length
      for (const { pid, session } of ours.toReversed()) {
        if (!shared) shared = (yield* pidOf(session)) !== pid
      }
      if (shared) return yield* new SharedSessions()
      if (reason !== undefined) {
        yield* Effect.logWarning(
          `the database of DATABASE_URL gives this node ${ours.length} sessions, and it takes up to ${count}: ` +
            `until there are more, what needs another one is 503 (${said(reason)})`
        )
      }
    }).pipe(Effect.scoped)
  )
