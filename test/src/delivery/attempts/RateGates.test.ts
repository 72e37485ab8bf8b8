import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import type { Lane } from "#src/delivery/journal/OpenMessage.ts"
import {
  atOnce,
  bulk,
  type End,
  go,
  messageOf,
  plain,
  refuse,
  settled,
  start
} from "#test/src/delivery/attempts/AtGate.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, References } from "effect"
import { TestClock } from "effect/testing"

describe("RateGates", () => {
  it.effect("a provider that never refused has no gate, and one that did has its own", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* go(), ["passed", 0, false])
      yield* refuse()
      const { through } = yield* RateGates.RateGates
      const other = { ...plain<boolean>(), begin: () => Effect.succeed(true), sentAway: () => Effect.succeed(false) }
      assert.isTrue(yield* through("another", bulk, other))
      const waiting = yield* start()
      assert.isFalse(settled(waiting))
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* Fiber.join(waiting), ["passed", 1_000, true])
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("calls pass in even distances; who would wait for more than 2 s is sent away, one after the other", () =>
    Effect.gen(function*() {
      yield* refuse()
      const fibers = yield* Effect.replicateEffect(start(), 6)
      assert.deepStrictEqual(fibers.map(settled), [false, false, false, true, true, true])
      yield* TestClock.adjust(3_000)
      const ends = yield* Effect.forEach(fibers, Fiber.join)
      const passed = ends.flatMap(([what, at]) => what === "passed" ? [at] : [])
      assert.strictEqual(passed[0], 1_000)
      for (const [n, at] of passed.entries()) if (n > 0) assert.isAtMost(at - (passed[n - 1] ?? 0), 500)
      assert.deepStrictEqual(ends.slice(3).map(([, wait]) => wait), [1_005, 1_010, 1_015])
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("who goes elsewhere instead holds up nobody who comes back", () =>
    Effect.gen(function*() {
      yield* refuse(60_000)
      for (let n = 0; n < 1_000; n++) yield* go(bulk, false)
      assert.deepStrictEqual(yield* go(), ["away", 60_005, false])
      assert.deepStrictEqual(yield* go(), ["away", 60_010, false])
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("who waits at a gate holds no slot, which may serve other gates", () =>
    Effect.gen(function*() {
      yield* refuse()
      let held = 0
      const slot: typeof atOnce.slot = (next) =>
        Effect.suspend(() => {
          held++
          return next(false)
        })
      const fibers = yield* Effect.replicateEffect(start(bulk, { ...atOnce, slot }), 3)
      assert.strictEqual(held, 0)
      yield* TestClock.adjust(1_000)
      assert.strictEqual(held, 1)
      yield* Effect.forEach(fibers, Fiber.interrupt)
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("who waited for a slot when the gate was opened waits there then", () =>
    Effect.gen(function*() {
      const slot: typeof atOnce.slot = (next) => Effect.delay(Effect.suspend(() => next(true)), 500)
      const waiting = yield* start(bulk, { ...atOnce, slot })
      yield* refuse()
      yield* TestClock.adjust(900)
      assert.isFalse(settled(waiting))
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(yield* Fiber.join(waiting), ["passed", 1_000, true])
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("while calls would have to wait for a slot, that they wait at the gate does not make it faster", () =>
    Effect.gen(function*() {
      const passed = (hasSlot: boolean) =>
        Effect.gen(function*() {
          yield* refuse()
          const slots = { ...atOnce, hasSlot: Effect.succeed(hasSlot) }
          const ends = yield* Effect.replicateEffect(
            Effect.gen(function*() {
              const fibers = yield* Effect.replicateEffect(start(bulk, slots), 50)
              yield* TestClock.adjust(1_000)
              const ended = fibers.filter(settled)
              yield* Effect.forEach(fibers, Fiber.interrupt)
              return yield* Effect.forEach(ended, Fiber.join)
            }),
            5
          )
          return ends.flat().filter(([what]) => what === "passed").length
        }).pipe(Effect.provide(Layer.fresh(RateGates.layer)))
      assert.isAtMost(yield* passed(false), 9)
      assert.isAtLeast(yield* passed(true), 20)
    }))

  it.effect("who is due for longer takes the place of who is due for the shortest time, in its turn, or else in its lane", () =>
    Effect.gen(function*() {
      yield* refuse()
      const come = (since: number, tenantId: string, lane: Lane = "bulk") =>
        Effect.forkChild(go(messageOf(lane, tenantId), true, atOnce, since), { startImmediately: true })
      const ends = (fibers: ReadonlyArray<Fiber.Fiber<End>>) =>
        Effect.map(Effect.forEach(fibers, Fiber.join), (all) => all.map(([what]) => what))
      const [first, youngest, second] = [yield* come(1, "a"), yield* come(9, "a"), yield* come(2, "a")]
      const [asYoung, older, next] = [yield* come(9, "a"), yield* come(3, "a"), yield* come(4, "a")]
      yield* Effect.yieldNow
      assert.deepStrictEqual([first, second, older].map(settled), [false, false, false])
      assert.deepStrictEqual(yield* ends([youngest, asYoung, next]), ["away", "away", "away"])
      const others = yield* Effect.forEach(Array.from({ length: 30 }, (_, n) => n), (n) => come(100 + n, `${n}`))
      const [late, old] = [yield* come(200, "late"), yield* come(0, "old")]
      const other = yield* come(300, "password", "transactional")
      yield* Effect.yieldNow
      assert.deepStrictEqual([first, second, older, late, old, other].map(settled), [
        false,
        false,
        false,
        true,
        false,
        false
      ])
      const waiting = others.filter((fiber) => !settled(fiber))
      assert.deepStrictEqual(waiting, others.slice(0, waiting.length))
      yield* TestClock.adjust(15_000)
      assert.deepStrictEqual(
        yield* ends([first, second, older, old, other, ...waiting]),
        [first, second, older, old, other, ...waiting].map(() => "passed")
      )
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("of all gates together 200 a second come back, unless more are taken: else a hundred crowded accounts would fill a node", () =>
    Effect.gen(function*() {
      const { refused, taken, through } = yield* RateGates.RateGates
      const keys = Array.from({ length: 50 }, (_, n) => `account ${n}`)
      const waits: Array<number> = []
      for (const one of keys) refused(one, 1n, 0)
      const attempt: RateGates.Attempt<void> = {
        ...plain(),
        begin: () => Effect.void,
        sentAway: (wait, comesBack) =>
          Effect.sync(() => {
            waits.push(wait)
            comesBack()
          })
      }
      yield* TestClock.adjust(2_000)
      const now = yield* Clock.monotonicTimeNanos
      // Their limits are known by now, about.
      for (const one of keys) {
        yield* through(one, bulk, attempt)
        taken(one, now)
        refused(one, now + 1_000n, 0)
      }
      const come = (times: number) =>
        Effect.forEach(
          Array.from({ length: times }, () => keys).flat(),
          (one) => Effect.forkChild(through(one, bulk, attempt), { startImmediately: true })
        )
      const fibers = yield* come(1)
      assert.lengthOf(waits, 0)
      fibers.push(...yield* come(42))
      const within = (from: number, until: number) => waits.filter((wait) => from <= wait && wait < until).length
      assert.approximately(within(1_000, 6_000), 5 * 200, 100)
      yield* Effect.forEach(fibers, Fiber.interrupt)
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("lanes that wait pass by turns, and so do the tenants of a lane", () =>
    Effect.gen(function*() {
      yield* refuse()
      const order: Array<string> = []
      const come = (lane: Lane, tenant: string) =>
        Effect.forkChild(
          Effect.tap(go(messageOf(lane, tenant)), () => Effect.sync(() => order.push(`${lane} ${tenant}`))),
          { startImmediately: true }
        )
      for (let n = 0; n < 3; n++) yield* come("bulk", "a")
      yield* come("bulk", "b")
      yield* come("transactional", "a")
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(order, ["bulk a", "transactional a", "bulk a", "bulk b", "bulk a"])
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("a node's hands hold no more than pass within 10 s, however many tenants wait; another lane's turn is soon", () =>
    Effect.gen(function*() {
      yield* refuse()
      const fibers = yield* Effect.forEach(
        Array.from({ length: 500 }, (_, n) => messageOf("bulk", `${n}`)),
        (message) => start(message)
      )
      assert.lengthOf(fibers.filter((fiber) => !settled(fiber)), 19)
      const password = yield* start(messageOf("transactional"))
      assert.isFalse(settled(password))
      yield* TestClock.adjust(2_000)
      assert.strictEqual((yield* Fiber.join(password))[0], "passed")
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("who gives up leaves no trace, wherever it waits", () =>
    Effect.gen(function*() {
      yield* refuse()
      for (let n = 0; n < 100; n++) {
        const fibers = yield* Effect.replicateEffect(start(), 3)
        assert.deepStrictEqual(fibers.map(settled), [false, false, false])
        yield* Effect.forEach(fibers, Fiber.interrupt)
      }
      const last = yield* start()
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* Fiber.join(last), ["passed", 1_000, true])
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("who gives up between any two of its operations leaves no trace", () =>
    Effect.gen(function*() {
      yield* refuse()
      for (let ops = 5; ops < 80; ops++) {
        for (let turns = 1; turns < 4; turns++) {
          const fiber = yield* Effect.forkChild(Effect.provideService(go(), References.MaxOpsBeforeYield, ops))
          for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
        }
      }
      const fibers = yield* Effect.replicateEffect(start(), 3)
      assert.deepStrictEqual(fibers.map(settled), [false, false, false])
      yield* TestClock.adjust(1_000)
      assert.isTrue(fibers.some(settled))
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("a wait that the provider names is everybody's; nobody waits here for one that is longer than 10 s", () =>
    Effect.gen(function*() {
      yield* refuse(9_000)
      const [front, next] = [yield* start(), yield* start()]
      assert.deepStrictEqual([settled(front), settled(next)], [false, true])
      assert.deepStrictEqual(yield* Fiber.join(next), ["away", 9_005, false])
      yield* refuse(60_000)
      assert.deepStrictEqual(yield* go(messageOf("transactional")), ["away", 60_005, false])
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(yield* Fiber.join(front), ["away", 50_005, false])
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("of 8,192 gates that are remembered, the oldest is dropped first", () =>
    Effect.gen(function*() {
      const { refused } = yield* RateGates.RateGates
      yield* refuse()
      for (let n = 1; n < 8_192; n++) refused(`other ${n}`, 1n, 0)
      const waits = yield* start()
      assert.isFalse(settled(waits))
      yield* Fiber.interrupt(waits)
      refused("one more", 1n, 0)
      assert.deepStrictEqual(yield* go(), ["passed", 0, false])
    }).pipe(Effect.provide(RateGates.layer)))
})
