import * as Arbitraries from "#layers/testing/Arbitraries.ts"
import * as Chances from "#layers/testing/Chance.ts"
import type { Cue, ListenerOptions, Options, Story, World } from "#layers/testing/Simulation.ts"
import { Arbitrary, Effect } from "effect"
import { given as everywhere } from "./People.ts"
import * as Ordinary from "./Story.ts"
import { all } from "./Unaimed.ts"

const weekly = "weekly"

/** What the template says in this version: nobody is sent it, and listeners are told that it went live. */
const version = (number: number) => ({ elements: [{ type: "text" as const, content: `version ${number}` }] })

const publishing = ({ chance, change }: World, n: number) =>
  Effect.delay(change({ _tag: "Publish", templateId: weekly, template: version(n + 1) }), chance.int(0, 45_000))

/** The ordinary users, and somebody who publishes now and then. */
export const story: Story = (world) =>
  Effect.all([
    Ordinary.story(world),
    ...Array.from({ length: world.chance.int(0, 3) }, (_, n) => publishing(world, n))
  ], { concurrency: "unbounded", discard: true })

/** Takes nothing at first, and says when it does. */
const busy = (chance: Chances.Chance): ReadonlyArray<Cue> =>
  Array.from({ length: chance.int(1, 4) }, () => ({
    _tag: "Refuse",
    after: chance.int(1, 500),
    kind: chance.pick(["RateLimited", "Unavailable"]),
    retryAfter: chance.int(6_000, 60_000)
  }))

/** Does anything. */
const strange = (chance: Chances.Chance): ReadonlyArray<Cue> =>
  Effect.runSync(Arbitrary.sampleEffect(Arbitraries.scripts, { count: 1, seed: chance.int(0, 1e9) })).flat()

const listener = (chance: Chances.Chance, name: string): ListenerOptions => {
  const drawn = chance.next()
  const script = drawn < 0.3 ? [] : drawn < 0.6 ? busy(chance) : strange(chance)
  const from = chance.int(0, 50_000)
  return {
    name,
    script,
    ...(chance.happens(0.3) ? { down: [{ from, until: from + chance.int(1, 60_000) }] } : {}),
    ...(chance.happens(0.2) ? { types: [chance.happens(0.7) ? "message:updated" : "notification:published"] } : {})
  }
}

/** The ordinary world of the seed, with servers that are told what happens, and faults while they are. */
export const options = (seed: number): Options => {
  const chance = Chances.make(seed)
  return {
    ...Ordinary.options(seed),
    given: { ...everywhere, templates: { [weekly]: version(0) } },
    listeners: Array.from({ length: chance.int(1, 3) }, (_, n) => listener(chance, `listener-${n}`)),
    faults: {
      ...all,
      kinds: [...all.kinds, "crash", "freeze", "outage", "lag"],
      atMost: 8,
      lostAnswers: chance.happens(0.5) ? 0.05 : all.lostAnswers
    }
  }
}
