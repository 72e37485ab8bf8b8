import type { History } from "#layers/testing/History.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import * as Changing from "./Changing.ts"
import * as Checker from "./Checker.ts"
import * as Crowded from "./Crowded.ts"
import * as Deadly from "./Deadly.ts"
import * as Grouped from "./Grouped.ts"
import * as Lagging from "./Lagging.ts"
import * as Limited from "./Limited.ts"
import * as Listening from "./Listening.ts"
import * as Mailing from "./Mailing.ts"
import * as Ordinary from "./Story.ts"

/** A seed whose history breaks an invariant. */
export interface Finding {
  readonly seed: number
  readonly complaints: ReadonlyArray<string>
}

const ordinary = { story: Ordinary.story, options: Ordinary.options }

/** The kinds of worlds besides the ordinary one, each with the seeds that live it: of so many, those with these remainders. */
const kinds = [
  { of: 20, are: [12], story: Lagging.story, options: Lagging.options },
  { of: 40, are: [15], story: Changing.story, options: Changing.options },
  { of: 40, are: [33], story: Crowded.story, options: Crowded.options },
  { of: 80, are: [9, 45], story: Mailing.story, options: Mailing.options },
  { of: 80, are: [35, 63], story: Grouped.story, options: Grouped.options },
  { of: 80, are: [37, 77], story: Limited.story, options: Limited.options },
  { of: 80, are: [47], story: Deadly.story, options: Deadly.options },
  { of: 80, are: [26, 61], story: Listening.story, options: Listening.options }
]

export const live = (seed: number): History => {
  const { options, story } = kinds.find(({ are, of }) => are.includes(seed % of)) ?? ordinary
  return Simulation.run(seed, story, options(seed))
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
