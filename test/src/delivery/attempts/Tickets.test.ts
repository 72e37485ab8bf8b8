import * as PushTicketsMemory from "#layers/memory/PushTickets.ts"
import { Unavailable } from "#schemas/DeliveryError.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { firstAsked, PushTickets } from "#src/reports/PushTickets.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const ticket = { id: "ticket", service: "expo", address: "token" }

describe("Tickets", () => {
  it.effect("P4: a push's tickets are stored under the attempt that gave them, and under no other", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      let calls = 0
      const phones: Vendor = {
        _tag: "Vendor",
        key: "phones",
        channel: "push",
        reaches: () => true,
        send: () =>
          Effect.suspend(() =>
            ++calls === 2
              ? Effect.succeed({ reference: "ticket", tickets: [ticket] })
              : Effect.fail(new Unavailable({ detail: "down" }))
          )
      }
      const mail: Vendor = {
        _tag: "Vendor",
        key: "mail",
        channel: "email",
        reaches: () => true,
        send: () => Effect.succeed({ reference: "mail" })
      }
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => [phones, mail] })
      const routing = { method: "all" as const, channels: ["push", "email"] }
      const { instructions } = Fixture.message(place)
      const message = Fixture.message(place, {
        recipient: { email: "ada" },
        instructions: { ...instructions, routing }
      })
      yield* node.accept(message)
      yield* cluster.finish([place.shard])
      yield* TestClock.adjust(firstAsked)
      const rows = yield* PushTickets.use(({ take }) => take(10)).pipe(Effect.provide(PushTicketsMemory.layer))
      assert.deepStrictEqual(
        rows.map(({ attempt, messageId, provider, tickets }) => ({ attempt, messageId, provider, tickets })),
        [{ attempt: 3, messageId: message.id, provider: "phones", tickets: [ticket] }]
      )
      assert.strictEqual(calls, 2)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
