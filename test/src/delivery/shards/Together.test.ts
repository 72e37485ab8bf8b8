import * as Together from "#src/delivery/shards/Together.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Scheduler, Schema } from "effect"
import { TestClock } from "effect/testing"

const ms = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Tasks = Schema.Array(Schema.Struct({
  after: ms(0, 30),
  takes: ms(1, 10),
  isAlone: Schema.Boolean,
  ends: Schema.Literals(["well", "by a failure", "by a defect", "interrupted"])
})).check(Schema.isMinLength(8), Schema.isMaxLength(20))

describe("Together", () => {
  it.effect.prop(
    "X1: nothing runs beside who is alone, and everybody has his turn, however those before him end",
    { tasks: Tasks },
    ({ tasks }) =>
      Effect.gen(function*() {
        const { alone, among } = yield* Together.make
        const running = { alone: 0, among: 0 }
        let most = 0
        const work = ({ ends, isAlone, takes }: typeof Tasks.Type[number]) => {
          const kind = isAlone ? "alone" : "among"
          const end = ends === "by a failure"
            ? Effect.fail("no")
            : ends === "by a defect"
            ? Effect.die("no")
            : Effect.void
          return Effect.acquireUseRelease(
            Effect.sync(() => {
              running[kind]++
              if (running.alone > 0) most = Math.max(most, running.alone + running.among)
            }),
            () => Effect.delay(end, takes),
            () => Effect.sync(() => running[kind]--)
          )
        }
        const fibers = yield* Effect.forEach(tasks, (task) =>
          Effect.forkChild(Effect.delay((task.isAlone ? alone : among)(work(task)), task.after)))
        yield* Effect.forEach(tasks, ({ after, ends, takes }, index) => {
          const fiber = fibers[index]
          return ends === "interrupted" && fiber !== undefined
            ? Effect.forkChild(Effect.delay(Fiber.interrupt(fiber), after + takes / 2))
            : Effect.void
        })
        for (let time = 0; time < 300; time++)
          yield* TestClock.adjust(1)
        assert.isAtMost(most, 1)
        assert.deepStrictEqual(
          fibers.filter((fiber) =>
            fiber.pollUnsafe() === undefined
          ),
          []
        )
      })
  )

  it.effect("who is interrupted while he enters keeps nobody from being alone", () =>
    Effect.gen(function*() {
      for (let steps = 2; steps < 16; steps++) {
        const { alone, among } = yield* Together.make
        // It pauses after so many steps, where it is interrupted.
        const entering = yield* Effect.forkChild(
          Effect.provideService(among(Effect.never), Scheduler.MaxOpsBeforeYield, steps),
          { startImmediately: true }
        )
        yield* Fiber.interrupt(entering)
        const waiting = yield* Effect.forkChild(alone(Effect.void), { startImmediately: true })
        assert.isDefined(waiting.pollUnsafe(), `${steps} steps`)
      }
    }))
})
