import * as Chances from "#layers/testing/Chance.ts"
import type { Given, Options, Story, World } from "#layers/testing/Simulation.ts"
import type { LimitPath, SendLimit } from "#schemas/SendLimit.ts"
import { type Array, Effect } from "effect"
import { given as everywhere, people, topic, users } from "./People.ts"
import * as Ordinary from "./Story.ts"
import { all } from "./Unaimed.ts"

/** Some of these limits are in force, over stretches of time that no world leaves: neither its clock nor its faults reach the next week. */
const kinds: Array.NonEmptyReadonlyArray<LimitPath> = [
  "user/week",
  "user/month",
  "user_topic/week",
  "topic/month",
  "global/month",
  "tenant/week"
]

const limits = (chance: Chances.Chance): NonNullable<Given["limits"]> => {
  const of = (path: LimitPath): SendLimit => ({
    limit: chance.int(path.startsWith("user") ? 1 : 3, path.startsWith("user") ? 4 : 12),
    ...(path.startsWith("user/") && chance.happens(0.3)
      ? { overrides: { [chance.pick(users)]: chance.int(0, 6) } }
      : {}),
    ...(chance.happens(0.2) ? { excluded_topics: [topic] } : {})
  })
  return Object.fromEntries(
    globalThis.Array.from({ length: chance.int(1, 3) }, () => chance.pick(kinds)).map((path) => [path, of(path)])
  )
}

/** A send to somebody, or to a list, about a topic or not. */
const sending = ({ chance, send }: World, n: number) => {
  const label = `call-${n}`
  const person = chance.pick(people)
  const message = {
    ...Ordinary.note(person, label),
    ...(chance.happens(0.3) ? { to: { list_id: chance.happens(0.5) ? "crew" : "guests" } } : {}),
    ...(chance.happens(0.5) ? { preferences: { subscription_topic_id: topic } } : {}),
    ...(chance.happens(0.2) ? { delay: { duration: chance.int(100, 20_000) } } : {})
  }
  return Effect.delay(
    send(message, { key: `key-${n}`, environment: chance.happens(0.1) ? 2 : 1 }),
    chance.int(0, 30_000)
  )
}

/** Limits from the beginning on, and more messages than they let through. */
export const story: Story = (world) =>
  Effect.all(
    globalThis.Array.from({ length: world.chance.int(8, 30) }, (_, n) => sending(world, n)),
    { concurrency: "unbounded", discard: true }
  )

/** A world whose nodes and store fail often while messages are counted. */
export const options = (seed: number): Options => {
  const chance = Chances.make(seed)
  return {
    ...Ordinary.options(seed),
    given: {
      ...everywhere,
      tenants: { acme: { name: "Acme", members: ["cleo", "dan", "eve"] } },
      limits: limits(chance)
    },
    nodes: chance.happens(0.4) ? 1 : 3,
    faults: {
      ...all,
      kinds: ["crash", "crash", "freeze", "rob", "leave", "outage", "outage", "lag"],
      atMost: 10,
      within: 50_000,
      lostAnswers: chance.happens(0.5) ? 0.05 : all.lostAnswers,
      moves: chance.happens(0.3) ? chance.next() * 0.5 : 0
    }
  }
}
