import * as Faults from "#layers/testing/Faults.ts"
import type { Call, History } from "#layers/testing/History.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Escalation from "#src/delivery/attempts/Escalation.ts"
import { shortWait } from "#src/delivery/RetryPolicy.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const after = 600_000

/** No jumps of the clock: ten minutes would not be ten minutes. */
const failures: Faults.Faults = { ...Faults.all, kinds: ["crash", "freeze", "rob", "leave", "outage"] }

const criteria = ["delivered", "viewed", "engaged"] as const
const events = ["Nothing", "Bounce", "Deliver", "Open", "Click"] as const
type Event = (typeof events)[number]

/** What recipients do with a mail, and for which criteria it is enough. */
const deeds: Readonly<Record<Event, ReadonlyArray<string>>> = {
  Nothing: [],
  Bounce: [],
  Deliver: ["delivered"],
  Open: ["delivered", "viewed"],
  Click: ["delivered", "viewed", "engaged"]
}

const mailOf = Effect.fnUntraced(function*(world: Simulation.World, requestId: string) {
  for (let n = 0; n < 1_000; n++) {
    const call = world.calls.find((one) => one.messageId === requestId && one.channel === "email" && one.taken)
    if (call !== undefined) return call
    yield* Effect.sleep(1_000)
  }
  return undefined
})

/** A mail, a text if nobody minds the mail in time, and a line in the inbox if nobody minds that. */
const doing = Effect.fnUntraced(function*(world: Simulation.World, n: number) {
  const { chance } = world
  const { requestId } = yield* world.send({
    to: { user_id: `user-${n}`, email: `${n}@example.com`, phone_number: `+1555010000${n}` },
    content: { title: "Hello", body: "World" },
    routing: { method: "single", channels: ["email", "sms", "inbox"] },
    timeout: { criteria: chance.pick(criteria), escalation: after }
  }, { key: `key-${n}` })
  const event = chance.pick(events)
  if (requestId === undefined || event === "Nothing") return
  const call = yield* mailOf(world, requestId)
  if (call !== undefined) yield* Effect.delay(world.report(call, event), chance.int(0, 120_000))
})

const story: Simulation.Story = (world) =>
  Effect.forEach(
    Array.from({ length: 8 }, (_, n) => n),
    (n) => Effect.delay(doing(world, n), world.chance.int(0, 20_000)),
    {
      concurrency: "unbounded"
    }
  )

const first = (calls: ReadonlyArray<Call>, messageId: string, channel: string): Call | undefined =>
  calls.find((call) => call.messageId === messageId && call.channel === channel && call.taken)

const complaints = ({ calls, inbox, incidents, messages, reports, requests }: History): ReadonlyArray<string> =>
  requests.flatMap(({ message, requestId = "" }) => {
    const mail = first(calls, requestId, "email")
    const text = first(calls, requestId, "sms")
    const isInApp = inbox.some(({ messageId }) => messageId === requestId)
    const report = reports.find(({ messageId, takenAt }) => messageId === requestId && takenAt !== undefined)
    if (mail === undefined) return [`${requestId} was not mailed`]
    const event = events.find((one) => one === report?.event) ?? "Nothing"
    const since = event === "Bounce" && report?.takenAt !== undefined ? report.at : mail.calledAt + after
    if (text !== undefined && text.calledAt < since) return [`${requestId} was texted too early`]
    if (text !== undefined && incidents.length === 0 && text.calledAt > since + 30_000) {
      return [`${requestId} was texted too late`]
    }
    const isMet = deeds[event].includes(message.timeout?.criteria ?? "")
    const status = messages.find(({ id }) => id === requestId)?.status
    return [
      ...(isMet && (text !== undefined || isInApp) ? [`${requestId} was escalated after ${event}`] : []),
      ...(isMet || (text !== undefined && isInApp) ? [] : [`${requestId} was not escalated after ${event}`]),
      ...(status === "UNDELIVERABLE" && (event !== "Bounce" || incidents.length === 0)
        ? [`${requestId} is ${status} after ${event}`]
        : [])
    ]
  })

describe("timeout.escalation", () => {
  it("is asked for by a criterion that there is and a time, and is never so short that no receipt could be heard", () => {
    const of = (timeout: NonNullable<Instructions["timeout"]>) => Escalation.asked({ timeout })
    assert.deepStrictEqual(of({ criteria: "viewed", escalation: 5_000 }), { criteria: "viewed", after: 5_000 })
    assert.deepStrictEqual(of({ criteria: "viewed", escalation: 1 }), { criteria: "viewed", after: shortWait + 1 })
    assert.isUndefined(of({ criteria: "no-escalation", escalation: 5_000 }))
    for (const escalation of [0, null, undefined]) assert.isUndefined(of({ criteria: "viewed", escalation }))
    assert.isUndefined(of({ escalation: 5_000 }))
    assert.isUndefined(Escalation.asked({}))
  })

  for (
    const [name, faults] of Object.entries({ "nothing goes wrong": Faults.none, "nodes die and freeze": failures })
  ) {
    it.effect(
      `a message goes on to its next channel, at its time, just when the last did not bring what is asked for, and ${name}`,
      () =>
        Simulation.check({ story, complaints }, {
          seeds: 60,
          faults,
          vendors: [
            { key: "mail", channel: "email", address: "email" },
            { key: "text", channel: "sms", address: "phone_number" }
          ]
        }),
      60_000
    )
  }
})
