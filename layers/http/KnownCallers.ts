import { ApiKeys, type InvalidKey, type Principal } from "#src/access/ApiKeys.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Context, Duration, Effect, Layer, type Redacted } from "effect"

/**
 * How long a header is remembered, by monotonic time: a clock that is set back would keep a revoked key alive.
 * `ApiKeys`, asked before that, remembers a key for as long again: so a revoked key is refused within a minute.
 */
const remembered = Duration.toNanosUnsafe("30 seconds")

/** Headers remembered at most. When there are more, all are forgotten, and each costs a look-up again. */
const capacity = 10_000

/** Characters of the longest header that is remembered: a key may have any number of spaces before it. */
const longest = 1_024

interface Known {
  readonly principal: Principal
  /** Monotonic ns. */
  readonly until: bigint
}

/**
 * Remembers who sent an `Authorization` header, by its text: no digest is computed for callers that were let in a
 * moment ago. The map's hash is seeded anew at every start, so the time of a look-up does not tell how close a guess
 * was.
 */
export class KnownCallers extends Context.Service<KnownCallers, {
  readonly find: (header: string | undefined) => Principal | undefined
  readonly keep: (header: string, principal: Principal) => void
}>()("tidings/http/KnownCallers") {}

/** Asks who has the API key of a header, and remembers it. */
export const recognizing = Effect.gen(function*() {
  const keys = yield* ApiKeys
  const callers = yield* KnownCallers
  return (header: string, key: Redacted.Redacted): Effect.Effect<Principal, InvalidKey | StoreUnavailable> =>
    Effect.tap(keys.authenticate(key), (principal) => Effect.sync(() => callers.keep(header, principal)))
})

export const layer = Layer.effect(
  KnownCallers,
  Effect.map(Clock.Clock, (clock) => {
    const known = new Map<string, Known>()
    return KnownCallers.of({
      find: (header) => {
        const found = header === undefined ? undefined : known.get(header)
        if (header === undefined || found === undefined) return undefined
        if (clock.monotonicTimeNanosUnsafe() < found.until) return found.principal
        known.delete(header)
        return undefined
      },
      keep: (header, principal) => {
        if (header.length > longest) return
        if (known.size >= capacity) known.clear()
        known.set(header, { principal, until: clock.monotonicTimeNanosUnsafe() + remembered })
      }
    })
  })
)
