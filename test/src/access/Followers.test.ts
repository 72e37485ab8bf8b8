import * as Followers from "#src/access/Followers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, References, Schema } from "effect"
import { setImmediate } from "node:timers/promises"

const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await setImmediate()
  })

/** How a call ends that runs: the last two answered nothing. */
const Ending = Schema.Literals(["answered", "failed", "interrupted", "died"])

describe("Followers", () => {
  it.effect.prop(
    "P5: of calls at once the first that answers or fails has ended for all: those behind it have the same, as a replay, and do not run",
    { endings: Schema.Array(Ending).check(Schema.isMaxLength(8)) },
    ({ endings }) =>
      Effect.gen(function*() {
        const share = Followers.make<{ readonly replayed: boolean; readonly by: number }, number>()
        const go = yield* Deferred.make<void>()
        const ran: Array<number> = []
        const ends = {
          answered: (by: number) => Effect.succeed({ replayed: false, by }),
          failed: (by: number) => Effect.fail(by),
          interrupted: () => Effect.interrupt,
          died: () => Effect.die("planted")
        }
        const calls = yield* Effect.forEach(endings, (ending, n) => {
          const call = Effect.sync(() => ran.push(n)).pipe(
            Effect.andThen(Deferred.await(go)),
            Effect.andThen(Effect.yieldNow),
            Effect.andThen(Effect.suspend(() => ends[ending](n)))
          )
          return Effect.forkChild(share("key", call), { startImmediately: true })
        })
        yield* Deferred.succeed(go, undefined)
        const exits = yield* Effect.forEach(calls, Fiber.await)
        const last = endings.findIndex((ending) => ending === "answered" || ending === "failed")
        assert.deepStrictEqual(ran, [...endings.keys()].filter((n) => last === -1 || n <= last))
        const expected = endings.map((ending, n) => {
          if (last === -1 || n < last) return ending
          return endings[last] === "failed" ? `failed by ${last}` : `answered by ${last}, replayed: ${n > last}`
        })
        const seen = exits.map((exit) => {
          if (Exit.isSuccess(exit)) return `answered by ${exit.value.by}, replayed: ${exit.value.replayed}`
          const failure = Exit.findErrorOption(exit)
          if (failure._tag === "Some") return `failed by ${failure.value}`
          return Exit.hasInterrupts(exit) ? "interrupted" : "died"
        })
        assert.deepStrictEqual(seen, expected)
      })
  )

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
