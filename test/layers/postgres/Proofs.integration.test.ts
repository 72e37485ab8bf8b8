import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** How long the database is held up, in ms. */
const held = 500

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "Proofs of ownership on Postgres",
  (it) => {
    it.effect("P2: a step proves its owner's shard for the time before it was sent, however late it commits or is answered", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { epoch, journal, message, place } = yield* Fixture.owned
        const locked = yield* Latch.make()
        const holder = sql`select epoch from epochs where shard = ${place.shard} for update`.pipe(
          Effect.andThen(locked.open),
          Effect.andThen(Effect.sleep(held)),
          sql.withTransaction
        )
        const fiber = yield* Effect.forkChild(holder)
        yield* locked.await
        const start = yield* Clock.monotonicTimeNanos
        const intent = { conditional: true, lifecycle: ["Route"] as const, attempt: Fixture.attempt(1, "intent") }
        const result = yield* journal.record(Fixture.step(message, epoch, intent))
        const took = Number((yield* Clock.monotonicTimeNanos) - start) / 1e6
        yield* Fiber.join(fiber)
        assert.isAbove(took, held / 2)
        assert(result._tag === "Written")
        assert.isBelow(Number(result.provenAtNanos - start) / 1e6, took / 2)
      }))
  }
)
