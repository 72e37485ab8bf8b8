import { Admission, admitting, layer } from "#src/access/Admission.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"

describe("Admission", () => {
  it.effect("who cannot be let in is refused when its time is over, and nothing of it ran", () =>
    Effect.gen(function*() {
      const admit = admitting(yield* Admission)
      let ran = 0
      const call = admit(1, Effect.andThen(Effect.sync(() => ran++), Effect.sleep("10 seconds")))
      const calls = yield* Effect.forEach(Array.from({ length: 1_000 }), () => Effect.forkChild(Effect.result(call)))
      yield* TestClock.adjust("749 millis")
      assert.strictEqual(calls.filter((fiber) => fiber.pollUnsafe() !== undefined).length, 0)
      const before = (yield* Metric.value(Metrics.overloaded)).count
      yield* TestClock.adjust("2 millis")
      assert.strictEqual(calls.filter((fiber) => fiber.pollUnsafe() !== undefined).length, 968)
      assert.strictEqual(ran, 32)
      assert.strictEqual(Number((yield* Metric.value(Metrics.overloaded)).count) - Number(before), 968)
      yield* TestClock.adjust("10 seconds")
      const results = yield* Effect.forEach(calls, Fiber.join)
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 32)
    }).pipe(Effect.provide(layer)))

  it.effect("whoever comes in a later crowd is refused in time as well", () =>
    Effect.gen(function*() {
      const admit = admitting(yield* Admission)
      for (let crowd = 0; crowd < 3; crowd++) {
        const calls = yield* Effect.forEach(
          Array.from({ length: 200 }),
          () => Effect.forkChild(Effect.result(admit(1, Effect.sleep("20 seconds"))))
        )
        yield* TestClock.adjust("1 second")
        const answered = calls.map((fiber) => fiber.pollUnsafe()).filter((exit) => exit !== undefined)
        assert.isAtLeast(answered.length, 168)
        yield* TestClock.adjust("1 minute")
      }
    }).pipe(Effect.provide(layer)))

  it.effect("a call that would wait in vain need not come in, and one that comes after the crowd may", () =>
    Effect.gen(function*() {
      const admission = yield* Admission
      const { isFull } = admission
      const admit = admitting(admission)
      yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.forkChild(admit(1, Effect.sleep("900 millis"))))
      assert.isFalse(isFull())
      yield* TestClock.adjust("749 millis")
      assert.isFalse(isFull())
      yield* Effect.forEach(Array.from({ length: 10 }), () => Effect.forkChild(Effect.result(admit(1, Effect.void))))
      yield* TestClock.adjust("1 millis")
      assert.isTrue(isFull())
      yield* TestClock.adjust("1 seconds")
      assert.isFalse(isFull())
      yield* admit(1, Effect.void)
    }).pipe(Effect.provide(layer)))

  it.effect("who waits holds 64 MB of bodies at most: who brings more is refused at once", () =>
    Effect.gen(function*() {
      const admit = admitting(yield* Admission)
      const MB = 1024 * 1024
      yield* Effect.forEach(
        Array.from({ length: 32 }),
        () => Effect.forkChild(admit(MB, Effect.never), { startImmediately: true })
      )
      const calls = yield* Effect.forEach(
        Array.from({ length: 100 }),
        () => Effect.forkChild(Effect.result(admit(MB, Effect.void)), { startImmediately: true })
      )
      const waiting = calls.filter((fiber) => fiber.pollUnsafe() === undefined).length
      assert.isAtMost(waiting, 64)
      assert.isAtLeast(waiting, 60)
      const short = yield* Effect.forkChild(Effect.result(admit(100, Effect.void)), { startImmediately: true })
      assert.isUndefined(short.pollUnsafe())
    }).pipe(Effect.provide(layer)))

  it.effect("a call that fails, dies or is interrupted gives its place to the next", () =>
    Effect.gen(function*() {
      const admit = admitting(yield* Admission)
      const ends = [Effect.fail("no"), Effect.die("no"), Effect.interrupt]
      yield* Effect.forEach(
        Array.from({ length: 300 }, (_, n) => ends[n % 3] ?? Effect.void),
        (end) => Effect.exit(admit(1, end)),
        { concurrency: "unbounded" }
      )
      const hung = yield* Effect.forEach(Array.from({ length: 32 }), () => Effect.forkChild(admit(1, Effect.never)))
      yield* TestClock.adjust(1)
      const next = yield* Effect.forkChild(admit(1, Effect.succeed("in")))
      yield* Effect.forEach(hung, Fiber.interrupt, { concurrency: "unbounded" })
      assert.strictEqual(yield* Fiber.join(next), "in")
    }).pipe(Effect.provide(layer)))

  it.effect("who still waits when the node stops is refused", () =>
    Effect.gen(function*() {
      let refused = 0
      yield* Effect.gen(function*() {
        const { ask } = yield* Admission
        const call = { enter: () => undefined, refuse: () => void refused++ }
        for (let n = 0; n < 40; n++) ask(1, call)
        assert.strictEqual(refused, 0)
      }).pipe(Effect.provide(layer))
      assert.strictEqual(refused, 8)
    }))
})
