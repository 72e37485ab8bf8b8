import * as Rows from "#layers/postgres/audiences/Rows.ts"
import * as StoredAudiences from "#layers/postgres/Audiences.ts"
import * as StoredSteps from "#layers/postgres/AudienceSteps.ts"
import * as StoredProfiles from "#layers/postgres/Profiles.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Schema, Tracer } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)
const engineer = { title: "Engineer" }
const draft = {
  name: "n",
  description: "",
  filter: { filters: [{ operator: "EQ" as const, path: "title", value: "Engineer" }] },
  operator: undefined
}

const stores = Layer.mergeAll(StoredAudiences.layer, StoredSteps.layer, StoredProfiles.layer).pipe(
  Layer.provideMerge(FreshDatabase.layer),
  Layer.provide(secretKey(7))
)

const start = Effect.gen(function*() {
  const [audiences, steps, profiles] = [yield* Audiences, yield* AudienceSteps, yield* Profiles]
  const settled = steps.advance.pipe(Effect.repeat({ while: (more) => more }))
  const members = (id = "eng") =>
    Effect.map(
      audiences.members(scope, id, { limit: 100, cursor: undefined }),
      ({ items }) => items.map(({ userId }) => userId)
    )
  return { audiences, steps, profiles, settled, members, sql: yield* SqlClient.SqlClient }
})

/** Runs an effect and answers the statements it took. */
const counting = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  let statements = 0
  const tracer = Tracer.make({
    span: (options) => {
      if (options.kind === "client") statements++
      return new Tracer.NativeSpan(options)
    }
  })
  return effect.pipe(Effect.withTracer(tracer), Effect.map(() => statements))
}

/** Makes a change in a transaction that is still open when this ends; what it answers commits it. */
const uncommitted = Effect.fnUntraced(function*<A, E>(sql: SqlClient.SqlClient, change: Effect.Effect<A, E>) {
  const made = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const fiber = yield* change.pipe(
    Effect.andThen(Deferred.succeed(made, undefined)),
    Effect.andThen(Deferred.await(release)),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* Deferred.await(made)
  return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(fiber))
})

const Count = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

