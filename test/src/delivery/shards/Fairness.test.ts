import type { NewMessage } from "#src/delivery/Journal.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"

const crowd = 2_000
/** How long a provider takes for one of the crowd, in ms. */
const slow = 10_000

describe("Tenants by turns", () => {
  it.effect.each(["another tenant", "another environment"])(
    "%s's single message starts at once, behind two thousand of one tenant in the same lane",
    (whose) =>
      Effect.gen(function*() {
        const first = yield* Fixture.world
        yield* TestClock.setTime(first.at)
        const starts = new Map<string, number>()
        const cluster = yield* EngineNode.make(memory.node)
        const node = yield* cluster.start({
          shards: [first.shard],
          vendors: () => [{
            _tag: "Vendor",
            key: "slow",
            channel: "email",
            reaches: () => true,
            send: ({ messageId }) =>
              Clock.currentTimeMillis.pipe(
                Effect.map((at) => starts.set(messageId, at)),
                Effect.andThen(Effect.sleep(slow)),
                Effect.as({ reference: undefined })
              )
          }]
        })
        yield* cluster.settle
        const send = Effect.fnUntraced(function*(name: string, more: Partial<NewMessage>) {
          const at = yield* Clock.currentTimeMillis
          const message = Fixture.message({ ...first, at }, {
            lane: "bulk",
            recipientKey: `${more.scope ?? first.scope}:${name}`,
            recipient: { email: name },
            ...more
          })
          yield* node.accept(message)
          return message
        })
        yield* Effect.forEach(Array.from({ length: crowd }), (_, n) => send(`crowd-${n}`, { tenantId: "crowd" }))
        yield* cluster.settle
        yield* TestClock.adjust(1)
        yield* cluster.settle
        assert.isAbove(starts.size, 400, "the crowd has most of the room")
        assert.isBelow(starts.size, crowd)
        const other = (yield* Fixture.world).scope
        const single = yield* send(
          "single",
          whose === "another tenant" ? { tenantId: "other" } : { tenantId: "crowd", scope: other }
        )
        yield* cluster.settle
        yield* TestClock.adjust(100)
        yield* cluster.settle
        assert.isAtMost((starts.get(single.id) ?? Infinity) - single.enqueuedAt, 100)

        for (let turns = 0; turns < 400 && starts.size < crowd + 1; turns++) {
          yield* TestClock.adjust(slow / 4)
          yield* cluster.settle
        }
        assert.strictEqual(starts.size, crowd + 1, "and everybody of the crowd gets a turn, without a sweep")
        const took = Math.max(...starts.values()) - first.at
        assert.isAtMost(took, Math.ceil(crowd / 340) * slow)
      }).pipe(Effect.scoped, Effect.provide(memory.shared))
  )

  const steps = Schema.Array(Schema.Struct({
    turn: Schema.Literals(["a", "b", "c"]),
    leaves: Schema.Boolean
  }))
  it.effect.prop("three that hold all they may leave room for a fourth", { steps }, ({ steps }) =>
    Effect.sync(() => {
      const shares = LaneShares.make(64)
      const held: Record<string, number> = {}
      for (const { leaves, turn } of steps) {
        for (let n = 0; n < 64; n++) {
          const mine = held[turn] ?? 0
          if (leaves ? mine === 0 : !shares.mayHold(turn)) break
          if (leaves) shares.remove(turn, 1)
          else shares.add(turn, 1)
          held[turn] = mine + (leaves ? -1 : 1)
        }
        assert.isTrue(shares.free() >= 1 && shares.mayHold("new") && !shares.isFull("new"))
      }
    }))

  it.effect.prop(
    "as many openings as are told of can be taken, and no more than one besides",
    { steps },
    ({ steps }) =>
      Effect.sync(() => {
        const shares = LaneShares.make(64)
        for (const { leaves, turn } of steps) {
          const openings = shares.openings(turn)
          let taken = 0
          for (; shares.mayHold(turn); taken++) shares.add(turn, 1)
          assert.isTrue(openings <= taken && taken <= openings + 1, `${openings} openings, ${taken} taken`)
          if (leaves) shares.remove(turn, Math.ceil(taken / 2))
        }
      })
  )
})
