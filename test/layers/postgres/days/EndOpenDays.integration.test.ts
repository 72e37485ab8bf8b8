import * as Partitions from "#layers/postgres/days/Partitions.ts"
import { endOpen } from "#layers/postgres/EndOpen.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const week = 7 * 86_400_000

/** As a node plans that finds many days (`ManyDays`). */
const planned = (url: Redacted.Redacted) =>
  PgClient.layer({
    url,
    maxConnections: 6,
    idleTimeout: Duration.infinity,
    startupParameters: { plan_cache_mode: "force_custom_plan" }
  })

describe("The end of all that is open", () => {
  it.effect("opens no day before that of the first open message, however many there are", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const place = yield* Fixture.world
        for (let ago = 8; ago >= 0; ago--) {
          yield* TestClock.setTime(place.at - ago * week)
          yield* Partitions.ensure(sql)
        }
        yield* Fixture.accepted(place, { id: Fixture.id(place.at - 2 * week) })
        const last = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(place.at + week)).replaceAll("-", "")
        const ending = endOpen(() => Effect.die("nobody runs"))
        const { days, result } = yield* Reads.daysBefore("messages", `messages_${last}`, ending)
        assert.deepStrictEqual(result, { canceled: 1, taken: 0, requests: 0 })
        assert.strictEqual(days, 3 * 7, "of 65, and without the last one")
      }).pipe(Effect.provide(Layer.fresh(Stores.layer.pipe(Layer.provideMerge(planned(database))))))
    }).pipe(Effect.scoped), 60_000)
})
