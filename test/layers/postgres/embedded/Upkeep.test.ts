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

layer(database, { timeout: "60 seconds" })("Upkeep of the embedded database", (it) => {
  it.effect(
    "every ten minutes vacuums the tables that grew or shrank since, and no others",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const vacuumed = yield* Queue.unbounded<string>()
        const watched = new Proxy(sql, {
          get: (client, key) =>
            key === "unsafe"
              ? (text: string) => Effect.tap(client.unsafe(text), () => Queue.offer(vacuumed, text))
              : Reflect.get(client, key)
        })
        const grow = (table: string) =>
          sql`INSERT INTO ${sql(table)} SELECT g, repeat('x', 100) FROM generate_series(1, 1000) AS g`
        for (const table of ["a", "b", "c"]) {
          yield* sql`CREATE TABLE ${sql(table)} (i int, text text)`
          yield* grow(table)
        }
        yield* Layer.build(Upkeep.layer).pipe(Effect.provideService(SqlClient.SqlClient, watched))
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
