import * as Arbitraries from "#layers/testing/Arbitraries.ts"
import * as Chances from "#layers/testing/Chance.ts"
import type { Request } from "#layers/testing/History.ts"
import type { Environment, Options, Story, World } from "#layers/testing/Simulation.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import { Arbitrary, type Array, Effect } from "effect"
import * as Changes from "./Changes.ts"
import { given, people, topic } from "./People.ts"
import * as Routings from "./Routings.ts"
import { all } from "./Unaimed.ts"

type Send = typeof SendMessage.Encoded

const criteria = ["delivered", "viewed", "engaged"] as const

/** The simulated Monday begins at eight: some of these are open, some open soon, and one says nothing. */
const hours: Array.NonEmptyReadonlyArray<string> = [
  "Mo-Fr 08:00-17:00",
  "Mo-Fr 08:01-17:00",
  "Mo 08:02-08:03; Mo-Su 09:30-10:00",
  "Mo 07:00-08:00; Mo-Su 08:30-09:00",
  "2026-01-05T08:01:30Z",
  "2026-01-04T08:00:00Z",
  "some time"
]

const delay = (chance: Chances.Chance): NonNullable<Send["delay"]> =>
  chance.happens(0.7) ? { duration: chance.int(100, 20_000) } : { until: chance.pick(hours) }

/** Some are over before a call is, and some outlast everything. */
const time = (chance: Chances.Chance): number =>
  chance.happens(0.2)
    ? chance.int(1, 1_500)
    : chance.happens(0.2)
    ? chance.int(60_000, 3_600_000)
    : chance.int(1_500, 60_000)

const timeout = (chance: Chances.Chance): NonNullable<Send["timeout"]> => ({
  ...(chance.happens(0.3) ? { message: time(chance) } : {}),
  ...(chance.happens(0.6) ? { criteria: chance.pick(criteria), escalation: time(chance) } : {}),
  ...(chance.happens(0.2) ? { channel: chance.happens(0.5) ? time(chance) : { email: time(chance) } } : {}),
  ...(chance.happens(0.2) ? { provider: chance.happens(0.5) ? time(chance) : { mail: time(chance) } } : {})
})

const few = (chance: Chances.Chance): ReadonlyArray<Recipient> => {
  const from = chance.int(0, people.length - 2)
  return people.slice(from, from + chance.int(2, 5))
}

/** Lists are met by themselves, together with another one, and together with somebody who may be on them. */
const groups: Array.NonEmptyReadonlyArray<Send["to"]> = [
  { list_id: "crew" },
  { list_id: "guests" },
  [{ list_id: "crew" }, { list_id: "guests" }],
  [{ list_id: "guests" }, { user_id: "eve" }]
]

/** What a random user says: sensible for the most part, since what ends at the first stage finds no bug behind it. */
const message = (chance: Chances.Chance, label: string): Send => ({
  to: chance.happens(0.06) ? chance.pick(groups) : chance.happens(0.04) ? few(chance) : chance.pick(people),
  content: { title: label, body: `canary-text ${label}` },
  data: { on: true },
  routing: Routings.routing(chance),
  ...Routings.details(chance),
  metadata: { trace_id: label, ...(chance.happens(0.05) ? { tags: ["otp"] } : {}) },
  ...(chance.happens(0.15) ? { delay: delay(chance) } : {}),
  ...(chance.happens(0.2) ? { timeout: timeout(chance) } : {}),
  ...(chance.happens(0.05) ? { expiry: { expires_in: time(chance) } } : {}),
  ...(chance.happens(0.5) ? { preferences: { subscription_topic_id: topic } } : {})
})

const strange = Arbitraries.sendsTo(people)

const after = (request: Request, work: (requestId: string) => Effect.Effect<unknown>) =>
  request.requestId === undefined ? Effect.void : work(request.requestId)

/** One user's doing: a send, perhaps again with the same key at the same time, perhaps cancelled. */
const doing = Effect.fnUntraced(function*(world: World, n: number) {
  const { chance } = world
  const label = `call-${n}`
  const environment: Environment = chance.happens(0.2) ? 2 : 1
  const options = chance.happens(0.75) ? { environment, key: `key-${n}` } : { environment }
  const said = chance.happens(0.1)
    ? { ...(yield* world.draw(strange)), metadata: { trace_id: label }, delay: undefined }
    : message(chance, label)
  const sent = world.send(said, options)
  if (options.key !== undefined && chance.happens(0.25)) {
    yield* Effect.all([sent, Effect.delay(world.send(said, options), chance.int(0, 300))], { concurrency: 2 })
    return
  }
  const request = yield* sent
  // A key that is used again for something else gets the first answer, and nothing else happens.
  if (options.key !== undefined && chance.happens(0.06)) {
    yield* world.send(
      { ...message(chance, label), to: said.to, content: { title: "another", body: "another" } },
      options
    )
  }
  for (const most of [4_000, 90_000]) {
    if (!chance.happens(0.1)) continue
    yield* Effect.sleep(chance.int(0, most))
    yield* after(request, (id) => world.cancel(id, environment))
  }
  if (chance.happens(0.06)) yield* after(request, (id) => again(world, n, id, environment))
})

