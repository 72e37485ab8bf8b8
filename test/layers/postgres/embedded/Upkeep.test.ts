import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { DatabaseBroken } from "#layers/postgres/embedded/EmbeddedError.ts"
import * as Upkeep from "#layers/postgres/embedded/Upkeep.ts"
import * as Directories from "#test/support/Directories.ts"
import { assert, layer, vi } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import process from "node:process"

const database = Layer.unwrap(Effect.gen(function*() {
  const dataDir = yield* Directories.withDatabase
  return Embedded.layer({ dataDir, durability: "process" })
}))

/** The client, and a queue of the statements of the upkeep that were executed. */
const watched = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const done = yield* Queue.unbounded<string>()
  const client = new Proxy(sql, {
    get: (client, key) =>
      key === "unsafe"
        ? (text: string) => Effect.tap(client.unsafe(text), () => Queue.offer(done, text))
        : Reflect.get(client, key)
  })
  return { sql, done, client }
})

layer(database, { timeout: "60 seconds" })("Upkeep of the embedded database", (it) => {
  it.effect(
    "every ten minutes vacuums the tables that grew or shrank since, and no others",
    () =>
      Effect.gen(function*() {
        const { client, done: vacuumed, sql } = yield* watched
        const grow = (table: string) =>
          sql`INSERT INTO ${sql(table)} SELECT g, repeat('x', 100) FROM generate_series(1, 1000) AS g`
        for (const table of ["a", "b", "c"]) {
          yield* sql`CREATE TABLE ${sql(table)} (i int, text text)`
          yield* grow(table)
        }
        yield* Layer.build(Upkeep.layer).pipe(Effect.provideService(SqlClient.SqlClient, client))
        yield* TestClock.adjust("10 minutes")
        assert.sameMembers(yield* Queue.takeN(vacuumed, 3), ["a", "b", "c"].map((name) => `vacuum (analyze) ${name}`))
        assert.deepStrictEqual(yield* sql`SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'a'`, [
          { rows: 1000 }
        ])
        yield* grow("b")
        yield* sql`TRUNCATE c`
        yield* TestClock.adjust("10 minutes")
        assert.sameMembers(yield* Queue.takeN(vacuumed, 2), ["b", "c"].map((name) => `vacuum (analyze) ${name}`))
        yield* grow("b")
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* Queue.take(vacuumed), "vacuum (analyze) b")
      }),
    60_000
  )

  it.effect(
    "of a day of messages only the statistics are renewed, and the indexes of what is open rebuilt once closed rows fill them",
    () =>
      Effect.gen(function*() {
        const { client, done, sql } = yield* watched
        yield* sql`DROP TABLE IF EXISTS a, b, c`
        yield* sql`CREATE TABLE messages (id text, due_at bigint) PARTITION BY RANGE (id)`
        yield* sql`CREATE TABLE messages_20260101 PARTITION OF messages FOR VALUES FROM ('1') TO ('2')`
        yield* sql`CREATE INDEX ready ON messages (id) WHERE due_at = 0`
        yield* sql`CREATE INDEX every ON messages (id) WHERE id IS NOT NULL`
        /** Accepts messages, whose entries fill 10 MiB of each index, and closes them. */
        const deliver = (day: string) =>
          Effect.andThen(
            sql`INSERT INTO messages SELECT ${day} || repeat('x', 400) || g, 0 FROM generate_series(1, 25000) AS g`,
            sql`UPDATE messages SET due_at = NULL WHERE due_at = 0`
          )
        const size = sql`SELECT pg_relation_size('messages_20260101_id_idx')::int AS bytes`.pipe(
          Effect.map(([row]) => Number(row?.["bytes"]))
        )
        yield* deliver("10")
        const full = yield* size
        yield* Layer.build(Upkeep.layer).pipe(Effect.provideService(SqlClient.SqlClient, client))
        yield* TestClock.adjust("10 minutes")
        const [analysis] = yield* Queue.takeN(done, 1)
        assert.include(analysis, "analyze messages_20260101")
        assert.strictEqual(yield* Queue.take(done), "reindex index messages_20260101_id_idx")
        assert.isBelow(yield* Effect.repeat(size, { until: (bytes) => bytes < full }), full / 100)
        assert.deepStrictEqual(
          yield* sql`SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'messages_20260101'`,
          [
            { rows: 25_000 }
          ]
        )
        yield* sql`INSERT INTO messages VALUES ('11', 0)`
        yield* deliver("12")
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual((yield* Queue.takeN(done, 2)).at(-1), "reindex index messages_20260101_id_idx")
      }),
    60_000
  )

  it.effect("a database that broke ends the process, which says why", () =>
    Effect.gen(function*() {
      const left = yield* Deferred.make<unknown>()
      const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
        Deferred.doneUnsafe(left, Effect.succeed(code))
        return assert.fail("nothing runs after this")
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => exit.mockRestore()))
      const lines: Array<string> = []
      const store = Layer.mock(Embedded.EmbeddedStore, {
        broken: Effect.succeed(new DatabaseBroken({ detail: "PANIC:  could not fsync" }))
      })
      yield* Layer.build(Upkeep.layer.pipe(
        Layer.provide(store),
        Layer.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => lines.push(line))]))
      ))
      assert.strictEqual(yield* Deferred.await(left), 1)
      assert.include(lines.join("\n"), "could not fsync")
    }))
})
