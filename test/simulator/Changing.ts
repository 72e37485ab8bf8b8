import * as Chances from "#layers/testing/Chance.ts"
import type { Options, Story, World } from "#layers/testing/Simulation.ts"
import { type Array, Effect } from "effect"
import { people, users } from "./People.ts"
import * as Routings from "./Routings.ts"
import * as Ordinary from "./Story.ts"
import { all } from "./Unaimed.ts"

const lists: Array.NonEmptyReadonlyArray<string> = ["crew", "crew", "guests"]

const times = (count: number, effect: (n: number) => Effect.Effect<unknown>): ReadonlyArray<Effect.Effect<unknown>> =>
  globalThis.Array.from({ length: count }, (_, n) => effect(n))

/** A send, to a list for the most part. */
const sending = ({ chance, send }: World, n: number) => {
  const label = `call-${n}`
  const message = {
    to: chance.happens(0.8) ? { list_id: chance.pick(lists) } : chance.pick(people),
    content: { title: label, body: `canary-text ${label}` },
    data: { on: true },
    routing: chance.happens(0.5)
      ? { method: "single" as const, channels: ["email", "sms"] }
      : Routings.routing(chance),
    metadata: { trace_id: label }
  }
  return Effect.delay(send(message, { key: `key-${n}` }), chance.int(0, 20_000))
}

/** Somebody joins a list or leaves it. */
const changing = ({ chance, change }: World) => {
  const _tag = chance.happens(0.5) ? "Subscribe" : "Unsubscribe"
  const [listId, userId] = [chance.pick(lists), chance.pick(users)]
  return Effect.delay(change({ _tag, listId, userId }, 1), chance.int(0, 40_000))
}

/** Lists that change all the time while they are sent to. */
export const story: Story = (world) =>
  Effect.all([
    ...times(world.chance.int(3, 10), (n) => sending(world, n)),
    ...times(world.chance.int(5, 60), () => changing(world))
  ], { concurrency: "unbounded", discard: true })

/** A world whose store is often away, for one node mostly: it begins messages of a page before the page is stored. */
export const options = (seed: number): Options => {
  const chance = Chances.make(seed)
  return {
    ...Ordinary.options(seed),
    nodes: chance.happens(0.8) ? 1 : 3,
    faults: {
      ...all,
      kinds: [...all.kinds, "outage", "outage", "outage", "leave"],
      atMost: 12,
      within: 30_000,
      lostAnswers: chance.happens(0.5) ? 0.05 : all.lostAnswers
    }
  }
}
