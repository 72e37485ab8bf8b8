import { Database } from "#layers/memory/Database.ts"
import * as Keys from "#layers/memory/Keys.ts"
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
import { Clock, Data, Effect, HashMap, Layer, Option, Order } from "effect"

type Failure = StillRunning | StoreUnavailable

/** How long a duplicate waits for the first call (reliability.md 2.2). */
const patience = "5 seconds"

/** Carries a refusal out of the savepoint, so that its writes are rolled back. */
class RolledBack extends Data.TaggedError("RolledBack")<{ readonly response: StoredResponse }> {}

const byExpiry = Order.mapInput(
  Order.Number,
  (entry: readonly [string, { readonly expiresAt: number }]) => entry[1].expiresAt
)

/** Idempotency keys in memory: the calls under way are known by name, what they committed is in the state. */
export const layer = Layer.effect(
  Idempotency,
  Effect.gen(function*() {
    const { modify, read, transaction } = yield* Database
    const shared = Followers.make<Answer, Failure>({ patience, tooLate: () => new StillRunning() })

    /** The response may have been stored meanwhile by the journal, which knows the key too: then this call did not run. */
    const keep = Effect.fnUntraced(function*(key: IdempotencyKey, response: StoredResponse) {
      const now = yield* Clock.currentTimeMillis
      const earlier = yield* modify((state) => {
        const kept = Keys.find(state, key, now)
        return kept === undefined ? [undefined, Keys.put(state, key, response)] : [kept, state]
      })
      if (earlier !== undefined) return yield* new RolledBack({ response: earlier })
      return { response, replayed: false }
    })

    const commit = <R>(key: IdempotencyKey, operation: Effect.Effect<StoredResponse, StoreUnavailable, R>) =>
      operation.pipe(
        Effect.provideService(CurrentKey, undefined),
        Effect.flatMap((response) => response.status < 400 ? Effect.succeed(response) : new RolledBack({ response })),
        transaction,
        Effect.catchTag("RolledBack", (refused) => Effect.succeed(refused.response)),
        Effect.flatMap((response) => keep(key, response)),
        transaction,
        Effect.catchTag("RolledBack", ({ response }) => Effect.succeed({ response, replayed: true }))
      )

    const find = Effect.fnUntraced(function*(key: IdempotencyKey) {
      const now = yield* Clock.currentTimeMillis
      return Option.fromUndefinedOr(yield* read((state) => Keys.find(state, key, now)))
    })

    const first = Effect.fnUntraced(function*<R>(
      key: IdempotencyKey,
      operation: Effect.Effect<StoredResponse, StoreUnavailable, R>
    ) {
      const kept = yield* find(key)
      return Option.isNone(kept) ? yield* commit(key, operation) : { response: kept.value, replayed: true }
    })

    const once: Idempotency["Service"]["once"] = (key, operation) => shared(Keys.nameOf(key), first(key, operation))

    const sweep = Effect.fnUntraced(function*(limit: number) {
      const now = yield* Clock.currentTimeMillis
      return yield* modify((state) => {
        const expired = HashMap.toEntries(state.keys).filter(([, row]) => row.expiresAt <= now)
        const gone = expired.toSorted(byExpiry).slice(0, limit).map(([name]) => name)
        return [gone.length, { ...state, keys: HashMap.removeMany(state.keys, gone) }]
      })
    })

    return Idempotency.of({ once, find, sweep })
  })
)
