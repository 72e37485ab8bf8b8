import * as GroupCommit from "#layers/postgres/journal/GroupCommit.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Clock, Effect, Fiber, Latch, Logger, Schema } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"

describe("GroupCommit", () => {
  it.effect("tells the log of the first flush that fails and of the first that succeeds after it, and of no other", () =>
    Effect.gen(function*() {
      const told: globalThis.Array<string> = []
      const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
        told.push(`${logLevel} ${globalThis.Array.isArray(message) ? message[0] : message}`)
      })
      const answers = ["full", "full", "written", "hangs", "written", "written"]
      const write = yield* GroupCommit.make<string, string>({
        name: "accepts",
        capacity: 10,
        writers: 1,
        maxBatch: 1,
        patience: "1 second",
        write: (items) =>
          Effect.suspend(() => {
            const answer = answers.shift()
            if (answer === "hangs") return Effect.never
            return answer === "written"
              ? Effect.succeed(items)
              : Effect.fail(new StoreUnavailable({ cause: "disk full" }))
          })
      }).pipe(Effect.provide(Logger.layer([logger])))
      const results: globalThis.Array<string> = []
      for (let n = 0; n < 6; n++) {
        const fiber = yield* Effect.forkChild(Effect.result(write("item")), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        results.push((yield* fiber.pollUnsafe() ?? Effect.die("no answer"))._tag)
      }
      assert.deepStrictEqual(results, ["Failure", "Failure", "Success", "Failure", "Success", "Success"])
      assert.deepStrictEqual(told, [
        "Error the journal cannot be written",
        "Info the journal is written again",
        "Error the journal cannot be written",
        "Info the journal is written again"
      ])
    }))

  it.effect("who is woken together is written together, the first of them included", () =>
    Effect.gen(function*() {
      const batches: globalThis.Array<number> = []
      const write = yield* GroupCommit.make<number, number>({
        name: "steps",
        capacity: 1_000,
        writers: 1,
        maxBatch: 512,
        patience: "1 second",
        write: (items) =>
          Effect.sync(() => {
            batches.push(items.length)
            return items
          })
      })
      // As an answer of the database wakes them: each goes on before the next is woken.
      const wake: globalThis.Array<() => void> = []
      const woken = Effect.callback<void>((resume) => void wake.push(() => resume(Effect.void)))
      const all = yield* Effect.forEach(Array.range(1, 300), (n) => Effect.andThen(woken, write(n)), {
        concurrency: "unbounded"
      }).pipe(Effect.forkChild({ startImmediately: true }))
      // By then the writer waits as well.
      yield* Effect.yieldNow
      yield* Effect.sync(() => wake.forEach((one) => one()))
      yield* Fiber.join(all)
      assert.deepStrictEqual(batches, [300])
    }))

  it.effect("enough that come in one turn do not wait for its end, and what comes after them goes with the next writer", () =>
    Effect.gen(function*() {
      const batches: globalThis.Array<number> = []
      const commit = Latch.makeUnsafe()
      const write = yield* GroupCommit.make<number, number>({
        name: "accepts",
        capacity: 1_000,
        writers: 2,
        maxBatch: 512,
        enough: 32,
        patience: "1 second",
        write: (items) =>
          Effect.suspend(() => {
            batches.push(items.length)
            return Effect.as(commit.await, items)
          })
      })
      // By then both writers wait.
      yield* Effect.yieldNow
      const inTurn: globalThis.Array<ReadonlyArray<number>> = []
      const all = yield* Effect.forEach(
        Array.range(1, 100),
        (n) =>
          Effect.forkChild(write(n), { startImmediately: true }).pipe(
            Effect.tap(() => Effect.sync(() => inTurn.push([...batches])))
          )
      )
      assert.deepStrictEqual([30, 31, 62, 63, 99].map((n) => inTurn[n]), [[], [32], [32], [32, 32], [32, 32]])
      yield* commit.open
      const results = yield* Effect.forEach(all, Fiber.join)
      assert.deepStrictEqual(results, Array.range(1, 100))
      assert.deepStrictEqual(batches, [32, 32, 36])
    }))

  it.effect("tells of each item once that it came, and once that it left, however it ended", () =>
    Effect.gen(function*() {
      const waiting: globalThis.Array<string> = []
      const gone: globalThis.Array<string> = []
      const hangs = Latch.makeUnsafe()
      const ends = yield* Effect.scoped(Effect.gen(function*() {
        const write = yield* GroupCommit.make<string, string>({
          name: "steps",
          capacity: 3,
          writers: 1,
          maxBatch: 1,
          patience: "1 second",
          watch: {
            came: (item) => void waiting.push(item),
            left: (item) => void gone.push(...waiting.splice(waiting.indexOf(item), 1))
          },
          write: ([item]) => item === "written" ? Effect.succeed([item]) : Effect.andThen(hangs.open, Effect.never)
        })
        const fork = (item: string) => Effect.forkChild(Effect.exit(write(item)), { startImmediately: true })
        const written = yield* Fiber.join(yield* fork("written"))
        const first = yield* fork("hangs")
        yield* hangs.await
        const hanging = [first, ...yield* Effect.forEach(["late", "later", "latest", "too many"], fork)]
        const isCounted = waiting.length === 4
        yield* TestClock.adjust("1 second")
        const failed = yield* Effect.forEach(hanging, Fiber.join)
        return [isCounted, ...[written, ...failed].map(({ _tag }) => _tag)]
      }))
      assert.deepStrictEqual(ends, [true, "Success", ...Array.replicate("Failure", 5)])
      assert.deepStrictEqual([waiting, gone], [[], ["written", "hangs", "late", "later", "latest"]])
    }))

  it.effect("tells once that an item left, also where a flush is given up that had written it", () =>
    Effect.gen(function*() {
      const gone: globalThis.Array<string> = []
      const refusal = new SqlError.SqlError({
        reason: new SqlError.UnknownError({ cause: { code: "23514" }, message: "Failed to execute statement" })
      })
      const write = yield* GroupCommit.make<string, string>({
        name: "steps",
        capacity: 3,
        writers: 1,
        maxBatch: 3,
        patience: "1 second",
        watch: { came: () => undefined, left: (item) => void gone.push(item) },
        write: (items) => {
          if (items.length > 1) return Effect.fail(refusal)
          return items.includes("hangs") ? Effect.never : Effect.succeed(items)
        }
      })
      const all = yield* Effect.forEach(["written", "hangs", "late"], (item) => Effect.exit(write(item)), {
        concurrency: "unbounded"
      }).pipe(Effect.forkChild({ startImmediately: true }))
      yield* TestClock.adjust("1 second")
      const ends = yield* Fiber.join(all)
      assert.deepStrictEqual(ends.map(({ _tag }) => _tag), ["Success", "Failure", "Failure"])
      assert.deepStrictEqual(gone, ["written", "hangs", "late"])
    }))

  it.effect.prop(
    "waits longer, in proportion, for an item that is heavier than what one flush may weigh",
    [Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))],
    ([weight]) =>
      Effect.gen(function*() {
        const write = yield* GroupCommit.make<number, number>({
          name: "steps",
          capacity: 3,
          writers: 1,
          maxBatch: 1_000,
          weigh: (item) => item,
          patience: "1 second",
          write: () => Effect.never
        })
        const start = yield* Clock.currentTimeMillis
        const hanging = yield* Effect.forkChild(Effect.andThen(Effect.exit(write(weight)), Clock.currentTimeMillis))
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* Fiber.join(hanging)) - start, Math.ceil(weight / 1_000) * 1_000)
      }).pipe(Effect.scoped)
  )
})
