import type { History } from "#layers/testing/History.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import * as Checker from "./Checker.ts"
import { options, story } from "./Story.ts"

/** A seed whose history breaks an invariant. */
export interface Finding {
  readonly seed: number
  readonly complaints: ReadonlyArray<string>
}

export const live = (seed: number): History => Simulation.run(seed, story, options(seed))

/**
 * The first seed from `from` on, `count` at most, that finds something.
 *
 * @public sources with a bug are asked for it (`planted/Child.ts`).
 */
export const find = (from: number, count: number): Finding | undefined => {
  for (let seed = from; seed < from + count; seed++) {
    const complaints = Checker.complaints(live(seed))
    if (complaints.length > 0) return { seed, complaints }
  }
  return undefined
}
