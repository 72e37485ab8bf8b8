import * as RateLimitsLive from "#layers/postgres/RateLimits.ts"
import { RateLimits, windowMs } from "#src/access/RateLimits.ts"
import { Scope } from "#schemas/Scope.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

layer(RateLimitsLive.layer.pipe(Layer.provideMerge(FreshDatabase.layer)))("RateLimits on Postgres", (it) => {
  it.effect("what was counted for each of many things is gone with the next count of a later window", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const take = (of: string, scope = 1) =>
        RateLimits.use((_) => _.take(Scope.make(scope), { name: "resends", limit: 5, of }))
      yield* Effect.forEach(["a", "b", "c"], (of) => take(of), { concurrency: "unbounded" })
      yield* take("of another workspace", 3)
      yield* RateLimits.use((_) => _.take(Scope.make(1), { name: "lists", limit: 5 }))
      yield* TestClock.adjust(windowMs)
      yield* Effect.forEach(["c", "d"], (of) => take(of), { concurrency: "unbounded" })
      const left = yield* sql<{ readonly name: string }>`select name from request_counts order by name collate "C"`
      assert.deepStrictEqual(left.map(({ name }) => name), [
        "lists",
        "resends/c",
        "resends/d",
        "resends/of another workspace"
      ])
    }))
})
