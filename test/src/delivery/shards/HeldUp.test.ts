import * as HeldUp from "#src/delivery/shards/HeldUp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Rows = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 }))
const Share = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))

/** Goes on in turns that have so many rows, with a share of them; answers what was asked about of each. */
const goOn = (heldUp: ReturnType<typeof HeldUp.make>, sizes: ReadonlyArray<number>, share: number) =>
  sizes.map((size, turn) => {
    const from = heldUp.from(`${turn}`, 0)
    const rows = Array.from({ length: Math.min(share, size - from) }, (_, n) => from + n + 1)
    heldUp.went(`${turn}`, rows.at(-1) ?? from, rows.length === share)
    return rows
  })

describe("HeldUp: turns whose rows wait for older ones in other turns", () => {
  it.prop(
    "where nothing else is read, looks ask about each row once, then come to an end, and begin anew",
    { sizes: Schema.Array(Rows).check(Schema.isMinLength(1), Schema.isMaxLength(4)), share: Share },
    ({ share, sizes }) => {
      const asked = sizes.map((): Array<number> => [])
      let reached: ReadonlyMap<string, number> | undefined
      let goesOn = true
      for (let looks = 0; goesOn; looks++) {
        assert.isAtMost(looks, Math.max(...sizes) / share, "it does not look without end")
        const heldUp = HeldUp.make(reached)
        goOn(heldUp, sizes, share).forEach((rows, turn) => asked[turn]?.push(...rows))
        reached = heldUp.next(true)
        goesOn = heldUp.goesOn()
      }
      assert.deepStrictEqual(asked, sizes.map((size) => Array.from({ length: size }, (_, n) => n + 1)))
      assert.deepStrictEqual(reached, new Map())
    }
  )

  it("where others are read, a turn begins anew as soon as it has no more, and as soon as it is not held up", () => {
    const first = HeldUp.make()
    assert.deepStrictEqual(goOn(first, [3, 9, 9], 4), [[1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]])
    const reached = first.next(false)
    assert.deepStrictEqual(reached, new Map([["1", 4], ["2", 4]]))
    const second = HeldUp.make(reached)
    assert.deepStrictEqual([second.from("1", 2), second.from("1", 6), second.from("new", 2)], [4, 6, 2])
    assert.isFalse(second.goesOn())
    second.freed("1")
    assert.deepStrictEqual(second.next(true), new Map([["2", 4]]))
    assert.deepStrictEqual(reached, new Map([["1", 4], ["2", 4]]), "a look that is given up changes nothing")
  })

  it("a turn is held up where more than half of what was asked about waits, and it has more", () => {
    const rows = (turn: string, ...waits: ReadonlyArray<boolean>) =>
      waits.map((isWaiting, n) => ({ turn, seq: n + 1, isWaiting }))
    const asked = [...rows("half", true, false), ...rows("most", true, true, false), ...rows("all", true)]
    const found = (...more: ReadonlyArray<string>) => HeldUp.found(asked, ({ isWaiting }) => isWaiting, new Set(more))
    assert.deepStrictEqual(found("half", "most", "all"), new Map([["most", 3], ["all", 1]]))
    assert.deepStrictEqual(found("half", "most"), new Map([["most", 3]]))
  })
})
