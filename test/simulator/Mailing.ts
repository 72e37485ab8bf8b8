import * as Chances from "#layers/testing/Chance.ts"
import type { BulkJob, Environment, Options, Story, World } from "#layers/testing/Simulation.ts"
import { type Array, Effect } from "effect"
import * as Changes from "./Changes.ts"
import { people, topic } from "./People.ts"
import * as Routings from "./Routings.ts"
import * as Ordinary from "./Story.ts"
import { all } from "./Unaimed.ts"

type User = BulkJob["users"][number]

/** To none of these can anything be sent. */
const nobody: Array.NonEmptyReadonlyArray<User> = [{}, { to: { list_id: "crew" } }, { profile: { nickname: "canary" } }]

/** A user of a job, as callers name one in one of several ways: some are named twice. */
const user = (chance: Chances.Chance): User => {
  if (chance.happens(0.08)) return chance.pick(nobody)
  const person = chance.pick(people)
  const { user_id: id, ...profile } = person
  if (typeof id !== "string") return chance.happens(0.5) ? { to: person } : { profile }
  return chance.happens(0.5) ? { to: person } : chance.happens(0.5) ? { recipient: id } : { recipient: id, profile }
}

const message = (chance: Chances.Chance, label: string): BulkJob["message"] => ({
  content: { title: label, body: `canary-text ${label}` },
  data: { on: true },
  routing: Routings.routing(chance),
  ...Routings.details(chance),
  metadata: { trace_id: label },
  ...(chance.happens(0.15) ? { delay: { duration: chance.int(100, 20_000) } } : {}),
  ...(chance.happens(0.4) ? { preferences: { subscription_topic_id: topic } } : {})
})

/** Where the reads of the world find it. */
export const placeOf = ({ scope }: BulkJob) => ({ environment: Number(scope) === 1 ? 1 : 2 } as const)

/** Somebody who looks now and then how far a job has come: who is told to have a message has one by then (I23). */
const watched = Effect.fnUntraced(function*({ chance, stored }: World, ran: BulkJob) {
  const place = placeOf(ran)
  for (let n = 0; n < 8; n++) {
    const told = stored.job(ran.jobId ?? "", place)?.users.flatMap(({ messageId }) => messageId ?? []) ?? []
    const missing = told.find((id) => stored.message(id, place) === undefined)
    if (missing !== undefined) return yield* Effect.die(`I23: ${ran.jobId} tells of ${missing}, which is not there`)
    yield* Effect.sleep(chance.int(1, 2_000))
  }
})

/** A bulk job; two workers may run the same one. */
export const job = Effect.fnUntraced(function*({ bulk, chance }: World, n: number) {
  const label = `job-${n}`
  const send = {
    message: message(chance, label),
    users: globalThis.Array.from({ length: chance.int(1, 12) }, () => user(chance))
  }
  const environment: Environment = chance.happens(0.2) ? 2 : 1
  if (chance.happens(0.25)) return yield* bulk(send, { environment })
  const options = { environment, key: label }
  if (chance.happens(0.7)) return yield* bulk(send, options)
  const again = Effect.delay(bulk(send, options), chance.int(0, 2_000))
  return (yield* Effect.all([bulk(send, options), again], { concurrency: 2 }))[0]
})

/** Bulk jobs, and people who are written to meanwhile. */
export const story: Story = (world) => {
  const { chance, send } = world
  const jobs = globalThis.Array.from(
    { length: chance.int(1, 5) },
    (_, n) => Effect.delay(Effect.flatMap(job(world, n), (ran) => watched(world, ran)), chance.int(0, 40_000))
  )
  const notes = globalThis.Array.from({ length: chance.int(0, 6) }, (_, n) =>
    Effect.delay(
      send(Ordinary.note(chance.pick(people), `note-${n}`), { key: `note-${n}` }),
      chance.int(0, 45_000)
    ))
  return Effect.all([...jobs, ...notes, ...Changes.under(world)], { concurrency: "unbounded", discard: true })
}

/** A world whose nodes and store fail often, in half of the cases of one node: it begins messages before their page is stored. */
export const options = (seed: number): Options => {
  const chance = Chances.make(seed)
  return {
    ...Ordinary.options(seed),
    nodes: chance.happens(0.5) ? 1 : 3,
    faults: {
      ...all,
      kinds: [...all.kinds, "crash", "rob", "outage", "outage", "lag"],
      atMost: 10,
      within: 50_000,
      lostAnswers: chance.happens(0.5) ? 0.05 : all.lostAnswers,
      moves: chance.happens(0.3) ? chance.next() * 0.5 : 0
    }
  }
}
