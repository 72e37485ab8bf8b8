import type { Principal } from "#src/access/ApiKeys.ts"
import { Clock, Effect } from "effect"

/** What a caller is known for, in ms: with as long a memory of `ApiKeys` before it, a key that is taken away is refused within a minute. */
const remembered = 30_000

/** Headers kept at most: who sends more keys than this pays for a look at each. */
const capacity = 10_000

interface Known {
  readonly principal: Principal
  /** Epoch ms. */
  readonly until: number
}

/**
 * Who sent an `Authorization` header, told by the text alone: nothing is digested for those who were let in a moment ago. A header is found
 * by a hash that is seeded anew at every start, so how long it takes says nothing of how near a guess was.
 */
export const make = Effect.map(Clock.Clock, (clock) => {
  const known = new Map<string, Known>()
  return {
    find: (header: string | undefined): Principal | undefined => {
      const found = header === undefined ? undefined : known.get(header)
      if (header === undefined || found === undefined) return undefined
      if (clock.currentTimeMillisUnsafe() < found.until) return found.principal
      known.delete(header)
      return undefined
    },
    keep: (header: string, principal: Principal): void => {
      if (known.size >= capacity) known.clear()
      known.set(header, { principal, until: clock.currentTimeMillisUnsafe() + remembered })
    }
  }
})
