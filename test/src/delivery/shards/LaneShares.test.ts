import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const capacity = 100

/** Lets turns take one more each, in their order, until none may. */
const filled = (shares: ReturnType<typeof LaneShares.make>, turns: ReadonlyArray<string>) => {
  const held = new Map(turns.map((turn) => [turn, 0]))
  for (let some = turns; some.length > 0; some = turns.filter(shares.mayHold)) {
    for (const turn of some.filter(shares.mayHold)) {
      shares.add(turn, 1)
      held.set(turn, (held.get(turn) ?? 0) + 1)
    }
  }
  return [...held.values()]
}

const Few = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))

describe("The shares of a lane", () => {
  it("are three quarters of the room for one turn alone, three sevenths each for two, and so on", () => {
    assert.deepStrictEqual(filled(LaneShares.make(capacity), ["a"]), [75])
    assert.deepStrictEqual(filled(LaneShares.make(capacity), ["a", "b"]), [43, 43])
    const [one = 0, ...others] = filled(LaneShares.make(capacity), ["a", "b", "c"])
    assert.deepStrictEqual(others, [one, one])
    assert.strictEqual(one, 30)
  })

  it.prop("have as many openings as messages may come", { mine: Few, others: Few }, ({ mine, others }) => {
    const shares = LaneShares.make(capacity)
    shares.add("mine", mine)
    shares.add("others", others)
    const openings = shares.openings("mine")
    const [came = 0] = filled(shares, ["mine"])
    assert.isAtLeast(came, openings)
    assert.isAtMost(came, openings + 1)
  })

  it("P3: a turn that holds nothing is read for, however full the room is", () => {
    const shares = LaneShares.make(capacity)
    shares.add("a", 60)
    shares.add("b", 40)
    assert.deepStrictEqual([shares.free(), shares.full()], [0, ["a", "b"]])
    assert.isFalse(shares.isFull("c"))
    shares.remove("a", 20)
    shares.remove("b", 30)
    assert.deepStrictEqual([shares.free(), shares.isFull("a"), shares.isFull("b")], [50, false, false])
    shares.add("a", 5)
    assert.deepStrictEqual([shares.isFull("a"), shares.full()], [true, ["a"]], "as much as is free is enough")
    shares.remove("a", 45)
    shares.remove("b", 10)
    assert.deepStrictEqual([shares.free(), shares.full()], [capacity, []])
    shares.add("c", capacity)
    assert.deepStrictEqual(shares.full(), ["c"], "who holds nothing any more is forgotten")
  })
})
