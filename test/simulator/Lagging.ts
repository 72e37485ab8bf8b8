import * as Chances from "#layers/testing/Chance.ts"
import type { Cue } from "#layers/testing/Cue.ts"
import type { Options, Story, World } from "#layers/testing/Simulation.ts"
import { Effect } from "effect"
import { people } from "./People.ts"
import * as Ordinary from "./Story.ts"
import { all } from "./Unaimed.ts"

/** Somebody who writes to one person all the time. */
const chatting = Effect.fnUntraced(function*({ chance, send }: World, chat: number) {
  const to = chance.pick(people)
  const count = chance.int(16, 30)
  for (let n = 0; n < count; n++) {
    yield* Effect.sleep(chance.int(0, 3_000))
    yield* send(Ordinary.note(to, `chat-${chat}-${n}`))
  }
})

/** The ordinary users, and some who do not wait for each other. */
export const story: Story = (world) =>
  Effect.all([Ordinary.story(world), chatting(world, 1), chatting(world, 2)], {
    concurrency: "unbounded",
    discard: true
  })

/**
 * The ordinary world of the seed, but that calls outlast drains, shards move on at once and the store lags: a shard
 * comes back to a node that still has in hand what it began there, and looks for what is due just as it gives that up.
 */
export const options = (seed: number): Options => {
  const chance = Chances.make(seed)
  const ordinary = Ordinary.options(seed)
  const script = () => Array.from({ length: 12 }, (): Cue => ({ _tag: "Accept", after: chance.int(100, 40_000) }))
  return {
    ...ordinary,
    nodes: 3,
    shards: chance.int(1, 2),
    faults: { ...all, kinds: ["lag", "lag", "lag", "lag", "rob"], atMost: 12, moves: 0.8 },
    vendors: (ordinary.vendors ?? []).map((vendor) => ({ ...vendor, script: script() }))
  }
}
