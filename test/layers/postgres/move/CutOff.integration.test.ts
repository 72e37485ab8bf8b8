import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { contents, filled, move, ofRows, on, starts, within } from "#test/layers/postgres/move/Moving.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Random } from "effect"

describe("a move that is cut off", () => {
  it.live(
    "while it writes leaves the data directory the only store that a server starts on, and is begun anew",
    () =>
      Effect.gen(function*() {
        const [directory, database] = [yield* filled, yield* FreshDatabase.url]
        const before = yield* within(directory, contents)
        for (let times = 0; times < 2; times++) {
          const part = yield* Random.next
          const cut = move(
            directory,
            database,
            ofRows((moved, of) => moved < part * of ? Effect.void : Effect.interrupt)
          )
          assert.strictEqual((yield* Effect.exit(cut))._tag, "Failure")
          assert.deepStrictEqual(yield* starts(directory, database), ["started", "BeingMoved"])
        }
        yield* move(directory, database)
        assert.deepStrictEqual(yield* on(database, contents), before)
      }),
    240_000
  )

  it.live(
    "between the mark of the data directory and the last commit leaves no two stores, and is ended by the next",
    () =>
      Effect.gen(function*() {
        const [directory, database] = [yield* filled, yield* FreshDatabase.url]
        const before = yield* within(directory, contents)
        // The tables are made by the first, which ends before it writes.
        yield* Effect.exit(move(directory, database, ofRows(() => Effect.interrupt)))
        yield* on(database, (sql) =>
          Effect.andThen(
            sql.unsafe("create function no() returns trigger language plpgsql as $$ begin raise 'no'; end $$"),
            sql`create trigger no before update on settings for each row execute function no()`
          ))
        assert.strictEqual((yield* Effect.exit(move(directory, database)))._tag, "Failure")
        assert.deepStrictEqual(yield* starts(directory, database), ["DataDirectoryMoved", "BeingMoved"])
        const elsewhere = yield* Effect.flip(move(directory, yield* FreshDatabase.url))
        assert.include(elsewhere.message, "was moved to there at")
        yield* on(database, (sql) => sql`drop function no() cascade`)
        const counts = yield* move(directory, database)
        assert.deepStrictEqual(counts?.filter(({ source, target }) => source !== target), [])
        assert.deepStrictEqual(yield* starts(directory, database), ["DataDirectoryMoved", "started"])
        assert.deepStrictEqual(yield* on(database, contents), before)
      }),
    240_000
  )

  it.live(
    "by another move into its database leaves that one's rows alone there, and its own where they were",
    () =>
      Effect.gen(function*() {
        const [one, two, database] = [yield* filled, yield* filled, yield* FreshDatabase.url]
        yield* within(two, (sql) => sql`insert into profiles values (2, 'two', '{}', 1, 1)`)
        const before = yield* within(two, contents)
        const [writes, goes] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const first = yield* Effect.forkChild(
          Effect.flip(
            move(one, database, ofRows(() => Effect.andThen(Deferred.succeed(writes, undefined), Deferred.await(goes))))
          )
        )
        yield* Deferred.await(writes)
        const second = yield* Effect.forkChild(move(two, database))
        yield* on(database, (sql) =>
          Effect.repeat(
            sql`select 1 from pg_locks where not granted and mode = 'ExclusiveLock' and database = (select oid from pg_database
          where datname = current_database())`,
            { until: (rows) => rows.length > 0 }
          ))
        yield* Deferred.succeed(goes, undefined)
        const { message } = yield* Fiber.join(first)
        assert.strictEqual(message, "another move into the database of DATABASE_URL began meanwhile")
        yield* Fiber.join(second)
        assert.deepStrictEqual(yield* on(database, contents), before)
        assert.deepStrictEqual(yield* starts(one, database), ["started", "started"])
      }),
    240_000
  )
})
