import * as Patience from "#src/store/Patience.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** How often one session is checked: the pool lends its sessions in turn. */
const looked = "2 seconds"

/**
 * Ends read-only sessions, so that the pool opens new ones; `sessions` is how many it has. A session whose host was
 * demoted in a failover may stay connected and read-only for ever: it refuses every write (SQLSTATE 25006), though the
 * database accepts writes again.
 */
export const layer = (sessions: number) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const patiently = yield* Patience.asking(Patience.callers)
    let told = false

    /** Ends the session that the pool lends if it is read-only; answers whether it was. Its own end has no answer. */
    const ended = Effect.scoped(Effect.gen(function*() {
      const session = yield* sql.reserve
      const found = yield* session.execute(
        "select 1 where current_setting('transaction_read_only')::boolean",
        [],
        undefined
      )
      if (found.length === 0) return false
      yield* Effect.ignore(session.execute("select pg_terminate_backend(pg_backend_pid())", [], undefined))
      return true
    }))

    const tell = (readOnly: boolean) =>
      Effect.suspend(() => {
        if (readOnly === told) return Effect.void
        told = readOnly
        return readOnly
          ? Effect.logError("the database is read-only: nothing is accepted or delivered until it takes writes")
          : Effect.logInfo("the database takes writes again")
      })

    /** A session that can write tells that the database can, even if it met some that were left over. */
    const look = Effect.gen(function*() {
      for (let met = 0; met < sessions; met++) {
        if (!(yield* ended)) return yield* tell(false)
      }
      return yield* tell(true)
    })

    yield* patiently(look).pipe(
      Effect.ignore,
      Effect.catchDefect((defect) => Effect.logError("whether the database is read-only is unknown", defect)),
      Effect.delay(looked),
      Effect.forever,
      Effect.forkScoped
    )
  }))
