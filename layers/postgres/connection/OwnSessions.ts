import { CannotConnect, said, SharedSessions, TooFewSessions } from "#layers/CannotStart.ts"
import { Array, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"

/** How long to wait for a session: a pooler in session mode that is too small would keep us waiting for ever. */
const longest = "3 seconds"

const none = () => Effect.fail(new CannotConnect({ cause: "it lent no session within 3 s" }))

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pid: Schema.Int })]))

const pidOf = Effect.fnUntraced(function*(session: SqlConnection.Connection) {
  const [{ pid }] = yield* decode(yield* session.executeUnprepared("select pg_backend_pid() as pid", [], undefined))
  return pid
})

/**
 * How many sessions to open (`most`). With fewer than `fewest`, those that listen or hold locks for good would leave
 * none for the work; `remedy` is what to do about that.
 */
export interface Sessions {
  readonly most: number
  readonly fewest: number
  readonly remedy: string
}

/**
 * Opens all the sessions that this thread of a node may use, and refuses a pooler that picks a session for each
 * transaction, as PgBouncer does in its transaction and statement modes: `LISTEN` and the locks by which nodes own
 * shards belong to a session. Sessions of our own have a backend process each, and keep it. So all are asked for their
 * process at once, and then one by one in the reverse order, which exposes a pooler in whatever order it lends. If the
 * database has fewer sessions for us, the start logs that: what would need one more is answered with 503. Too few
 * end it.
 */
export const layer = ({ fewest, most, remedy }: Sessions) =>
  Layer.effectDiscard(
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const open = Effect.gen(function*() {
        const session = yield* sql.reserve
        return { session, pid: yield* Effect.timeoutOrElse(pidOf(session), { duration: longest, orElse: none }) }
      })
      const [ours, refused] = yield* Effect.partition(Array.range(1, most), () => open, { concurrency: "unbounded" })
      const [reason] = refused
      if (reason !== undefined && ours.length === 0) return yield* Effect.fail(reason)
      let shared = new Set(ours.map(({ pid }) => pid)).size < ours.length
      for (const { pid, session } of ours.toReversed()) {
        if (!shared) shared = (yield* pidOf(session)) !== pid
      }
      if (shared) return yield* new SharedSessions()
      if (reason !== undefined && ours.length < fewest) {
        return yield* new TooFewSessions({ count: ours.length, fewest, remedy, cause: reason })
      }
      if (reason !== undefined) {
        yield* Effect.logWarning(
          `the database of DATABASE_URL gives this node ${ours.length} sessions, and it takes up to ${most}: ` +
            `until there are more, what needs another one is 503 (${said(reason)})`
        )
      }
    }).pipe(Effect.scoped)
  )
