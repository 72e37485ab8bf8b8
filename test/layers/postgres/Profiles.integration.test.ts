import * as Legacy from "#layers/postgres/LegacyPreferences.ts"
import * as Stored from "#layers/postgres/Profiles.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Statements from "#test/layers/postgres/Statements.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

const production = Scope.make(1)
const test = Scope.make(2)
const user = (n: number) => UserId.make(`user ${n}`)
const numbers = Array.from({ length: 40 }, (_, n) => n)

const statements = Statements.make()

const stores = Layer.merge(Stored.layer, Legacy.layer)

layer(stores.pipe(Layer.provideMerge(FreshDatabase.layer), Layer.provideMerge(statements.layer)))(
  "Profiles on Postgres",
  (it) => {
    it.effect("finds of one turn share a statement, each with its own answer (P10: scopes never meet)", () =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        yield* profiles.replace(production, user(1), { in: "production" })
        yield* profiles.replace(test, user(1), { in: "test" })
        const { result, statements: count } = yield* statements.counting(Effect.all([
          profiles.find(production, user(1)),
          profiles.find(test, user(1)),
          profiles.find(test, user(2)),
          profiles.find(production, user(1))
        ], { concurrency: "unbounded" }))
        assert.strictEqual(count, 1)
        assert.deepStrictEqual(result.map(Option.getOrUndefined), [
          { in: "production" },
          { in: "test" },
          undefined,
          { in: "production" }
        ])
      }))

    it.effect("a find in a transaction reads that transaction, and one outside it in the same turn does not", () =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        const sql = yield* SqlClient.SqlClient
        const written = yield* Deferred.make<void>()
        const outside = yield* Effect.forkChild(
          Effect.andThen(Deferred.await(written), profiles.find(test, user(3)))
        )
        const inside = yield* profiles.replace(test, user(3), { step: 1 }).pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(profiles.find(test, user(3))),
          Effect.tap(() => Fiber.await(outside)),
          sql.withTransaction
        )
        assert.deepStrictEqual(inside, Option.some({ step: 1 }))
        assert.deepStrictEqual(yield* Fiber.join(outside), Option.none())
      }))

    it.effect("a row that does not decode fails alone", () =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        const sql = yield* SqlClient.SqlClient
        yield* profiles.replace(test, user(4), { good: true })
        yield* sql`insert into profiles values (2, ${user(5)}, '[', 0, 0)`
        const [good, bad] = yield* Effect.all([
          Effect.exit(profiles.find(test, user(4))),
          Effect.exit(profiles.find(test, user(5)))
        ], { concurrency: "unbounded" })
        assert.strictEqual(good._tag, "Success")
        assert.isTrue(Exit.hasDies(bad))
      }))

    it.effect("concurrent merges and patches of one user lose nothing", () =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        yield* profiles.replace(test, user(6), { list: {} })
        yield* Effect.forEach(numbers, (n) =>
          n % 2 === 0
            ? profiles.merge(test, user(6), { list: { [n]: n } })
            : profiles.patch(test, user(6), [{ op: "add", path: `/list/${n}`, value: n }]), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          yield* profiles.find(test, user(6)),
          Option.some({ list: Object.fromEntries(numbers.map((n) => [n, n])) })
        )
      }))

    it.effect("concurrent first merges of one user lose nothing", () =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        yield* Effect.forEach(numbers, (n) => profiles.merge(test, user(7), { [n]: n }), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          yield* profiles.find(test, user(7)),
          Option.some(Object.fromEntries(numbers.map((n) => [n, n])))
        )
      }))

    it.effect("a change of a profile, or of preferences, is one new version of the row that is there, and one that changes nothing is none", () =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        const preferences = yield* LegacyPreferences
        const sql = yield* SqlClient.SqlClient
        const ada = user(10)
        const counted = sql<Record<"count", number>>`select sum(n_tup_ins + n_tup_upd)::int as count
          from pg_stat_xact_user_tables where relname in ('profiles', 'recipient_preferences')`
        const versions = (write: Effect.Effect<void, unknown>) =>
          sql.withTransaction(Effect.gen(function*() {
            const [before] = yield* counted
            yield* Effect.orDie(write)
            const [after] = yield* counted
            return (after?.count ?? NaN) - (before?.count ?? NaN)
          }))
        const told = { n: { status: "OPTED_OUT" as const } }
        const patched = preferences.patch(test, ada, [{ op: "add", path: "/categories", value: told }])
        const writes = [
          profiles.merge(test, ada, { a: 1 }),
          profiles.merge(test, ada, { b: { c: 2 } }),
          profiles.merge(test, ada, { b: { c: 2 } }),
          profiles.patch(test, ada, [{ op: "replace", path: "/a", value: 3 }]),
          profiles.patch(test, ada, [{ op: "test", path: "/a", value: 3 }]),
          profiles.replace(test, ada, { a: 4 }),
          profiles.replace(test, ada, { a: 4 }),
          preferences.patch(test, ada, [{ op: "add", path: "/notifications", value: told }]),
          patched,
          patched,
          preferences.replace(test, ada, { notifications: told, categories: told })
        ]
        assert.deepStrictEqual(yield* Effect.forEach(writes, versions), [1, 1, 0, 1, 0, 1, 0, 2, 1, 0, 0])
        assert.deepStrictEqual(yield* profiles.person(test, ada), {
          profile: Option.some({ a: 4 }),
          preferences: { notifications: told, categories: told }
        })
      }))

    it.effect("keeps every character that JSON can say", () =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        const profile = { "a\u0000b": "\u0000\ud800 1e200000", n: 1e300 }
        yield* profiles.replace(test, user(8), profile)
        assert.deepStrictEqual(yield* profiles.find(test, user(8)), Option.some(profile))
      }))

    it.effect("a removal that is cut off has removed nothing: neither the profile, nor its devices, nor their tickets", () =>
      Effect.gen(function*() {
        const profiles = yield* Profiles
        const sql = yield* SqlClient.SqlClient
        const id = "1-6921a000-000000000000000000000009"
        yield* profiles.replace(test, user(9), { name: "nine" })
        yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
            recipient_name, enqueued_at, recipient, instructions)
          values (2, ${id}, ${id}, 1, 'bulk', ${Recipients.userKey(test, user(9))}, 'published', 'SENT', '', '',
            ${user(9)}, 0, '{}', '{}')`
        yield* sql`insert into push_tickets values (2, ${id}, 1, 'expo', '[]', true, 0, 0)`
        const isHeld = yield* Deferred.make<void>()
        const other = yield* sql`select from push_tickets where scope = 2 for update`.pipe(
          Effect.andThen(Deferred.succeed(isHeld, undefined)),
          Effect.andThen(Effect.never),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Deferred.await(isHeld)
        const removal = yield* Effect.forkChild(profiles.remove(test, user(9)))
        yield* sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.pipe(
          Effect.repeat({ while: (waiting) => waiting.length === 0 })
        )
        yield* Fiber.interrupt(removal)
        yield* Fiber.interrupt(other)
        assert.deepStrictEqual(yield* profiles.find(test, user(9)), Option.some({ name: "nine" }))
        yield* profiles.remove(test, user(9))
        assert.deepStrictEqual(yield* profiles.find(test, user(9)), Option.none())
        assert.deepStrictEqual(yield* sql`select from push_tickets`, [])
      }))
  }
)
