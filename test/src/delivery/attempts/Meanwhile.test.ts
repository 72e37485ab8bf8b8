import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { Misconfigured, Unknown } from "#schemas/DeliveryError.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Journal, type Observed } from "#src/delivery/Journal.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const door = memory.node.pipe(Layer.provide(Handover.layer))

/** The providers that are called for a message, within two minutes; while the second of them has it, this event is told. */
const called = Effect.fnUntraced(function*(
  instructions: Instructions,
  { first, told }: { readonly first: Unknown | undefined; readonly told: Pick<Observed, "call" | "event"> }
) {
  const place = yield* EngineNode.place
  const { at, scope } = place
  const cluster = yield* EngineNode.make(memory.node)
  const shared = yield* Effect.context<Layer.Services<typeof door>>()
  const id = Fixture.id(at)
  const calls: Array<string> = []
  const second = Effect.gen(function*() {
    const history = { type: "DELIVERED" as const, ts: yield* Clock.currentTimeMillis }
    yield* Journal.use((journal) => journal.observe({ scope, id, history, ...told }))
    return yield* new Misconfigured({ detail: "no" })
  }).pipe(Effect.provide(door), Effect.provideContext(shared), Effect.catchTag("MessageNotFound", Effect.die))
  const vendor = (key: string, channel: string): Vendor => ({
    _tag: "Vendor",
    key,
    channel,
    reaches: () => true,
    send: () => {
      calls.push(key)
      if (calls.length === 2) return Effect.catchTag(second, "StoreUnavailable", Effect.die)
      return calls.length === 1 && first !== undefined ? first : Effect.succeed({ reference: undefined })
    }
  })
  const vendors = [vendor("mail", "email"), vendor("text", "sms"), vendor("other", "sms")]
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors })
  const content = { title: "t", body: "b" }
  yield* node.accept(Fixture.message(place, { id, requestId: id, instructions: { content, ...instructions } }))
  for (let second = 0; second < 120; second++) {
    yield* cluster.settle
    yield* TestClock.adjust("1 second")
  }
  return calls
}, Effect.scoped)

const routing = { method: "single" as const, channels: ["email", "sms"] }

describe("What is heard of a message while a call for it fails", () => {
  it.effect("P4: an earlier call that nobody knew of was taken: no other provider is called", () =>
    Effect.gen(function*() {
      const first = new Unknown({ detail: "silence" })
      const told = { event: "Deliver" as const, call: { providers: ["mail"], number: 1 } }
      assert.deepStrictEqual(yield* called({ routing }, { first, told }), ["mail", "mail"])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("its recipient has it as was asked for: it goes no further", () =>
    Effect.gen(function*() {
      const timeout = { criteria: "viewed" as const, escalation: 60_000 }
      const told = (event: "Deliver" | "Open") => ({ first: undefined, told: { event, call: { providers: ["mail"] } } })
      assert.deepStrictEqual(yield* called({ routing, timeout }, told("Open")), ["mail", "text"])
      assert.deepStrictEqual(yield* called({ routing, timeout }, told("Deliver")), ["mail", "text", "other"])
    }).pipe(Effect.provide(memory.shared)))
})

describe("What is heard of a message while it waits in its recipient's mailbox to be tried again", () => {
  for (const event of ["Deliver", "Open", "Bounce"] as const) {
    it(`P4: a receipt (${event}) tells that it was taken: it is not sent again`, () => {
      const history = Simulation.run(
        1,
        Effect.fnUntraced(function*({ calls, report, send }) {
          const say = (title: string) => send({ to: { phone_number: "+15550100001" }, content: { title, body: "b" } })
          yield* say("first")
          yield* Effect.sleep("1 second")
          yield* say("second")
          // Of the first nobody knows; it is tried again behind the second, whose call takes until then.
          yield* Effect.sleep("10 seconds")
          for (const call of calls.slice(0, 1)) yield* report(call, event)
        }),
        {
          nodes: 1,
          faults: Faults.none,
          vendors: [{
            key: "text",
            channel: "sms",
            address: "phone_number",
            deadline: Infinity,
            script: [{ _tag: "Lose", after: 20, taken: true, proved: false }, { _tag: "Accept", after: 20_000 }]
          }]
        }
      )
      const [first, second] = history.messages.toSorted((a, b) => a.seq - b.seq)
      const status = { Deliver: "DELIVERED", Open: "OPENED", Bounce: "UNDELIVERABLE" }[event]
      assert.deepStrictEqual(history.calls.map(({ messageId }): string | undefined => messageId), [
        first?.id,
        second?.id
      ])
      assert.deepStrictEqual([first?.status, second?.status, history.drained], [status, "SENT", true])
    })
  }

  for (const [event, expected] of [["Open", ["mail", "mail"]], ["Deliver", ["mail", "mail", "text"]]] as const) {
    it(`a receipt (${event}) tells whether its recipient has it as was asked for, before it goes to the next channel`, () => {
      const timeout = { criteria: "viewed", escalation: 60_000 } as const
      const { calls, messages } = Simulation.run(
        1,
        Effect.fnUntraced(function*({ calls, report, send }) {
          const to = { email: "ada@rcpt.test", phone_number: "+15550100001" }
          const content = { title: "t", body: "b" }
          yield* send({ to, content, routing, timeout })
          yield* Effect.sleep("50 seconds")
          yield* send({ to, content, routing })
          // The first is to go on behind the second, whose call takes until then.
          yield* Effect.sleep("20 seconds")
          for (const call of calls.slice(0, 1)) yield* report(call, event)
        }),
        {
          nodes: 1,
          faults: Faults.none,
          vendors: [
            {
              key: "mail",
              channel: "email",
              address: "email",
              deadline: Infinity,
              script: [{ _tag: "Accept", after: 20 }, { _tag: "Accept", after: 30_000 }]
            },
            { key: "text", channel: "sms", address: "phone_number" }
          ]
        }
      )
      assert.deepStrictEqual(calls.map(({ provider }) => provider), [...expected])
      const status = { Deliver: "DELIVERED", Open: "OPENED" }[event]
      assert.sameMembers(messages.map((message): string => message.status), [status, "SENT"])
    })
  }
})

describe("What is heard of an earlier call while the intent of another is written", () => {
  it("is no failed try of the other's provider, which is called", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { calls } = Simulation.run(
        seed,
        Effect.fnUntraced(function*({ calls, report, send, strike }) {
          const to = { email: "ada@rcpt.test", phone_number: "+15550100001" }
          yield* strike("lag")
          yield* send({
            to,
            content: { title: "t", body: "b" },
            routing: { method: "all", channels: ["email", "sms"] },
            timeout: { provider: { text: 1_000 } }
          })
          for (let time = 0; time < 100 && calls[0]?.heard === undefined; time++) yield* Effect.sleep(100)
          for (const call of calls.slice(0, 1)) {
            for (let time = 0; time < 20; time++) yield* Effect.andThen(report(call, "Deliver"), Effect.sleep(500))
          }
        }),
        {
          nodes: 1,
          faults: Faults.none,
          vendors: [
            {
              key: "mail",
              channel: "email",
              address: "email",
              script: [{ _tag: "Lose", after: 20, taken: true, proved: false }]
            },
            { key: "text", channel: "sms", address: "phone_number" }
          ]
        }
      )
      assert.include(calls.map(({ provider }) => provider), "text", `seed ${seed}`)
    }
  })
})
