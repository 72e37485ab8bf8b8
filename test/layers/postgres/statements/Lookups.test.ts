import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Reactivity } from "effect/reactivity"
import { TestClock } from "effect/testing"

/** Lookups only ask a client whether there is a transaction; there is none. */
const outside = Layer.effect(
  SqlClient.SqlClient,
  SqlClient.make({
    acquirer: Effect.die("never asked"),
    compiler: PgClient.makeCompiler(),
    driver: "none",
    spanAttributes: []
  })
)

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
    }).pipe(Effect.scoped, Effect.provide(outside.pipe(Layer.provide(Reactivity.layer)))))
})
