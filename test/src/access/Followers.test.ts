import * as Followers from "#src/access/Followers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, References } from "effect"
import { setImmediate } from "node:timers/promises"

const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await setImmediate()
  })

describe("Followers", () => {
  for (const operations of [2, 3, 4, 5]) {
    it.effect(`P5: a call that goes away after any ${operations} operations leaves the way free for the next`, () =>
      Effect.gen(function*() {
        for (let taken = 0; taken < 10; taken++) {
          const run = Followers.make<{ readonly replayed: boolean }, never>()
          const first = Effect.runFork(
            run("key", Effect.as(Effect.yieldNow, { replayed: false })).pipe(
              Effect.provideService(References.MaxOpsBeforeYield, operations)
            )
          )
          yield* turns(taken)
          yield* Fiber.interrupt(first)
          const next = Effect.runFork(run("key", Effect.succeed({ replayed: false })))
          yield* turns(5)
          assert.isDefined(next.pollUnsafe(), `interrupted after ${taken} turns`)
        }
      }))
  }
})
