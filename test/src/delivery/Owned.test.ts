import * as Chances from "#layers/testing/Chance.ts"
import * as Loops from "#layers/testing/Loop.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const unused = Effect.die("nothing but claims is asked for")

interface Stop {
  readonly at: number
  readonly for: number
}

/**
 * A node that is to own a shard, stops in the middle of its claims or of its wait after a fence, and goes on when the store is there. Answers
 * how often it claimed the shard from then on.
 */
const live = (story: { readonly stop: Stop; readonly fencedAt?: number; readonly disownedAfter: number }): number => {
  const { disownedAfter, fencedAt, stop } = story
  const loop = Loops.make(Chances.make(1), 0)
  const node = loop.process("node")
  const claims: Array<number> = []
  const away = new StoreUnavailable({ cause: "away" })
  const isAway = () => fencedAt === undefined && loop.now() < stop.at + stop.for
  const journal = Journal.of({
    accept: () => unused,
    record: () => unused,
    observe: () => unused,
    due: () => unused,
    take: (shard) =>
      Effect.suspend(() => {
        claims.push(loop.now())
        return isAway() ? Effect.fail(away) : Effect.succeed({ shard, epoch: 2, seq: 0 })
      })
  })
  const owned = Owned.make(journal)
  const fiber = node.run(owned.own(0, "node", Effect.void))
  if (fencedAt !== undefined) {
    loop.after(fencedAt, () => {
      const owner = owned.find(0)
      if (owner !== undefined) node.run(owned.lost(owner))
    })
  }
  loop.after(stop.at, node.freeze)
  loop.after(stop.at + stop.for, () => {
    node.thaw()
    // What it was told while it stood still comes when it looks.
    loop.after(disownedAfter, () => node.post(() => fiber.interruptUnsafe()))
  })
  loop.run(() => false, stop.at + stop.for + 60_000)
  return claims.filter((at) => at >= stop.at + stop.for).length
}

describe("Owned", () => {
  it("P2: who stood still while it claimed a shard hears first that it is another's", () => {
    assert.strictEqual(live({ stop: { at: 3_000, for: 30_000 }, disownedAfter: 2_000 }), 0)
  })

  it("who stood still and is still to own the shard takes it", () => {
    assert.strictEqual(live({ stop: { at: 3_000, for: 30_000 }, disownedAfter: 20_000 }), 1)
  })

  it("P2: who stood still after a fence hears first that the shard is another's (seed 86179)", () => {
    assert.strictEqual(live({ fencedAt: 1_000, stop: { at: 3_000, for: 30_000 }, disownedAfter: 2_000 }), 0)
  })

  it("who was fenced, stood still and is still to own the shard takes it", () => {
    assert.strictEqual(live({ fencedAt: 1_000, stop: { at: 3_000, for: 30_000 }, disownedAfter: 20_000 }), 1)
  })
})
