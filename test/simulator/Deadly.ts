import * as Chances from "#layers/testing/Chance.ts"
import type { Cue } from "#layers/testing/Cue.ts"
import type { Options, Story, World } from "#layers/testing/Simulation.ts"
import { Effect } from "effect"
import * as Mailing from "./Mailing.ts"
import { people } from "./People.ts"
import * as Ordinary from "./Story.ts"
import { all } from "./Unaimed.ts"

const poison = "poison"

/** Looks every so often, until something is so; gives up after ten minutes. */
const until = (ms: number, look: Effect.Effect<boolean>): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    for (let n = 0; n < 600_000 / ms; n++) {
      if (yield* look) return true
      yield* Effect.sleep(ms)
    }
    return false
  })

/** A message whose node dies at each of its calls, until it is set aside; then somebody sends it again, which harms nobody. */
const message = Effect.fnUntraced(function*({ calls, chance, resend, send, stored, strike }: World) {
  const { requestId } = yield* send(Ordinary.note(chance.pick(people), poison), { key: poison })
  if (requestId === undefined) return
  let seen = 0
  const isOver = yield* until(
    100,
    Effect.gen(function*() {
      for (; seen < calls.length; seen++) {
        const call = calls[seen]
        if (call?.messageId === requestId) yield* strike("crash", call.node)
      }
      const status = stored.message(requestId)?.status
      return status !== "ENQUEUED" && status !== "ROUTED"
    })
  )
  if (isOver) yield* resend(requestId, { key: "again" })
})

/** A bulk job whose node dies at each of its pages, until it is set aside; then an operator lets it go on. */
const job = Effect.fnUntraced(function*(world: World) {
  const { change, commits, stored, strike } = world
  const ran = yield* Mailing.job(world, 9)
  const { jobId = "", requestId } = ran
  if (requestId === undefined) return
  const place = Mailing.placeOf(ran)
  let seen = 0
  const isOver = yield* until(
    20,
    Effect.gen(function*() {
      for (; seen < commits.length; seen++) {
        const commit = commits[seen]
        // Of a try that begins: a page has its messages besides.
        const isBegun = commit?.kind === "page" && commit.messageId === requestId && commit.result === "Written" &&
          commits[seen + 1]?.kind !== "page"
        if (isBegun) yield* strike("crash", commit.node)
      }
      return stored.request(requestId, place)?.state !== "RUNNING"
    })
  )
  if (!isOver || stored.request(requestId, place)?.state !== "FAILED") return
  const told = stored.job(jobId, place)
  if (told?.status !== "ERROR" || told.users.some(({ status }) => status === "PENDING"))
    return yield* Effect.die(`I23: ${jobId} was set aside, and is told as ${told?.status}, with users who wait`)
  yield* change({ _tag: "Resume", requestId }, place.environment)
})

/** What kills, and people who are written to meanwhile. */
export const story: Story = (world) => {
  const { chance, send } = world
  const notes = Array.from({ length: chance.int(2, 8) }, (_, n) =>
    Effect.delay(
      send(Ordinary.note(chance.pick(people), `note-${n}`), { key: `note-${n}` }),
      chance.int(0, 90_000)
    ))
  const deadly = chance.happens(0.5) ? message(world) : job(world)
  return Effect.all([...notes, Effect.delay(deadly, chance.int(2_000, 8_000))], {
    concurrency: "unbounded",
    discard: true
  })
}

/** Providers that take what kills so slowly that its node dies before it hears of it; few other faults, of one node for the most part. */
export const options = (seed: number): Options => {
  const chance = Chances.make(seed)
  const slowly: Cue = { _tag: "Accept", after: 2_000 }
  const ordinary = Ordinary.options(seed)
  return {
    ...ordinary,
    nodes: chance.happens(0.6) ? 1 : 3,
    shards: chance.int(1, 2),
    faults: { ...all, kinds: ["outage", "rob", "lag"], atMost: 2 },
    vendors: (ordinary.vendors ?? []).map((vendor) => ({
      ...vendor,
      answers: ({ text }) => text.includes(`canary-text ${poison}`) ? slowly : undefined
    }))
  }
}
