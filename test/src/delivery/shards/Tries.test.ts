import { Journal, type StepResult } from "#src/delivery/Journal.ts"
import { closed, type Ending, fenced } from "#src/delivery/pipeline/Journey.ts"
import type { Pipeline } from "#src/delivery/Pipeline.ts"
import * as Together from "#src/delivery/shards/Together.ts"
import * as Tries from "#src/delivery/shards/Tries.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const written: StepResult = { _tag: "Written", status: "ENQUEUED", provenAtNanos: 0n }

/** Runs messages that were open when the shard was taken; `tries` are those that were counted, in order. */
const guarded = Effect.fnUntraced(function*(
  begun: StepResult,
  running: Effect.Effect<Ending> | Pipeline["Service"]["run"],
  mayBegin = (): boolean => true
) {
  const tries: Array<number | undefined> = []
  const record: Journal["Service"]["record"] = (step) =>
    Effect.sync(() => {
      tries.push(step.tries)
      return begun
    })
  const journal = yield* Effect.provide(Journal, Layer.mock(Journal, { record }))
  const abandon = () => Effect.die("nothing is set aside")
  const run = typeof running === "function" ? running : () => running
  const guard = Tries.make({ journal, together: yield* Together.make, pipeline: { run, abandon } })
  const place = yield* Fixture.world
  const message = Fixture.message(place)
  const hands = { epoch: 1, mayBegin, handedOver: Effect.never }
  return {
    message,
    tries,
    run: (before: number) => guard({ ...message, recovered: true, tries: before }, hands),
    runNew: guard(message, hands)
  }
})

describe("A message that was open when its shard was taken", () => {
  it.effect.each([
    { what: "another owner has the shard", begun: { _tag: "Fenced" as const }, ending: fenced },
    { what: "it was cancelled meanwhile", begun: { _tag: "Refused" as const }, ending: closed }
  ])("P2, P6: is not run where its try cannot be counted, since $what", ({ begun, ending }) =>
    Effect.gen(function*() {
      const { run } = yield* guarded(begun, Effect.die("it was run"))
      assert.deepStrictEqual(yield* run(0), ending)
    }))

  it.effect("whose step came to an end has each further try counted, also if it was fenced before", () =>
    Effect.gen(function*() {
      const endings: Array<Ending> = [fenced, fenced, { _tag: "Waiting", dueAt: 1 }]
      const { run, tries } = yield* guarded(written, Effect.sync(() => endings.shift() ?? closed))
      // The second was fenced after a call had cleared its count.
      for (const before of [0, 0, 1, 2, 3]) yield* run(before)
      assert.deepStrictEqual(tries, [1, 1, 1, 3, 4])
    }))

  it.effect.each([
    { before: 0, most: 300 },
    { before: 1, most: 256 },
    { before: 2, most: 16 },
    { before: 3, most: 1 },
    { before: 4, most: 1 }
  ])("runs beside at most $most, itself included, after $before tries", ({ before, most }) =>
    Effect.gen(function*() {
      const running = { now: 0, most: 0, ever: 0 }
      const { run } = yield* guarded(
        written,
        Effect.gen(function*() {
          running.ever++
          running.most = Math.max(running.most, ++running.now)
          yield* Effect.sleep(1)
          running.now--
          return closed
        })
      )
      for (let n = 0; n < 300; n++) yield* Effect.forkChild(run(before), { startImmediately: true })
      for (let turn = 0; turn < 300; turn++) yield* TestClock.adjust(1)
      assert.deepStrictEqual([running.most, running.ever], [most, 300])
    }))

  const others = [["a new one", undefined], ["one in its first try", 0], ["one in its third", 2]] as const
  for (const isHandedOver of [false, true]) {
    const then = isHandedOver ? "and not at all once its shard is being handed over" : "and then it does"
    it.effect.each(others)(
      `P4: %s does not run beside one that may kill its process, ${then}`,
      ([, before]) =>
        Effect.gen(function*() {
          const go = yield* Deferred.make<void>()
          const begun: Array<number> = []
          let isDraining = false
          const { message, run, runNew } = yield* guarded(
            written,
            ({ tries }) => Effect.as(Effect.andThen(Effect.sync(() => begun.push(tries)), Deferred.await(go)), closed),
            () => !isDraining
          )
          yield* Effect.forkChild(run(3), { startImmediately: true })
          const other = yield* Effect.forkChild(before === undefined ? runNew : run(before), { startImmediately: true })
          yield* TestClock.adjust(1)
          assert.deepStrictEqual(begun, [4])
          isDraining = isHandedOver
          yield* Deferred.succeed(go, undefined)
          const waiting: Ending = { _tag: "Waiting", dueAt: message.dueAt }
          assert.deepStrictEqual(yield* Fiber.join(other), isHandedOver ? waiting : closed)
          assert.lengthOf(begun, isHandedOver ? 1 : 2)
        })
    )
  }

  it.effect.each([0, 1, 2, 3])(
    "begins no more once its shard is being handed over, if it had to wait for its turn: %s tries before",
    (before) =>
      Effect.gen(function*() {
        const go = yield* Deferred.make<void>()
        let begun = 0
        const slow = Effect.suspend(() => {
          begun++
          return Effect.as(Deferred.await(go), closed)
        })
        let isDraining = false
        const { message, run, tries } = yield* guarded(written, slow, () => !isDraining)
        const all = yield* Effect.forkChild(
          Effect.all(Array.from({ length: 400 }, () => run(before)), { concurrency: "unbounded" })
        )
        while (begun < Math.min(400, [400, 256, 16, 1][before] ?? 0)) yield* Effect.yieldNow
        const first = begun
        isDraining = true
        yield* Deferred.succeed(go, undefined)
        const endings = yield* Fiber.join(all)
        assert.deepStrictEqual([begun, tries.length], [first, first])
        assert.deepStrictEqual(endings.filter((ending) => ending._tag === "Closed").length, first)
        const waiting: Ending = { _tag: "Waiting", dueAt: message.dueAt }
        for (const ending of endings) if (ending._tag !== "Closed") assert.deepStrictEqual(ending, waiting)
      })
  )
})