/** A resend a while later: of this message, or of whatever went out last. */
const again = Effect.fnUntraced(function*(world: World, n: number, id: string, environment: Environment) {
  const { chance } = world
  yield* Effect.sleep(chance.int(0, 20_000))
  const other = world.calls.findLast(({ scope }) => scope === environment)?.messageId
  const messageId = chance.happens(0.5) ? other ?? id : id
  yield* world.resend(messageId, chance.happens(0.75) ? { environment, key: `again-${n}` } : { environment })
})

const events = ["Deliver", "Deliver", "Open", "Click", "SoftBounce"] as const

/** Providers that report of some of what they took, soon or late; also of what broke, and that something bounced which they had refused. */
const reporting = Effect.fnUntraced(function*(world: World) {
  const { chance } = world
  for (let seen = 0, turn = 0; turn < 24; turn++) {
    yield* Effect.sleep(chance.happens(0.3) ? chance.int(1, 500) : 4_000)
    for (; seen < world.calls.length; seen++) {
      const call = world.calls[seen]
      if (call === undefined) continue
      if (call.taken && chance.happens(0.2)) yield* world.report(call, chance.pick(events))
      else if (!call.taken && call.heard === "refused" && chance.happens(0.05)) yield* world.report(call, "SoftBounce")
    }
  }
})

/** A message of somebody who writes to one person, by its label, in which their order is seen. */
export const note = (to: (typeof people)[number], label: string): Parameters<World["send"]>[0] => ({
  to,
  content: { title: label, body: `canary-text ${label}` },
  data: { on: true },
  routing: { method: "single", channels: ["email", "sms"] },
  metadata: { trace_id: label }
})

/** Somebody who writes to one person again and again, each time as soon as the last was answered: nothing else shows so well who is first (I5). */
const writing = Effect.fnUntraced(function*({ send }: World, own: Chances.Chance, chain: number) {
  yield* Effect.sleep(own.int(0, 50_000))
  const to = own.pick(people)
  const count = own.int(3, 6)
  for (let n = 0; n < count; n++) {
    const label = `chain-${chain}-${n}`
    yield* send(note(to, label))
  }
})

/** Providers that report, some seconds later, of what they took though the connection broke. */
const confirming = Effect.fnUntraced(function*({ calls, report }: World, own: Chances.Chance) {
  for (let seen = 0, turn = 0; turn < 12; turn++) {
    yield* Effect.sleep(own.int(1_000, 12_000))
    for (; seen < calls.length; seen++) {
      const call = calls[seen]
      if (call?.taken === true && call.heard === "lost" && own.happens(0.7)) yield* report(call, "Deliver")
    }
  }
})

/** In some worlds. What they do has a chance of its own, so that all other worlds are as they would be without them. */
const writers = (world: World, seed: number): ReadonlyArray<Effect.Effect<void>> => {
  const own = Chances.make(seed)
  if (!own.happens(0.15)) return []
  const chains = globalThis.Array.from({ length: own.int(1, 3) }, (_, chain) => writing(world, own, chain))
  return [...chains, confirming(world, Chances.make(-seed))]
}

/** Users who come in bursts within a minute, so that they meet each other and what goes wrong. */
export const story: Story = (world) =>
  Effect.gen(function*() {
    const { chance } = world
    const sends = chance.int(4, 12)
    const bursts = globalThis.Array.from({ length: chance.int(1, 4) }, () => chance.int(0, 50_000))
    const users = globalThis.Array.from({ length: sends }, (_, n) =>
      Effect.delay(doing(world, n), (bursts[n % bursts.length] ?? 0) + chance.int(0, 1_500)))
    yield* Effect.all([...users, ...Changes.under(world), reporting(world), ...writers(world, bursts[0] ?? 0)], {
      concurrency: "unbounded",
      discard: true
    })
  })

/** The outside world of a seed. */
export const options = (seed: number): Options => {
  const chance = Chances.make(-seed)
  // Whose calls outlast drains, so that a shard may be back at its node while a call that was begun there goes on.
  const isSlow = seed % 20 === 10
  const script = () => {
    const [cues = []] = chance.happens(0.35)
      ? []
      : Effect.runSync(Arbitrary.sampleEffect(Arbitraries.scripts, { count: 1, seed: chance.int(0, 1e9) }))
    return isSlow ? cues.map((cue) => ({ ...cue, after: 2 * cue.after })) : cues
  }
  return {
    nodes: chance.happens(0.1) ? 1 : 3,
    shards: chance.int(1, 4),
    faults: {
      ...all,
      // Whose store often does not answer, and whose nodes hand over again what they were given.
      lostAnswers: seed % 10 === 4 ? 0.04 : all.lostAnswers,
      moves: chance.happens(0.12) ? chance.next() * 0.8 : isSlow ? 0.5 : 0
    },
    given,
    vendors: [
      { key: "mail", channel: "email", address: "email", folds: true, script: script(), deadline: Infinity },
      { key: "post", channel: "email", address: "email", script: script(), deadline: Infinity },
      { key: "text", channel: "sms", address: "phone_number", script: script(), deadline: Infinity },
      { key: "ring", channel: "push", address: "ring", script: script(), deadline: Infinity }
    ]
  }
}
