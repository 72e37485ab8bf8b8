import * as Database from "#layers/memory/Database.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"

const add = (n: number) =>
  Database.Database.use(({ modify }) => modify((state) => [undefined, { ...state, seq: state.seq + n }]))
const count = Database.Database.use(({ read }) => read((state) => state.seq))
const together = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Database.Database.use(({ transaction }) => transaction(effect))

const fresh = Effect.provide(Database.layer)

describe("Database in memory", () => {
  for (
    const [how, ending] of [["failure", Effect.fail("no")], ["defect", Effect.die("no")], [
      "interruption",
      Effect.interrupt
    ]] as const
  ) {
    it.effect(`a ${how} takes every change of its transaction back`, () =>
      Effect.gen(function*() {
        yield* add(1)
        const work = together(Effect.andThen(Effect.andThen(add(10), add(20)), ending))
        const fiber = yield* Effect.forkChild(work)
        assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
        assert.strictEqual(yield* count, 1)
        yield* together(add(2))
        assert.strictEqual(yield* count, 3)
      }).pipe(fresh))
  }

  it.effect("a transaction within one is a savepoint", () =>
    Effect.gen(function*() {
      yield* together(Effect.gen(function*() {
        yield* Effect.exit(together(Effect.andThen(add(100), Effect.fail("first access"))))
        yield* add(1)
        yield* Effect.exit(together(Effect.andThen(add(10), Effect.fail("inner"))))
        assert.strictEqual(yield* count, 1)
        yield* together(add(5))
      }))
      assert.strictEqual(yield* count, 6)
    }).pipe(fresh))

  it.effect("what is not committed is seen inside only, and a write from outside waits", () =>
    Effect.gen(function*() {
      const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const work = Effect.gen(function*() {
        yield* add(1)
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(go)
        yield* add(yield* count)
        return yield* count
      })
      const inside = yield* Effect.forkChild(together(work))
      yield* Deferred.await(begun)
      const outside = yield* Effect.forkChild(add(100))
      yield* Effect.yieldNow
      assert.strictEqual(yield* count, 0)
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Fiber.join(inside), 2)
      yield* Fiber.join(outside)
      assert.strictEqual(yield* count, 102)
    }).pipe(fresh))

  it.effect("fibers of one transaction share it", () =>
    Effect.gen(function*() {
      yield* together(Effect.forEach([1, 2, 3, 4], add, { concurrency: "unbounded" }))
      assert.strictEqual(yield* count, 10)
    }).pipe(fresh))

  it.effect.prop(
    "transactions that read, wait and write are serializable",
    {
      waits: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))).check(Schema.isMaxLength(12))
    },
    ({ waits }) =>
      Effect.gen(function*() {
        yield* Effect.forEach(waits, (turns) =>
          together(Effect.gen(function*() {
            const before = yield* count
            yield* Effect.repeat(Effect.yieldNow, { times: turns })
            const { modify } = yield* Database.Database
            yield* modify((state) => [undefined, { ...state, seq: before + 1 }])
          })), { concurrency: "unbounded" })
        assert.strictEqual(yield* count, waits.length)
      }).pipe(fresh)
  )
})
