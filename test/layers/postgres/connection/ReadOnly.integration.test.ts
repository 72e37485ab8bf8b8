import * as ReadOnly from "#layers/postgres/connection/ReadOnly.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Layer, Logger, Result, Schedule } from "effect"
import { SqlClient } from "effect/sql"

const sessions = 6

/** So many writes at once that each has a session of its own. */
const writes = SqlClient.SqlClient.use((sql) =>
  Effect.forEach(
    Array.range(1, sessions),
    (value) => Effect.result(sql`insert into written select ${String(value)} from pg_sleep(0.2)`),
    { concurrency: "unbounded" }
  )
)

/** Makes the pool open so many sessions. */
const open = (count: number) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.forEach(Array.range(1, count), () => sql`select pg_sleep(0.2)`, { concurrency: "unbounded" })
  )

/** What the log says to operators. */
const heard: Array<string> = []
const listening = Logger.layer([Logger.make(({ logLevel, message }) => void heard.push(`${logLevel} ${message}`))])
const alarm = "Error the database is read-only: nothing is accepted or delivered until it takes writes"

/** A watched pool on a database that was read-only when its first sessions began; `use` is given how to end that. */
const watched = <A, E>(use: (over: Effect.Effect<void, unknown>) => Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function*() {
    heard.length = 0
    const database = yield* FreshDatabase.url
    const alone = Effect.provide(FreshDatabase.node(database))
    yield* SqlClient.SqlClient.use((sql) => sql`create table written (value text)`).pipe(
      Effect.andThen(setReadOnly("on")),
      alone
    )
    const pool = ReadOnly.layer(sessions).pipe(
      Layer.provideMerge(FreshDatabase.node(database)),
      Layer.provide(listening)
    )
    return yield* use(Effect.asVoid(alone(setReadOnly("off")))).pipe(Effect.provide(pool))
  })

const patience = Schedule.spaced("500 millis").pipe(Schedule.upTo({ times: 30 }))

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
    "P1: is written to again in every session, also those that the pool opened meanwhile; operators hear of both once",
    () =>
      watched(Effect.fnUntraced(function*(over) {
        assert.isTrue((yield* writes).every(Result.isFailure))
        const told = yield* Effect.repeat(Effect.andThen(writes, Effect.sync(() => [...heard])), {
          schedule: patience,
          until: (lines) => lines.length > 0
        })
        assert.deepStrictEqual(told, [alarm])
        yield* over
        const settled = yield* Effect.repeat(writes, {
          schedule: patience,
          until: (all) => all.every(Result.isSuccess)
        })
        assert.isTrue(settled.every(Result.isSuccess))
        const lines = yield* Effect.repeat(Effect.sync(() => [...heard]), {
          schedule: patience,
          until: ({ length }) => length > 1
        })
        assert.deepStrictEqual(lines, [alarm, "Info the database takes writes again"])
      })),
    60_000
  )

  it.live(
    "is no alarm where only some sessions were left over: they end, and others write",
    () =>
      watched(Effect.fnUntraced(function*(over) {
        yield* open(sessions / 2)
        yield* over
        yield* open(sessions)
        assert.isTrue((yield* writes).some(Result.isFailure))
        const settled = yield* Effect.repeat(writes, {
          schedule: patience,
          until: (all) => all.every(Result.isSuccess)
        })
        assert.isTrue(settled.every(Result.isSuccess))
        assert.deepStrictEqual(heard, [])
      })),
    60_000
  )
})
