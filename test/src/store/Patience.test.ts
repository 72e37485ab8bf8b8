import * as Patience from "#src/store/Patience.ts"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"

const patience = 2_000

const Call = Schema.Struct({
  after: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6_000 })),
  takes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000 })),
  leaves: Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000 }))),
  fails: Schema.Boolean
})

describe("Patience", () => {
  it.effect.prop(
    "every call ends with its own result, or with a timeout after 2 s, not a ms later",
    [Schema.Array(Call)],
    ([calls]) =>
      Effect.gen(function*() {
        const patiently = yield* Patience.within(patience)
        const start = yield* Clock.currentTimeMillis
        const running = yield* Effect.forEach(calls, (call) =>
          Effect.gen(function*() {
            const end = call.fails ? Effect.fail("own") : Effect.succeed("own")
            yield* Effect.sleep(call.after)
            const exit = yield* Effect.exit(patiently(call.takes === 0 ? end : Effect.delay(end, call.takes)))
            return { exit, at: (yield* Clock.currentTimeMillis) - start }
          }).pipe(Effect.forkChild, Effect.map((fiber) => ({ call, fiber }))))
        yield* Effect.forEach(running, ({ call: { after, leaves }, fiber }) =>
          leaves === undefined
            ? Effect.void
            : Effect.forkChild(Effect.delay(Fiber.interrupt(fiber), after + leaves)))
        yield* TestClock.adjust(20_000)
        yield* Effect.forEach(running, ({ call: { after, fails, leaves, takes }, fiber }) =>
          Effect.gen(function*() {
            const ends = Math.min(takes, patience)
            const result = yield* Fiber.await(fiber)
            if (leaves !== undefined && leaves <= ends) return
            const { at, exit } = yield* result
            assert.strictEqual(at, after + ends)
            if (takes < patience) assert.deepStrictEqual(exit, fails ? Exit.fail("own") : Exit.succeed("own"))
            if (takes > patience)
              assert.strictEqual(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("Timeout"), true)
          }))
      }).pipe(Effect.scoped)
  )

  it.effect("what is given up is interrupted, and nobody waits for its end", () =>
    Effect.gen(function*() {
      const patiently = yield* Patience.within(patience)
      let interrupted = 0
      const silent = Effect.never.pipe(Effect.onInterrupt(() => Effect.delay(Effect.sync(() => interrupted++), 5_000)))
      const given = yield* Effect.forkChild(Effect.exit(patiently(silent)))
      const left = yield* Effect.forkChild(patiently(silent))
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(left)
      yield* TestClock.adjust(patience)
      assert.strictEqual((yield* Fiber.join(given))._tag, "Failure")
      assert.strictEqual(interrupted, 0)
      yield* TestClock.adjust(5_000)
      assert.strictEqual(interrupted, 2)
    }))

  it.effect("a call that takes long to end keeps nobody else's from being given up in its time", () =>
    Effect.gen(function*() {
      const patiently = yield* Patience.within(patience)
      const silent = Effect.never.pipe(Effect.onInterrupt(() => Effect.sleep(5_000)))
      const first = yield* Effect.forkChild(Effect.exit(patiently(silent)))
      yield* TestClock.adjust(1)
      const second = yield* Effect.forkChild(Effect.exit(patiently(silent)))
      yield* TestClock.adjust(patience)
      const ended = [first.pollUnsafe(), second.pollUnsafe()]
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(ended.map((exit) => exit?._tag), ["Success", "Success"])
    }))

  it.effect.prop(
    "nobody gives up while this process works, nor until as long after it, and everybody does in twice the time",
    {
      before: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_999 })),
      takes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_000 }))
    },
    ({ before, takes }) =>
      Effect.gen(function*() {
        const patiently = yield* Patience.within(patience)
        const start = yield* Clock.currentTimeMillis
        const work = Effect.delay(Patience.working(Effect.sleep(takes)), before)
        const done = yield* Effect.forkChild(Effect.result(patiently(work)))
        const silent = yield* Effect.andThen(
          Effect.exit(patiently(Effect.andThen(work, Effect.never))),
          Clock.currentTimeMillis
        )
          .pipe(Effect.forkChild)
        yield* TestClock.adjust(20_000)
        assert.strictEqual((yield* Fiber.join(done))._tag, "Success")
        const silence = (yield* Fiber.join(silent)) - start - before - takes
        assert.isAtLeast(silence, patience)
        assert.isAtMost(silence, 2 * patience)
      }).pipe(Effect.scoped)
  )

  it.effect("work that nobody waits for is done as it is", () =>
    Effect.map(Patience.working(Effect.succeed(1)), (done) => assert.strictEqual(done, 1)))

  it.effect("its timer stops with the last call", () =>
    Effect.gen(function*() {
      let sleeps = 0
      const clock = yield* Clock.Clock
      const counted: Clock.Clock = {
        ...clock,
        sleep: (duration) => Effect.suspend(() => (sleeps++, clock.sleep(duration)))
      }
      const patiently = yield* Effect.provideService(Patience.within(patience), Clock.Clock, counted)
      for (let n = 0; n < 100; n++) {
        const call = yield* Effect.forkChild(patiently(Effect.sleep(10)))
        yield* TestClock.adjust(10)
        yield* Fiber.join(call)
      }
      yield* TestClock.adjust(60_000)
      assert.isAtMost(sleeps, 2)
    }))
})
