import { type DeliveryError, RecipientRejected, Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const home = "ada@example.com"

const toAll: Partial<Instructions> = {
  routing: { method: "all", channels: ["email"] },
  channels: { email: { routing_method: "all", providers: ["first", "second"] } }
}

/**
 * Who is called for a mail to all of these, of which the first says that it cannot be delivered, and what is told of it.
 * `before`: what the first calls are answered.
 */
const sent = Effect.fnUntraced(function*(
  invalidates: boolean,
  second: string,
  instructions: Partial<Instructions> = toAll,
  before: ReadonlyArray<DeliveryError> = []
) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const called: Array<string> = []
  const vendor = (key: string, address: string, answer: ReturnType<Vendor["send"]>): Vendor => ({
    _tag: "Vendor",
    key,
    channel: "email",
    reaches: () => true,
    addressOf: (_, { to }) => typeof to === "string" ? to : address,
    send: () => {
      const error = before[called.push(key) - 1]
      return error === undefined ? answer : Effect.fail(error)
    }
  })
  const taken = Effect.succeed({ reference: undefined })
  const vendors = [
    vendor("first", home, Effect.fail(new RecipientRejected({ detail: "5.1.1", invalidates }))),
    vendor("second", second, taken)
  ]
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors })
  const id = Fixture.id(place.at)
  yield* node.accept(Fixture.message(place, {
    id,
    requestId: id,
    recipient: { email: home },
    instructions: { content: { title: "t", body: "b" }, ...instructions }
  }))
  yield* cluster.settle
  yield* cluster.finish([place.shard])
  const log = yield* MessageLog
  const { error, reason, status } = yield* log.get(place.scope, id)
  const lines = (yield* log.history(place.scope, id)).flatMap(({ error, provider, type }) =>
    type === "UNDELIVERABLE" && provider === "second" ? [error] : []
  )
  return { called, status, reason, error, lines }
}, Effect.scoped)

describe("A message to all providers of a channel, of which the first has told that the address is dead", () => {
  it.effect("is not given to another that would call it, and its timeline says why", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sent(true, home), {
        called: ["first"],
        status: "UNDELIVERABLE",
        reason: "BOUNCED",
        error: "5.1.1",
        lines: ["Not called: another provider has told that the address is dead"]
      })
    }).pipe(Effect.provide(memory.shared)))

  it.effect("is given to one that calls another address, or if the first one only refused it", () =>
    Effect.gen(function*() {
      for (const found of [yield* sent(true, "ada@work.example"), yield* sent(false, home)]) {
        assert.deepInclude(found, { called: ["first", "second"], status: "SENT", lines: [] })
      }
    }).pipe(Effect.provide(memory.shared)))

  it.effect("is given to it once more where its routing has it call elsewhere", () =>
    Effect.gen(function*() {
      const routing = {
        method: "all",
        channels: [{ provider: "first" }, { provider: "second" }, {
          provider: "second",
          override: { to: "ada@work.example" }
        }]
      } as const
      const found = yield* sent(true, home, { routing })
      assert.deepInclude(found, { called: ["first", "second"], status: "SENT" })
      assert.strictEqual(found.lines.length, 1)
    }).pipe(Effect.provide(memory.shared)))

  it.effect("is given to one again that may have it by now: nobody knows", () =>
    Effect.gen(function*() {
      const before = [new Unavailable({ detail: "503" }), new Unknown({ detail: "no answer" })] as const
      assert.deepInclude(yield* sent(true, home, toAll, before), {
        called: ["first", "second", "first", "second"],
        status: "SENT",
        lines: []
      })
    }).pipe(Effect.provide(memory.shared)))
})
