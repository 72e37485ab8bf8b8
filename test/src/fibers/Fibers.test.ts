import * as Fibers from "#src/fibers/Fibers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"

describe("Fibers", () => {
  it.effect("its scope interrupts what is running, and waits for its end", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const fork = yield* Scope.provide(Fibers.make, scope)
      let ended = 0
      const slowly = Effect.never.pipe(Effect.onInterrupt(() => Effect.delay(Effect.sync(() => ended++), 1_000)))
      yield* fork(slowly)
      const done = yield* fork(Effect.succeed("done"))
      yield* fork(slowly)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(999)
      assert.deepStrictEqual([ended, closing.pollUnsafe()], [0, undefined])
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      assert.strictEqual(ended, 2)
      assert.deepStrictEqual(yield* Fiber.await(done), Exit.succeed("done"))
    }))

  it.effect("a fiber may close the scope that owns it", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const fork = yield* Scope.provide(Fibers.make, scope)
      const closing = yield* fork(Effect.delay(Scope.close(scope, Exit.void), 1))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.await(closing), Exit.void)
    }))

  it.effect("what is forked after the end does not run", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const fork = yield* Scope.provide(Fibers.make, scope)
      yield* Scope.close(scope, Exit.void)
      let ran = false
      const late = yield* fork(Effect.sync(() => ran = true))
      assert.strictEqual(Exit.hasInterrupts(yield* Fiber.await(late)), true)
      assert.strictEqual(ran, false)
    }))
})
