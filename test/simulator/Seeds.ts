import type { History } from "#layers/testing/History.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import * as Changing from "./Changing.ts"
import * as Checker from "./Checker.ts"
import * as Crowded from "./Crowded.ts"
import * as Lagging from "./Lagging.ts"
import * as Ordinary from "./Story.ts"

/** A seed whose history breaks an invariant. */
export interface Finding {
  readonly seed: number
  readonly complaints: ReadonlyArray<string>
}

/** One world in twenty lags, in one of forty lists change all the time, and in one of forty providers are crowded. */
export const live = (seed: number): History => {
  if (seed % 20 === 12) return Simulation.run(seed, Lagging.story, Lagging.options(seed))
  if (seed % 40 === 15) return Simulation.run(seed, Changing.story, Changing.options(seed))
  if (seed % 40 === 33) return Simulation.run(seed, Crowded.story, Crowded.options(seed))
  return Simulation.run(seed, Ordinary.story, Ordinary.options(seed))
}

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
