import * as Turns from "#src/fibers/Turns.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Clock, Effect, Fiber, Scheduler, Schema } from "effect"
import { TestClock } from "effect/testing"

/** In which second each piece of work ended, of a second each, if they come in this order; given as "lane whose". */
const ends = Effect.fnUntraced(function*(atOnce: number, comers: ReadonlyArray<string>) {
  const { inTurn } = Turns.make(atOnce)
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

const up = (to: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: to }))
const atOnce = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))

/** Comes, works and gives up in seconds of the clock. */
const Comer = Schema.Struct({
  lane: Schema.Literals(["transactional", "bulk", "brands"]),
  whose: Schema.Literals(["a", "b", "c", "d"]),
  at: up(8),
  takes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })),
  waits: Schema.Boolean,
  patience: Schema.UndefinedOr(up(6))
})
type Comer = typeof Comer.Type
const comers = Schema.Array(Comer).check(Schema.isMinLength(10), Schema.isMaxLength(60))

/** `after`: how many had begun when it came. */
type Came = Comer & { readonly after: number }

/** Of those that began while it waited, no other key has more than its own. */
const assertFair = (meanwhile: ReadonlyArray<Came>, one: Came, keyOf: (one: Came) => string): void => {
  const counts = new Map([...Map.groupBy(meanwhile, keyOf)].map(([key, those]) => [key, those.length]))
  for (const count of counts.values()) assert.isAtMost(count, counts.get(keyOf(one)) ?? 0)
}

const tenants = Array.makeBy(20, (n) => `bulk t${n}`)

describe("Turns", () => {
  it.effect("a lane waits for one of each other lane, however many tenants wait there", () =>
    Effect.gen(function*() {
      const ended = new Map(yield* ends(1, [...tenants, "transactional a", "brands", "transactional b"]))
      assert.deepStrictEqual(["bulk t0", "transactional a", "brands"].map((comer) => ended.get(comer)), [1, 2, 3])
      assert.strictEqual(ended.get("transactional b"), 5)
    }))

  it.effect("within a lane a tenant waits for one of each other tenant, however many of these wait", () =>
    Effect.gen(function*() {
      const ended = new Map(yield* ends(1, [...Array.makeBy(20, () => "bulk many"), "bulk one"]))
      assert.strictEqual(ended.get("bulk one"), 3)
    }))

  it.effect("so many work at once as may, of one lane too", () =>
    Effect.gen(function*() {
      const alone = yield* ends(3, tenants)
      assert.deepStrictEqual(alone.map(([, second]) => second), tenants.map((_, n) => Math.floor(n / 3) + 1))
      const ended = new Map(yield* ends(3, [...tenants, "transactional a"]))
      assert.strictEqual(ended.get("transactional a"), 2)
    }))

  it.effect("a tenant whose next work comes as soon as its last begins keeps no other from its turn", () =>
    Effect.gen(function*() {
      const { inTurn } = Turns.make(1)
      const begun: Array<string> = []
      const work = (whose: string, next: Effect.Effect<unknown> = Effect.void): Effect.Effect<void> =>
        inTurn({ lane: "bulk", whose })(
          Effect.andThen(Effect.andThen(Effect.sync(() => begun.push(whose)), next), Effect.sleep("1 second"))
        )
      const again: Effect.Effect<void> = work("again", Effect.suspend(() => Effect.forkDetach(again)))
      yield* Effect.forkChild(work("first"))
      yield* Effect.yieldNow
      for (let n = 0; n < 3; n++) yield* Effect.forkChild(work("other"))
      yield* Effect.forkChild(again)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(begun, ["first", "other", "again", "other", "again", "other"])
    }))

  it.effect.prop(
    "whatever waits: between two of a lane begins at most one of each other, and so the tenants within a lane",
    { atOnce, comers },
    Effect.fnUntraced(function*({ atOnce, comers }) {
      const turns = Turns.make(atOnce)
      const begun: Array<Came> = []
      let working = 0
      const came = Effect.fnUntraced(function*(comer: Comer, n: number) {
        // No two things happen in one moment, so that it is known which was first.
        yield* Effect.sleep(comer.at * 1_000 + n)
        const one: Came = { ...comer, after: begun.length }
        const mayWork = working < atOnce
        const work = Effect.suspend(() => {
          begun.push(one)
          assert.isAtMost(++working, atOnce)
          return Effect.ensuring(Effect.sleep(comer.takes * 1_000), Effect.sync(() => working--))
        })
        const inTurn = turns.inTurn(comer)(work)
        const waits = Effect.suspend(() => {
          assert.isFalse(mayWork, "it waits only if it must")
          return comer.waits ? inTurn : Effect.void
        })
        const started = yield* Effect.forkChild(turns.ifAvailable(() => work, () => waits), { startImmediately: true })
        assert.strictEqual(begun.includes(one), mayWork, "it begins at once if it may, and else waits with the others")
        if (comer.patience !== undefined) {
          yield* Effect.sleep(comer.patience * 1_000 + 500)
          yield* Fiber.interrupt(started)
        }
        yield* Fiber.await(started)
      })
      const all = yield* Effect.forkChild(Effect.forEach(comers, came, { concurrency: "unbounded" }))
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(all)
      assert.strictEqual(yield* turns.available, atOnce, "nothing is held in the end")
      begun.forEach((one, at) => {
        const meanwhile = begun.slice(one.after, at + 1)
        assertFair(meanwhile, one, ({ lane }) => lane)
        assertFair(meanwhile.filter(({ lane }) => lane === one.lane), one, ({ whose }) => whose)
      })
    })
  )

  it.effect("whoever is interrupted, wherever that is, leaves its turn to the others", () =>
    Effect.gen(function*() {
      const turns = Turns.make(2)
      const work = () => Effect.andThen(Effect.yieldNow, Effect.sleep("1 second"))
      for (let steps = 0; steps < 60; steps++) {
        const fibers = yield* Effect.forEach(
          ["bulk a", "bulk b", "transactional a", "bulk a", "transactional a"],
          (comer) => {
            const [lane = "", whose = ""] = comer.split(" ")
            return turns.ifAvailable(work, () => turns.inTurn({ lane, whose })(work())).pipe(
              Effect.provideService(Scheduler.MaxOpsBeforeYield, 2 + steps % 4),
              Effect.forkChild
            )
          }
        )
        yield* Effect.forEach(Array.range(0, steps), () => Effect.yieldNow)
        if (steps % 3 === 0) yield* TestClock.adjust("1 second")
        // Those that work are interrupted first, so that the others are on their way from their wait to their work.
        yield* Effect.forEach(fibers, (fiber) => Effect.forkChild(Fiber.interrupt(fiber)))
        yield* Fiber.awaitAll(fibers)
        assert.strictEqual(yield* turns.available, 2, `after ${steps} steps`)
      }
    }))

  it.effect("what has no wait ends one after the other, not one within the other", () =>
    Effect.gen(function*() {
      const { inTurn } = Turns.make(1)
      let ended = 0
      const work = Effect.sync(() => ended++)
      yield* Effect.forkChild(inTurn({ lane: "bulk", whose: "first" })(Effect.sleep("1 second")))
      yield* Effect.yieldNow
      const many = yield* Effect.replicateEffect(
        Effect.forkChild(inTurn({ lane: "bulk", whose: "many" })(work), { startImmediately: true }),
        4_000
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.joinAll(many)
      assert.strictEqual(ended, 4_000)
    }))
})
