import { SendCounts } from "#src/flows/SendCounts.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "The counts of send limits on Postgres",
  (it) => {
    it.effect(
      "a message counts once, also where two owners look at it in different hours, or know different limits",
      () =>
        Effect.gen(function*() {
          const place = yield* Fixture.world
          const sql = yield* SqlClient.SqlClient
          const counts = yield* SendCounts
          const { id, scope } = yield* Fixture.accepted(place)
          const count = (from: number) => ({
            per: "user" as const,
            period: "hour" as const,
            subject: "ada",
            from,
            until: from + 3_600_000,
            most: 5
          })
          const hours = [count(0), count(3_600_000)]
          /** Until so many sessions wait for a lock. */
          const waiting = (sessions: number) =>
            sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.pipe(
              Effect.repeat({ until: (found) => found.length === sessions, schedule: Schedule.spaced("10 millis") })
            )
          const locked = yield* Latch.make()
          const end = yield* Latch.make()
          const other = yield* sql`select from messages where scope = ${scope} and id = ${id} for update`.pipe(
            Effect.andThen(locked.open),
            Effect.andThen(end.await),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* locked.await
          const both: Array<Fiber.Fiber<unknown, unknown>> = []
          for (const [n, hour] of hours.entries()) {
            both.push(yield* Effect.forkChild(counts.take({ scope, messageId: id, counts: [hour] })))
            yield* waiting(n + 1)
          }
          yield* end.open
          yield* Fiber.join(other)
          for (const fiber of both) assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Counted" })
          assert.deepStrictEqual((yield* counts.used(scope, hours)).toSorted(), [0, 1])
        }),
      30_000
    )
  }
)
