import * as ReadOnly from "#layers/postgres/ReadOnly.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Layer, Result, Schedule } from "effect"
import { SqlClient } from "effect/sql"

const sessions = 6

/** So many at once that each has a session of its own. */
const writes = SqlClient.SqlClient.use((sql) =>
  Effect.forEach(
    Array.range(1, sessions),
    (value) => Effect.result(sql`insert into written select ${String(value)} from pg_sleep(0.2)`),
    { concurrency: "unbounded" }
  )
)

const setReadOnly = (readOnly: "on" | "off") =>
  SqlClient.SqlClient.use((sql) =>
    Effect.andThen(
      sql`set default_transaction_read_only = off`,
      sql.unsafe(`do $$ begin
        execute format('alter database %I set default_transaction_read_only = ${readOnly}', current_database());
      end $$`).unprepared
    )
  )

describe("a database that was read-only for a while", () => {
  it.live(
    "P1: is written to again in every session, also those that the pool opened meanwhile",
    () =>
      Effect.gen(function*() {
        const database = yield* FreshDatabase.url
        yield* Effect.andThen(
          SqlClient.SqlClient.use((sql) => sql`create table written (value text)`),
          setReadOnly("on")
        ).pipe(Effect.provide(FreshDatabase.node(database)))
        yield* Effect.gen(function*() {
          assert.isTrue((yield* writes).every(Result.isFailure))
          yield* setReadOnly("off").pipe(Effect.provide(FreshDatabase.node(database)))
          const settled = yield* Effect.repeat(writes, {
            schedule: Schedule.spaced("500 millis").pipe(Schedule.upTo({ times: 30 })),
            until: (all) => all.every(Result.isSuccess)
          })
          assert.isTrue(settled.every(Result.isSuccess))
        }).pipe(Effect.provide(ReadOnly.layer(sessions).pipe(Layer.provideMerge(FreshDatabase.node(database)))))
      }),
    60_000
  )
})