describe("Audiences on Postgres", () => {
  it.effect("a filter is decoded once, and anew when it is another, though the audience has the same version", () =>
    Effect.gen(function*() {
      const { audiences, sql } = yield* start
      const rows = Rows.make(sql)
      const filters = Effect.map(
        rows.audiences(scope),
        (found) => found.audiences.toSorted((a, b) => a.id < b.id ? -1 : 1).map(({ filter }) => filter)
      )
      for (const id of ["eng", "other"]) yield* audiences.put(scope, id, draft)
      const [eng, other] = yield* filters
      assert.deepStrictEqual(eng, draft.filter)
      const [one, two] = yield* filters
      assert.strictEqual(one, eng)
      assert.strictEqual(two, other)
      yield* sql`update audiences set filter = replace(filter, 'Engineer', 'Chef') where scope = ${scope} and id = 'eng'`
      const chef = { filters: [{ operator: "EQ" as const, path: "title", value: "Chef" }] }
      assert.deepStrictEqual((yield* rows.audiences(scope, "eng")).audiences[0]?.filter, chef)
      const [changed, kept] = yield* filters
      assert.deepStrictEqual(changed, chef)
      assert.strictEqual(kept, other)
      yield* sql`update audiences set filter = null where scope = ${scope} and id = 'eng'`
      assert.deepStrictEqual(yield* filters, [undefined, other])
      yield* sql`delete from audiences where scope = ${scope}`
      assert.deepStrictEqual(yield* filters, [])
    }).pipe(Effect.provide(stores)))

  it.effect("one made again while it is being removed keeps no member of the old one", () =>
    Effect.gen(function*() {
      const { audiences, members, settled, sql } = yield* start
      for (let version = 1; version <= 3; version++) yield* audiences.put(scope, "eng", draft)
      yield* settled
      // Of a profile that went while no audience was there to see it.
      yield* sql`insert into audience_members values (${scope}, 'eng', 'gone', 3, 0, '')`
      const commit = yield* uncommitted(sql, audiences.remove(scope, "eng"))
      const put = yield* Effect.forkChild(audiences.put(scope, "eng", draft))
      yield* sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.pipe(
        Effect.repeat({ while: (waiting) => waiting.length === 0 })
      )
      yield* commit
      const { version } = yield* Fiber.join(put)
      assert.strictEqual((yield* audiences.get(scope, "eng")).version, version)
      assert.isAbove(version, 3)
      yield* settled
      assert.deepStrictEqual(yield* members(), [])
    }).pipe(Effect.provide(stores)))

  it.effect("a write that saw no audience is met by the first count, however late it commits", () =>
    Effect.gen(function*() {
      const { audiences, members, profiles, settled, sql } = yield* start
      const commit = yield* uncommitted(sql, profiles.replace(scope, UserId.make("ada"), engineer))
      const put = yield* Effect.forkChild(audiences.put(scope, "eng", draft))
      // Until it waits for the writer; if it did not, a count that starts now would not see the writer's row.
      yield* sql`select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.pipe(
        Effect.repeat({ while: (waiting) => waiting.length === 0 && put.pollUnsafe() === undefined })
      )
      yield* settled
      yield* commit
      yield* Fiber.join(put)
      yield* settled
      assert.deepStrictEqual(yield* members(), ["ada"])
    }).pipe(Effect.provide(stores)))

  it.effect("a write of the same user meanwhile is not lost to a step that read the old one", () =>
    Effect.gen(function*() {
      const { audiences, members, profiles, settled, sql } = yield* start
      yield* audiences.put(scope, "eng", draft)
      yield* profiles.replace(scope, UserId.make("ada"), { title: "Poet" })
      const commit = yield* uncommitted(sql, profiles.replace(scope, UserId.make("ada"), engineer))
      yield* settled
      assert.deepStrictEqual(yield* members(), [])
      yield* commit
      yield* settled
      assert.deepStrictEqual(yield* members(), ["ada"])
    }).pipe(Effect.provide(stores)))

  it.effect("a step that does not commit leaves marks and place, and the next does the work", () =>
    Effect.gen(function*() {
      const { audiences, members, profiles, settled, sql, steps } = yield* start
      yield* profiles.replace(scope, UserId.make("ada"), engineer)
      yield* audiences.put(scope, "eng", draft)
      yield* profiles.replace(scope, UserId.make("bob"), engineer)
      for (const _ of [1, 2, 3]) {
        const cut = steps.advance.pipe(Effect.andThen(Effect.fail("cut")), sql.withTransaction)
        assert.strictEqual(yield* Effect.flip(cut), "cut")
      }
      assert.deepStrictEqual(yield* members(), [])
      yield* settled
      assert.deepStrictEqual(yield* members(), ["ada", "bob"])
    }).pipe(Effect.provide(stores)))

  it.effect("what cannot be stored or read is left out alone, and all other audiences and users go on", () =>
    Effect.gen(function*() {
      const { audiences, members, profiles, settled, sql } = yield* start
      yield* sql`alter table audience_members add constraint full_house check (audience_id <> 'full' or user_id <> 'bob')`
      yield* Effect.forEach(["full", "strange", "eng"], (id) => audiences.put(scope, id, draft))
      yield* profiles.replace(scope, UserId.make("ada"), engineer)
      yield* settled
      yield* sql`update audiences set filter = '{"filters":[{"operator":"SOUNDS_LIKE"}]}' where id = 'strange'`
      for (const user of ["bob", "cy", "dan"]) yield* profiles.replace(scope, UserId.make(user), engineer)
      yield* profiles.replace(scope, UserId.make("ada"), { title: "Poet" })
      yield* settled
      assert.deepStrictEqual(yield* members("eng"), ["bob", "cy", "dan"])
      assert.deepStrictEqual(yield* members("full"), ["cy", "dan"])
      assert.deepStrictEqual(yield* members("strange"), ["ada"])
      // A count of all profiles meets the same.
      yield* audiences.put(scope, "full", draft)
      yield* sql`insert into audience_counts (scope, audience_id, version, requested_at, after)
        values (${scope}, 'strange', 2, 0, '')`
      yield* settled
      assert.deepStrictEqual(yield* members("full"), ["cy", "dan"])
      assert.deepStrictEqual(yield* members("strange"), ["ada"])
    }).pipe(Effect.provide(stores)))

  it.effect("a filter that cannot be read is told once, and again when it is another that cannot be read either", () =>
    Effect.gen(function*() {
      const { audiences, profiles, settled, sql } = yield* start
      const heard: Array<unknown> = []
      const listening = Logger.layer([Logger.make(({ message }) => {
        heard.push(Array.isArray(message) ? message[1] : message)
      })])
      yield* Effect.gen(function*() {
        let writes = 0
        const stepped = Effect.fnUntraced(function*() {
          heard.length = 0
          for (const _ of [1, 2]) {
            yield* profiles.replace(scope, UserId.make("ada"), { ...engineer, writes: ++writes })
            assert.lengthOf(yield* sql`select 1 from audience_changes`, 1)
            yield* settled
          }
          return [...heard]
        })
        const put = (filter: string) => sql`update audiences set filter = ${filter} where id = 'strange'`
        yield* audiences.put(scope, "strange", draft)
        yield* audiences.put(scope, "eng", draft)
        yield* settled
        const once = [{ scope, audienceId: "strange" }]
        yield* put(`{"filters":[{"operator":"SOUNDS_LIKE"}]}`)
        assert.deepStrictEqual(yield* stepped(), once)
        assert.deepStrictEqual(yield* stepped(), [])
        // A count reads the one audience, and tells of it no more than the steps of users did.
        yield* sql`insert into audience_counts (scope, audience_id, version, requested_at, after)
          values (${scope}, 'strange', 1, 0, '')`
        assert.deepStrictEqual(yield* stepped(), [])
        yield* put(`{"filters":[{"operator":"LOOKS_LIKE"}]}`)
        assert.deepStrictEqual(yield* stepped(), once)
        yield* put(JSON.stringify(draft.filter))
        assert.deepStrictEqual(yield* stepped(), [])
        yield* put(`{"filters":[{"operator":"LOOKS_LIKE"}]}`)
        assert.deepStrictEqual(yield* stepped(), once)
      }).pipe(Effect.provide(listening))
    }).pipe(Effect.provide(stores)))

  it.effect("nodes at once do the work once, and nothing is left", () =>
    Effect.gen(function*() {
      const { audiences, members, profiles, settled, sql } = yield* start
      yield* audiences.put(scope, "eng", draft)
      const users = Array.from({ length: 30 }, (_, n) => UserId.make(`u${n}`))
      yield* Effect.forEach(users, (user) => Effect.andThen(profiles.replace(scope, user, engineer), settled), {
        concurrency: 4
      })
      yield* settled
      assert.sameMembers([...(yield* members())], users)
      const [{ count }] = yield* Count(
        yield* sql`select ((select count(*) from audience_changes) + (select count(*) from audience_counts))::int as count`
      )
      assert.strictEqual(count, 0)
    }).pipe(Effect.provide(stores)))

  it.effect("a step ends by the bytes of the profiles that it reads, and the next goes on: of marks, and of a count", () =>
    Effect.gen(function*() {
      const { audiences, members, profiles, settled, sql, steps } = yield* start
      const users = ["a", "b", "c", "d", "e"]
      const write = (id: string, turn: number) =>
        profiles.replace(scope, UserId.make(id), { ...engineer, turn, about: "x".repeat(1_500_000) })
      yield* Effect.forEach(users, write)
      yield* audiences.put(scope, "eng", draft)
      yield* steps.advance
      assert.deepStrictEqual(yield* members(), ["a", "b", "c"])
      yield* settled
      assert.deepStrictEqual(yield* members(), users)

      yield* Effect.forEach(["a", "a", ...users], write)
      const marks = sql`select user_id from audience_changes order by seq`.pipe(
        Effect.map((rows) => rows.map((row) => row["user_id"]))
      )
      yield* steps.advance
      assert.deepStrictEqual(yield* marks, ["d", "e"])
      yield* settled
      assert.deepStrictEqual(yield* marks, [])
    }).pipe(Effect.provide(stores)))

  it.effect("follow profiles that are restored from a backup, in a session without a search path", () =>
    Effect.gen(function*() {
      const { audiences, members, settled, sql } = yield* start
      yield* audiences.put(scope, "eng", draft)
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select set_config('search_path', '', true)`
        yield* sql`insert into public.profiles (scope, user_id, profile, created_at, updated_at)
          values (${scope}, 'ada', ${JSON.stringify(engineer)}, 0, 0)`
        assert.deepStrictEqual(yield* sql`show search_path`, [{ search_path: "" }])
      }))
      yield* settled
      assert.deepStrictEqual(yield* members(), ["ada"])
    }).pipe(Effect.provide(stores)))

  it.effect("without an audience a write of a profile is one statement that leaves nothing behind", () =>
    Effect.gen(function*() {
      const { profiles, sql } = yield* start
      assert.strictEqual(yield* counting(profiles.replace(scope, UserId.make("ada"), engineer)), 1)
      const [{ count }] = yield* Count(yield* sql`select count(*)::int as count from audience_changes`)
      assert.strictEqual(count, 0)
    }).pipe(Effect.provide(stores)))
})
