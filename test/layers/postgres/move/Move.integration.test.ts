import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { contents, filled, installed, move, on, starts, within } from "#test/layers/postgres/move/Moving.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

describe("a move of the embedded database", () => {
  it.live(
    "takes every row of every table of the schema along as it is, and leaves the source as it was",
    () =>
      Effect.gen(function*() {
        const [directory, database] = [yield* filled, yield* FreshDatabase.url]
        const before = yield* within(
          directory,
          Effect.fnUntraced(function*(sql) {
            // As large as a row gets, and as many as take several pages.
            yield* sql`update messages set instructions = (select string_agg(md5(n::text) || ${"\"\\\\\""}, '') from generate_series(1, 150000) n)
            where ctid in (select min(ctid) from messages group by tableoid)`
            yield* sql`insert into profiles (scope, user_id, profile, created_at, updated_at)
            select 1, n::text, repeat('é', n % 900), n, n from generate_series(1, 5000) n`
            return yield* contents(sql)
          })
        )
        assert.isEmpty(Object.entries(before.digests).filter(([, digest]) => digest.startsWith("0 ")), "an empty table")
        const heard = new Map<string, number>()
        const counts = yield* move(directory, database, (done, of, what) => {
          assert.isTrue(done > (heard.get(what) ?? 0) && done <= of, `${done} of ${of} ${what}`)
          return Effect.sync(() => heard.set(what, done))
        })
        assert.deepStrictEqual([...heard.keys()], ["days made ready", "rows moved", "tables analyzed"])
        assert.deepStrictEqual(counts?.filter(({ source, target }) => source !== target || source === 0), [])
        assert.deepStrictEqual(yield* on(database, contents), before)
        assert.deepStrictEqual(yield* within(directory, contents), before)
        yield* on(
          database,
          Effect.fnUntraced(function*(sql) {
            const changes = sql`select count(*)::int as count from audience_changes`
            const [one] = yield* changes
            yield* sql`insert into profiles values (1, 'new', '{}', 1, 1)`
            assert.deepStrictEqual(yield* changes, [{ count: Number(one?.["count"]) + 1 }], "the triggers are back")
          })
        )
      }),
    240_000
  )

  it.live("lets servers start at the target alone, and a second one moves nothing", () =>
    Effect.gen(function*() {
      const [directory, database] = [yield* filled, yield* FreshDatabase.url]
      yield* move(directory, database)
      assert.deepStrictEqual(yield* starts(directory, database), ["DataDirectoryMoved", "started"])
      yield* on(database, (sql) => sql`delete from profiles`)
      assert.isUndefined(yield* move(directory, database))
      assert.deepStrictEqual(yield* on(database, (sql) => sql`select from profiles`), [])
      const other = yield* FreshDatabase.url
      const refused = yield* Effect.flip(move(directory, other))
      assert.match(
        refused.message,
        /^what is in data directory \S+ was moved to there at \S+: set DATABASE_URL to that; to go back, remove \S+moved.json, /
      )
      assert.deepStrictEqual(yield* on(other, (sql) => sql`select from settings`), [])
    }), 240_000)

  it.live(
    "refuses a database that has anything of Tidings, or another schema, and touches neither side",
    () =>
      Effect.gen(function*() {
        const [directory, database] = [yield* filled, yield* FreshDatabase.url]
        const refused = Effect.map(Effect.flip(move(directory, database)), ({ message }) => message)
        yield* Effect.scoped(Layer.build(Layer.provide(installed, FreshDatabase.node(database))))
        assert.strictEqual(
          yield* refused,
          "the database of DATABASE_URL has data of Tidings already, in settings; nothing was moved: name an empty one"
        )
        yield* on(
          database,
          (sql) => Effect.andThen(sql`delete from settings`, sql`insert into profiles values (1, 'ada', '{}', 1, 1)`)
        )
        assert.include(yield* refused, "has data of Tidings already, in profiles; nothing was moved")
        assert.deepStrictEqual(yield* on(database, (sql) => sql`select user_id from profiles`), [{ user_id: "ada" }])
        yield* on(
          database,
          (sql) => Effect.andThen(sql`delete from profiles`, sql`insert into migrations values (999, now(), 'later')`)
        )
        assert.match(
          yield* refused,
          /^the data directory has schema \d+, and the database of DATABASE_URL 999: move with the newer version$/
        )
        assert.deepStrictEqual(yield* on(database, (sql) => sql`select from settings`), [])
        assert.deepStrictEqual(yield* starts(directory, database), ["started", "started"])
      }),
    240_000
  )
})
