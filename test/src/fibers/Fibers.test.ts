import * as Fibers from "#src/fibers/Fibers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

type Fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<Fiber.Fiber<A, E>>

/** What forks from a fiber, and what starts effects for callbacks: both own what they start. */
const kinds: ReadonlyArray<readonly [what: string, make: Effect.Effect<Fork, never, Scope.Scope>]> = [
  ["a fork", Fibers.make],
  [
    "a runner's effect",
    Effect.gen(function*() {
      const run = (yield* Fibers.runner)(yield* Effect.context<never>())
      return (effect) => Effect.sync(() => run(effect))
    })
  ]
]

describe.each(kinds)("Fibers: %s", (_, make) => {
  it.effect("its scope interrupts what is running, and waits for its end", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const fork = yield* Scope.provide(make, scope)
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
      const fork = yield* Scope.provide(make, scope)
      const closing = yield* fork(Effect.delay(Scope.close(scope, Exit.void), 1))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.await(closing), Exit.void)
    }))

  it.effect("what is forked after the end does not run", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const fork = yield* Scope.provide(make, scope)
      yield* Scope.close(scope, Exit.void)
      let ran = false
      const late = yield* fork(Effect.sync(() => ran = true))
      assert.strictEqual(Exit.hasInterrupts(yield* Fiber.await(late)), true)
      assert.strictEqual(ran, false)
    }))

  it.effect("it has begun when it is there: what needs no wait has ended by then", () =>
    Effect.gen(function*() {
      const fork = yield* make
      const fiber = yield* fork(Effect.succeed("done"))
      assert.deepStrictEqual(fiber.pollUnsafe(), Exit.succeed("done"))
    }))

  it.live("nothing is held of what has ended, though its scope is open", () =>
    Effect.gen(function*() {
      const fork = yield* make
      const held = yield* Effect.gen(function*() {
        const fibers = yield* Effect.replicateEffect(
          fork(Effect.promise(() => setImmediate({ answer: "large" }))),
          3
        )
        yield* Fiber.awaitAll(fibers)
        return fibers.map((fiber) => new WeakRef(fiber))
      })
      setFlagsFromString("--expose-gc")
      // What callbacks still hold goes with their turns of the event loop, of which there are a few.
      const alive = yield* Effect.promise(() => setImmediate()).pipe(
        Effect.map(() => {
          runInNewContext("gc")()
          return held.filter((fiber) => fiber.deref() !== undefined).length
        }),
        Effect.repeat({ until: (alive) => alive === 0, times: 10 })
      )
      assert.strictEqual(alive, 0)
    }))
})
