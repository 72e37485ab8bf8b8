import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"

const ways = ["email", "sms", "inbox"]

/** Every order of some ways. */
const ordersOf = (left: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  left.flatMap((first) => [[first], ...ordersOf(left.filter((way) => way !== first)).map((rest) => [first, ...rest])])
const [one = [], ...others] = ordersOf(ways)
const orders: readonly [ReadonlyArray<string>, ...ReadonlyArray<ReadonlyArray<string>>] = [one, ...others]

const down = { _tag: "Refuse", after: 20, kind: "Unavailable", retryAfter: null } as const

/** People who are to hear of it in all of these ways. */
const story: Simulation.Story = (world) =>
  Effect.forEach(Array.from({ length: 8 }, (_, n) => n), (n) =>
    Effect.delay(
      world.send({
        to: { user_id: `user-${n}`, email: `${n}@example.com`, phone_number: `+1555010000${n}` },
        content: { title: "Hello", body: "World" },
        routing: { method: "all", channels: world.chance.pick(orders) }
      }, { key: `key-${n}` }),
      world.chance.int(0, 20_000)
    ), { concurrency: "unbounded" })

const reached: Simulation.Property = {
  story,
  complaints: ({ commits, deliveries, inbox, incidents, messages, requests }) => [
    // What is refused waits for the next sweep.
    ...commits.flatMap(({ messageId, result }) =>
      result === "Refused" && incidents.length === 0 ? [`a step of ${messageId} was refused`] : []
    ),
    ...requests.flatMap(({ message: { routing }, requestId }) => {
      if (requestId === undefined) return []
      const got = new Set([
        ...deliveries.flatMap(({ channel, messageId }) => messageId === requestId ? [channel] : []),
        ...inbox.flatMap(({ messageId }) => messageId === requestId ? ["inbox"] : [])
      ])
      const missed = (routing?.channels ?? []).filter((way) => typeof way === "string" && !got.has(way))
      const status = messages.find(({ id }) => id === requestId)?.status
      return [
        ...missed.map((way) => `${requestId} did not come by ${way}`),
        ...(status === "SENT" ? [] : [`${requestId} is ${status}`])
      ]
    })
  ]
}

const refused = { _tag: "Refuse", after: 20, kind: "RecipientRejected", retryAfter: null } as const

/** A number that nobody has does not hold up the mail, nor does the timeline promise another try. */
const told: Simulation.Property = {
  story: (world) =>
    world.send({
      to: { email: "ada@example.com", phone_number: "+15550100001" },
      content: { title: "Hello", body: "World" },
      routing: { method: "all", channels: ["email", "sms"] }
    }),
  complaints: ({ messages }) =>
    messages.flatMap(({ history, id, status }) => {
      const lines = history.flatMap(({ events }) => events).filter(({ channel }) => channel === "sms")
      const last = lines.at(-1)?.type
      return [
        ...(status === "SENT" ? [] : [`${id} is ${status}`]),
        ...(last === "UNDELIVERABLE" ? [] : [`the last of the SMS is ${last}`])
      ]
    })
}

/** The mail bounces while the text is being handed over, which takes ten seconds. */
const returned = (expected: string): Simulation.Property => ({
  story: Effect.fnUntraced(function*(world) {
    yield* world.send({
      to: { email: "ada@example.com", phone_number: "+15550100001" },
      content: { title: "Hello", body: "World" },
      routing: { method: "all", channels: ["email", "sms"] }
    })
    yield* Effect.sleep("5 seconds")
    const mail = world.calls.find(({ channel, taken }) => channel === "email" && taken)
    if (mail !== undefined) yield* world.report(mail, "Bounce")
  }),
  complaints: ({ messages, reports }) => [
    ...(reports.length === 1 ? [] : ["nothing was reported"]),
    ...messages.flatMap(({ id, status }) => status === expected ? [] : [`${id} is ${status}`])
  ]
})

describe("A routing to all of several channels", () => {
  for (
    const [name, faults] of Object.entries({ "nothing goes wrong": Faults.none, "nodes die and freeze": Faults.all })
  ) {
    it.effect(
      `P1: reaches each of them, in any order and through outages of vendors, when ${name}`,
      () =>
        Simulation.check(reached, {
          seeds: 60,
          faults,
          vendors: [
            { key: "mail", channel: "email", address: "email", script: [down, down, down] },
            { key: "text", channel: "sms", address: "phone_number", script: [down, down] }
          ]
        }),
      60_000
    )
  }

  it.effect("P6: is SENT by one of them although another is refused, and the timeline says which", () =>
    Simulation.check(told, {
      seeds: 5,
      faults: Faults.none,
      vendors: [
        { key: "mail", channel: "email", address: "email" },
        { key: "text", channel: "sms", address: "phone_number", script: [refused] }
      ]
    }))

  for (const [expected, kind] of [["UNDELIVERABLE", "RecipientRejected"], ["SENT", undefined]] as const) {
    it.effect(`P6: is ${expected} when one bounced while another was ${kind ?? "taken"}`, () =>
      Simulation.check(returned(expected), {
        seeds: 5,
        faults: Faults.none,
        vendors: [
          { key: "mail", channel: "email", address: "email" },
          {
            key: "text",
            channel: "sms",
            address: "phone_number",
            script: [kind === undefined ? { _tag: "Accept", after: 10_000 } : { ...refused, after: 10_000 }]
          }
        ]
      }))
  }
})
