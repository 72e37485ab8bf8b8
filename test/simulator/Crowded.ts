import * as Chances from "#layers/testing/Chance.ts"
import type { Cue } from "#layers/testing/Cue.ts"
import type { Options, Story, World } from "#layers/testing/Simulation.ts"
import { Effect } from "effect"
import { people } from "./People.ts"
import * as Ordinary from "./Story.ts"
import { all } from "./Unaimed.ts"

/** Somebody who writes to one of all, whoever else does. */
const writing = ({ chance, send }: World, n: number) =>
  Effect.delay(send(Ordinary.note(chance.pick(people), `crowd-${n}`), { key: `crowd-${n}` }), chance.int(0, 20_000))

/** The ordinary users, and more than their providers take at once. */
export const story: Story = (world) =>
  Effect.all([
    Ordinary.story(world),
    ...Array.from({ length: world.chance.int(8, 24) }, (_, n) => writing(world, n))
  ], { concurrency: "unbounded", discard: true })

/**
 * The ordinary world of the seed, but that its providers have a connection or two, take some calls a second, and are
 * slow: messages wait for their turns while their shards move on.
 */
export const options = (seed: number): Options => {
  const chance = Chances.make(seed)
  const ordinary = Ordinary.options(seed)
  const script = (slowest: number) =>
    Array.from({ length: 12 }, (): Cue => ({ _tag: "Accept", after: chance.int(1, slowest) }))
  const slowest = chance.pick([500, 5_000, 20_000])
  return {
    ...ordinary,
    faults: {
      ...all,
      kinds: [...all.kinds, "leave", "rob", "lag"],
      moves: chance.happens(0.7) ? chance.next() * 0.7 : 0
    },
    vendors: (ordinary.vendors ?? []).map((vendor) => ({
      ...vendor,
      ...(chance.happens(0.7) ? { connections: chance.int(1, 2) } : {}),
      ...(chance.happens(0.5) ? { perSecond: chance.int(1, 3) } : {}),
      script: chance.happens(0.5) ? script(slowest) : vendor.script ?? []
    }))
  }
}
