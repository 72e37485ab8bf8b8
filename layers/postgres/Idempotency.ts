import * as KeyRow from "#layers/postgres/idempotency/KeyRow.ts"
import * as Expired from "#layers/postgres/statements/Expired.ts"
import { isLockTimeout, orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Followers from "#src/access/Followers.ts"
import {
  type Answer,
  CurrentKey,
  Idempotency,
  type IdempotencyKey,
  StillRunning,
  type StoredResponse
} from "#src/access/Idempotency.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Data, Effect, Layer, Option, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"

type Failure = StillRunning | StoreUnavailable

/**
 * How long a duplicate waits for the first call (reliability.md 2.2); the statement of `KeyRow.take` says the same to
 * the database.
 */
const patience = "5 seconds"

/** Repeats a transaction whose commit is unknown; the database may be restarting. */
const again = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 4 }))

/** Carries a refusal out of the savepoint, so that its writes are rolled back. */
class RolledBack extends Data.TaggedError("RolledBack")<{ readonly response: StoredResponse }> {}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const process = yield* (yield* SecureRandom.SecureRandom).uuidV4()
  const keyRow = KeyRow.make(sql)
  const sweep = Expired.sweeping(sql, "idempotency")
  let calls = 0

  const write = Effect.fnUntraced(function*<R>(
    key: IdempotencyKey,
    owner: string,
    operation: Effect.Effect<StoredResponse, StoreUnavailable, R>
  ) {
    const now = yield* Clock.currentTimeMillis
    const taken = yield* keyRow.take(key, owner, now).pipe(
      Effect.catchIf(isLockTimeout, () => Effect.fail(new StillRunning()))
    )
    if (!taken) {
      // A key that could not be taken has a row, and the insert that met it has locked that row.
      const stored = yield* Effect.orDie(Effect.fromOption(yield* keyRow.find(key, now)))
      return { response: stored.response, replayed: stored.owner !== owner }
    }
    const response = yield* operation.pipe(
      Effect.provideService(CurrentKey, undefined),
      Effect.flatMap((response) => response.status < 400 ? Effect.succeed(response) : new RolledBack({ response })),
      sql.withTransaction,
      Effect.catchTag("RolledBack", (refused) => Effect.succeed(refused.response))
    )
    yield* keyRow.fill(key, response)
    return { response, replayed: false }
  })

  /**
   * A commit without an answer may have happened, or be happening. Repeating the transaction tells which: it waits for
   * the lost one's key row, and then either finds it with its own `owner`, or finds nothing and runs.
   */
  const commit = Effect.fnUntraced(function*<R>(
    key: IdempotencyKey,
    operation: Effect.Effect<StoredResponse, StoreUnavailable, R>
  ) {
    const owner = `${process}:${calls++}`
    let unknown = false
    return yield* write(key, owner, operation).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          unknown = true
        })
      ),
      sql.withTransaction,
      Effect.retry({ schedule: again, while: (error) => unknown && error._tag === "SqlError" })
    )
  }, orUnavailable)

  /**
   * However many duplicates of a key wait in this process, only one database connection does. A first call that is
   * interrupted has stored nothing.
   */
  const shared = Followers.make<Answer, Failure>({ patience, tooLate: () => new StillRunning() })

  const once: Idempotency["Service"]["once"] = (key, operation) =>
    shared(JSON.stringify([key.scope, key.path, key.value]), commit(key, operation))

  const find: Idempotency["Service"]["find"] = (key) =>
    Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) => keyRow.find(key, now)),
      Effect.map(Option.map(({ response }) => response)),
      orUnavailable
    )

  return Idempotency.of({ once, find, sweep: (limit) => orUnavailable(sweep(limit)) })
})

export const layer = Layer.effect(Idempotency, make)
