import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "Proofs of ownership on Postgres",
  (it) => {
    it.effect("P2: a step proves its owner's shard for the time before it was sent, however late it commits or is answered", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { epoch, journal, message, place } = yield* Fixture.owned
        const [locked, end] = [yield* Latch.make(), yield* Latch.make()]
        const holder = sql`select epoch from epochs where shard = ${place.shard} for update`.pipe(
          Effect.andThen(locked.open),
          Effect.andThen(end.await),
          sql.withTransaction
        )
        const holding = yield* Effect.forkChild(holder)
        yield* locked.await
        const start = yield* Clock.monotonicTimeNanos
        const intent = { conditional: true, lifecycle: ["Route"] as const, attempt: Fixture.attempt(1, "intent") }
        const recording = yield* Effect.forkChild(journal.record(Fixture.step(message, epoch, intent)))
        yield* sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.pipe(
          Effect.repeat({ until: (found) => found.length > 0, schedule: Schedule.spaced("10 millis") })
        )
        // By now it was sent, and nothing that comes later is proved.
        const sent = yield* Clock.monotonicTimeNanos
        yield* end.open
        yield* Fiber.join(holding)
        const result = yield* Fiber.join(recording)
        assert(result._tag === "Written")
        assert.isTrue(start <= result.provenAtNanos && result.provenAtNanos <= sent)
      }))

    it.effect("P2: a database that lost the last epochs, as in a failover, gives none of them again", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { epoch, journal, message, place } = yield* Fixture.owned
        const lost = yield* journal.take(place.shard, "forgotten", place.at + 1_000)
        yield* sql`update epochs set epoch = ${epoch} where shard = ${place.shard}`
        const { epoch: current } = yield* journal.take(place.shard, "next", place.at + 2_000)
        const intent = { conditional: true, lifecycle: ["Route"] as const, attempt: Fixture.attempt(1, "intent") }
        const recorded = yield* Effect.forEach(
          [lost.epoch, current],
          (of) => journal.record(Fixture.step(message, of, intent))
        )
        assert.deepStrictEqual(recorded.map(({ _tag }) => _tag), ["Fenced", "Written"])
      }))
  }
)
