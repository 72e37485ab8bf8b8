import * as Lookups from "#layers/postgres/Lookups.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

/** Of a client, what lookups ask: whether there is a transaction. There is none. */
const outside = Layer.mock(SqlClient.SqlClient, { transactionService: SqlClient.TransactionConnection(-1) })

describe("Lookups", () => {
  it.effect("who asks a silent database waits 2 s, and nobody for the batches before his as well", () =>
    Effect.gen(function*() {
      const find = yield* Lookups.make<number, number>(() => Effect.never)
      const start = yield* Clock.currentTimeMillis
      const wait = Effect.gen(function*() {
        const { _tag } = yield* Effect.result(find(1))
        return [_tag, (yield* Clock.currentTimeMillis) - start] as const
      })
      const fibers = yield* Effect.forEach(
        Array.from({ length: 3_000 }),
        () => Effect.forkChild(wait, { startImmediately: true })
      )
      yield* TestClock.adjust("20 seconds")
      const ends = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(new Set(ends.map((end) => end.join(" "))), new Set(["Failure 2000"]))
    }).pipe(Effect.scoped, Effect.provide(outside)))
})
