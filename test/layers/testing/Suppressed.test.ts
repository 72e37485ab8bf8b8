import * as Simulation from "#layers/testing/Simulation.ts"
import * as Faults from "#layers/testing/Faults.ts"
import type { VendorOptions } from "#layers/testing/VendorOptions.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"

const vendors: ReadonlyArray<VendorOptions> = [
  { key: "mail", channel: "email", address: "email", rejects: ["gone@x.test"] },
  { key: "post", channel: "email", address: "email" },
  { key: "text", channel: "sms", address: "phone_number" }
]

const gone = { email: "gone@x.test", phone_number: "+15550100001" }

const send = (
  world: Simulation.World,
  key: string,
  channels: ReadonlyArray<string>,
  to: Parameters<Simulation.World["send"]>[0]["to"] = gone
) => world.send({ to, content: { title: "t", body: "b" }, routing: { method: "single", channels } }, { key })

const ended = (world: Simulation.World, id: string) =>
  Effect.suspend(() => {
    const status = world.stored.message(id)?.status
    return status === "SENT" || status === "UNDELIVERABLE" ? Effect.void : Effect.fail("not yet")
  }).pipe(Effect.retry(Schedule.spaced("1 second")))

describe("an address that a provider of a world refuses for good", () => {
  it("is sent to no more, by no provider; the message takes the next channel, or ends and says why", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      const { requestId = "" } = yield* send(world, "first", ["email"])
      yield* ended(world, requestId)
      yield* send(world, "second", ["email"])
      yield* send(world, "next", ["email", "sms"])
      yield* send(world, "other", ["email"], { email: "ada@x.test" })
    })
    const { calls, failure, messages, stored } = Simulation.run(1, story, { vendors, faults: Faults.none })
    assert.strictEqual(failure, undefined)
    const [first, second, next, other] = stored.messages()
    const error = "What was sent to the recipient's address for email has bounced"
    assert.deepInclude(first, { status: "UNDELIVERABLE", reason: "BOUNCED" })
    assert.deepInclude(second, { status: "UNDELIVERABLE", reason: "BOUNCED", error })
    assert.deepStrictEqual([next?.status, other?.status], ["SENT", "SENT"])
    const made = (id: string | undefined) =>
      calls.filter(({ messageId }) => messageId === id).map(({ provider }) => provider)
    const all = [first, second, next, other].map((message) => made(message?.id))
    assert.deepStrictEqual(all, [["mail"], [], ["text"], ["mail"]])
    const line = (id: string | undefined, type: string) =>
      messages.find((row) => row.id === id)?.history.flatMap(({ events }) => events).find((event) =>
        event.type === type
      )
    const suppressed = [{ channel: "email", reason: "BOUNCED" }] as const
    assert.deepInclude(line(next?.id, "ROUTED"), { suppressed })
    assert.deepInclude(line(second?.id, "UNDELIVERABLE"), { suppressed, reason: "BOUNCED", error })
    assert.notProperty(line(other?.id, "ROUTED"), "suppressed")
  })

  it("costs a call or two, whatever goes wrong beside it", () => {
    const story: Simulation.Story = (world) =>
      Effect.forEach(
        ["a", "b", "c", "d", "e"],
        (key) => Effect.andThen(send(world, key, ["email", "sms"]), Effect.sleep("10 seconds")),
        { discard: true }
      )
    let refused = 0
    for (let seed = 1; seed <= 20; seed++) {
      const { calls, failure, stored } = Simulation.run(seed, story, { vendors })
      assert.strictEqual(failure, undefined)
      for (const { status } of stored.messages()) assert.strictEqual(status, "SENT", `seed ${seed}`)
      refused += calls.filter(({ provider }) => provider === "mail").length
    }
    assert.isBelow(refused, 2 * 20)
  })
})

describe("what a provider of a world reports of an address", () => {
  const own: Simulation.Options = {
    faults: Faults.none,
    vendors: [
      { key: "mail", channel: "email", address: "email" },
      { key: "text", channel: "sms", address: "phone_number" }
    ]
  }

  /** How two messages end: one that the provider reports of, and the next to the same person. */
  const ends = (event: Parameters<Simulation.World["report"]>[1], channel: "email" | "sms") => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* send(world, "first", [channel])
      yield* Effect.sleep("1 minute")
      for (const call of world.calls) yield* world.report(call, event)
      yield* send(world, "second", [channel])
      yield* send(world, "third", [channel], { email: "GONE@x.test", phone_number: gone.phone_number })
    })
    const { failure, stored } = Simulation.run(1, story, own)
    assert.strictEqual(failure, undefined)
    return stored.messages().map(({ error, status }) => `${status} ${error ?? ""}`.trim())
  }

  it("suppresses it as the callbacks of a real provider do", () => {
    const why = (words: string) => `UNDELIVERABLE ${words}`
    const bounced = why("What was sent to the recipient's address for email has bounced")
    const complained = why("The recipient has complained of what was sent to the address for email")
    const left = why("The recipient has unsubscribed the address for email")
    assert.deepStrictEqual(ends("Bounce", "email"), ["UNDELIVERABLE", bounced, bounced])
    assert.deepStrictEqual(ends("SoftBounce", "email"), ["UNDELIVERABLE", "SENT", "SENT"])
    assert.deepStrictEqual(ends("Complain", "email"), ["SENT", complained, complained])
    assert.deepStrictEqual(ends("Unsubscribe", "email"), ["SENT", left, left])
    for (const event of ["Deliver", "Open", "Click"] as const)
      assert.deepStrictEqual(ends(event, "email").slice(1), ["SENT", "SENT"], event)
  })

  it("is told of mails alone: no vendor of text messages says that a number is dead", () => {
    assert.deepStrictEqual(ends("Bounce", "sms"), ["UNDELIVERABLE", "SENT", "SENT"])
    const complaining: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* send(world, "first", ["sms"])
      yield* Effect.sleep("1 minute")
      for (const call of world.calls) yield* world.report(call, "Complain")
    })
    assert.include(Simulation.run(1, complaining, own).failure, "A receipt tells of Complain for mails alone")
  })
})
