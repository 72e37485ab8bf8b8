import * as Turns from "#layers/mjml/Turns.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** In which second each piece of work ended, of a second each, if they come in this order; given as "lane whose". */
const ends = Effect.fnUntraced(function*(atOnce: number, comers: ReadonlyArray<string>) {
  const inTurn = Turns.make(atOnce)
  const began = yield* Clock.currentTimeMillis
  const ended: Array<readonly [string, number]> = []
  const works = yield* Effect.forEach(comers, (comer) => {
    const [lane = "", whose = ""] = comer.split(" ")
    const work = Effect.andThen(Effect.sleep("1 second"), Clock.currentTimeMillis)
    return Effect.forkChild(
      Effect.map(inTurn({ lane, whose })(work), (millis) => ended.push([comer, (millis - began) / 1_000]))
    )
  })
  yield* TestClock.adjust(`${comers.length} seconds`)
  yield* Fiber.joinAll(works)
  return ended
})

const tenants = Array.from({ length: 20 }, (_, n) => `bulk t${n}`)

describe("The turns of compilations", () => {
  it.effect("a lane waits for one of each other lane, however many tenants wait there", () =>
    Effect.gen(function*() {
      const ended = new Map(yield* ends(1, [...tenants, "transactional a", "brands", "transactional b"]))
      assert.deepStrictEqual(["bulk t0", "transactional a", "brands"].map((comer) => ended.get(comer)), [1, 2, 3])
      assert.strictEqual(ended.get("transactional b"), 5)
    }))

  it.effect("within a lane a tenant waits for one of each other tenant, however many of these wait", () =>
    Effect.gen(function*() {
      const ended = new Map(yield* ends(1, [...Array.from({ length: 20 }, () => "bulk many"), "bulk one"]))
      assert.strictEqual(ended.get("bulk one"), 3)
    }))

  it.effect("so many work at once as may, of one lane too", () =>
    Effect.gen(function*() {
      const alone = yield* ends(3, tenants)
      assert.deepStrictEqual(alone.map(([, second]) => second), tenants.map((_, n) => Math.floor(n / 3) + 1))
      const ended = new Map(yield* ends(3, [...tenants, "transactional a"]))
      assert.strictEqual(ended.get("transactional a"), 2)
    }))
})
