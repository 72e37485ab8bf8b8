import * as Chances from "#layers/testing/Chance.ts"
import * as Loops from "#layers/testing/Loop.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const unused = Effect.die("nothing but claims is asked for")

/** A node that is to own a shard while the store is away, stops in the middle of its claims, and goes on when the store is there. */
const live = (stops: { readonly at: number; readonly for: number }, disownedAfter: number) => {
  const loop = Loops.make(Chances.make(1), 0)
  const node = loop.process("node")
  const claims: Array<number> = []
  const away = new StoreUnavailable({ cause: "away" })
  const journal = Journal.of({
    accept: () => unused,
    record: () => unused,
    observe: () => unused,
    due: () => unused,
    take: (shard) =>
      Effect.suspend(() => {
        claims.push(loop.now())
        return loop.now() < stops.at + stops.for ? Effect.fail(away) : Effect.succeed({ shard, epoch: 2, seq: 0 })
      })
  })
  const fiber = node.run(Owned.make(journal).own(0, "node", Effect.void))
  loop.after(stops.at, node.freeze)
  loop.after(stops.at + stops.for, () => {
    node.thaw()
    // What it was told while it stood still comes when it looks.
    loop.after(disownedAfter, () => node.post(() => fiber.interruptUnsafe()))
  })
  loop.run(() => false, stops.at + stops.for + 60_000)
  return claims.filter((at) => at >= stops.at + stops.for).length
}

describe("Owned", () => {
  it("P2: who stood still while it claimed a shard hears first that it is another's", () => {
    assert.strictEqual(live({ at: 3_000, for: 30_000 }, 2_000), 0)
  })

  it("who stood still and is still to own the shard takes it", () => {
    assert.strictEqual(live({ at: 3_000, for: 30_000 }, 20_000), 1)
  })
})
