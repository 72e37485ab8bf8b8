import * as PostgresSendCounts from "#layers/postgres/SendCounts.ts"
import { SendCounts } from "#src/flows/SendCounts.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as CutAtCommit from "#test/layers/postgres/CutAtCommit.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

const hour = 3_600_000

const count = (from: number) => ({
  per: "user" as const,
  period: "hour" as const,
  subject: "ada",
  from,
  until: from + hour,
  most: 5
})

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
          const hours = [count(0), count(hour)]
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

it.effect(
  "P2: a node that stands still while it counts does not keep the others from it",
  () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      const standing = CutAtCommit.make(database)
      yield* Effect.gen(function*() {
        const place = yield* Fixture.world
        const sql = yield* SqlClient.SqlClient
        const counts = yield* SendCounts
        const still = Context.get(
          yield* Layer.build(Layer.fresh(PostgresSendCounts.layer).pipe(Layer.provide(standing.layer))),
          SendCounts
        )
        const taking = Effect.fnUntraced(function*(by: SendCounts["Service"]) {
          const { id, scope } = yield* Fixture.accepted(place)
          return by.take({ scope, messageId: id, counts: [count(0)] })
        })
        const first = yield* taking(still)
        const second = yield* taking(counts)
        standing.arm("silent", "insert into send_counts")
        yield* Effect.forkScoped(first)
        yield* Effect.repeat(
          sql`select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
          and query like '%into send_counts%'`,
          { until: (found) => found.length === 1 }
        )
        assert.deepStrictEqual(yield* second, { _tag: "Counted" })
        assert.deepStrictEqual(yield* counts.used(place.scope, [count(0)]), [1])
      }).pipe(Effect.provide(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.node(database)))))
    }).pipe(Effect.scoped),
  20_000
)
