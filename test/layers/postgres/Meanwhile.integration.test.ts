import * as Drops from "#layers/postgres/tenants/Drops.ts"
import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Lists } from "#src/people/Lists.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)
const ada = UserId.make("ada")
const id = `1-6b000000-${"0".repeat(24)}`

/** Done once a session waits for another one's lock. */
const somebodyWaits = SqlClient.SqlClient.use((sql) =>
  sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
).pipe(Effect.repeat({ until: (found) => found.length > 0, schedule: Schedule.spaced("10 millis") }))

const mine = { limit: 10, cursor: undefined }

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "What a user has on Postgres",
  (it) => {
    it.effect.each(["push_tickets", "device_tokens"])(
      "goes with the user, also where it changes meanwhile: %s",
      (table) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event,
              template, recipient_name, enqueued_at, recipient, instructions)
            values (${scope}, ${id}, ${id}, 1, 'bulk', ${Recipients.userKey(scope, ada)}, 'published', 'SENT', '', '',
              ${ada}, 0, '{}', '{}') on conflict do nothing`
          yield* sql`insert into push_tickets values (${scope}, ${id}, 1, 'expo', '[]', true, 0, 0)`
          yield* sql`insert into device_tokens (scope, token, user_id, provider, details, status, created_at, updated_at)
            values (${scope}, 'token', ${ada}, 'expo', '{}', 'active', 0, 0)`
          yield* sql`insert into tenant_users (scope, tenant_id, user_id, profile, generation, created_at, updated_at)
            values (${scope}, 'acme', ${ada}, '{}', 0, 0, 0)`
          const column = sql(table === "push_tickets" ? "due_at" : "updated_at")
          const changed = Latch.makeUnsafe()
          const end = Latch.makeUnsafe()
          const other = yield* sql`update ${sql(table)} set ${column} = 1`.pipe(
            Effect.andThen(changed.open),
            Effect.andThen(end.await),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* changed.await
          const removed = yield* Profiles.use((profiles) => profiles.remove(scope, ada)).pipe(
            Effect.andThen(Memberships.use((memberships) => memberships.removeAll(scope, ada))),
            Effect.forkChild
          )
          yield* somebodyWaits
          yield* end.open
          yield* Fiber.join(other)
          yield* Fiber.join(removed)
          for (const name of ["push_tickets", "device_tokens", "tenant_users"]) {
            assert.deepStrictEqual(yield* sql`select * from ${sql(name)}`, [], name)
          }
        })
    )

    it.effect("a membership goes whose profile is forgotten meanwhile", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into tenant_users (scope, tenant_id, user_id, profile, generation, created_at, updated_at)
          values (${scope}, 'acme', ${ada}, '{}', 0, 0, 0)`
        const changed = Latch.makeUnsafe()
        const end = Latch.makeUnsafe()
        const other = yield* Profiles.use((profiles) => profiles.remove(scope, ada)).pipe(
          Effect.andThen(changed.open),
          Effect.andThen(end.await),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* changed.await
        const removed = yield* Effect.forkChild(
          Memberships.use((memberships) => memberships.removeAll(scope, ada))
        )
        yield* somebodyWaits
        yield* end.open
        yield* Fiber.join(other)
        yield* Fiber.join(removed)
        assert.deepStrictEqual(yield* sql`select * from tenant_users`, [])
      }))

    it.effect("a member of a tenant that is gone goes whose profile is forgotten meanwhile", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into tenant_users (scope, tenant_id, user_id, profile, generation, created_at, updated_at)
          values (${scope}, 'acme', ${ada}, '{}', 0, 0, 0)`
        yield* sql`insert into tenant_drops values (${scope}, 'acme', 1)`
        const changed = Latch.makeUnsafe()
        const end = Latch.makeUnsafe()
        const other = yield* Profiles.use((profiles) => profiles.remove(scope, ada)).pipe(
          Effect.andThen(changed.open),
          Effect.andThen(end.await),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* changed.await
        const dropped = yield* Effect.forkChild(Drops.step(sql))
        yield* somebodyWaits
        yield* end.open
        yield* Fiber.join(other)
        yield* Fiber.join(dropped)
        assert.deepStrictEqual(yield* sql`select * from tenant_drops`, [])
        assert.deepStrictEqual(yield* sql`select * from tenant_users`, [])
      }))

    it.effect.each(["lists", "tenants", "profiles in tenants"])(
      "who is put into several at once, and removed from all of them meanwhile, is in none or in all: %s",
      (what) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const lists = yield* Lists
          const memberships = yield* Memberships
          const profiles = yield* Profiles
          const tenants = yield* Tenants
          const user = UserId.make(`of ${what}`)
          const ids = ["a", "b"]
          for (const id of ids) yield* tenants.replace(scope, id, { name: id })
          const join = (names: ReadonlyArray<string>) =>
            lists.join(scope, user, names.map((id) => ({ listId: ListId.make(id), preferences: undefined })))
          const put = (names: ReadonlyArray<string>) =>
            memberships.put(scope, user, names.map((tenantId) => ({ tenantId, profile: { name: "Ada" } })))
          const [written, ended, left] = what === "lists"
            ? [join, lists.leave(scope, user), Effect.map(lists.listsOf(scope, user, mine), ({ items }) => items)]
            : [
              put,
              what === "tenants" ? memberships.removeAll(scope, user) : profiles.remove(scope, user),
              Effect.map(memberships.ofUser(scope, user, mine), ({ items }) =>
                items.filter(({ profile }) => what === "tenants" || profile !== undefined))
            ]
          yield* written(["a"])
          const done = Latch.makeUnsafe()
          const end = Latch.makeUnsafe()
          const other = yield* written(ids).pipe(
            Effect.andThen(done.open),
            Effect.andThen(end.await),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* done.await
          const removed = yield* Effect.forkChild(ended)
          yield* somebodyWaits
          yield* end.open
          yield* Fiber.join(other)
          yield* Fiber.join(removed)
          assert.deepStrictEqual(yield* left, [])
        })
    )

    it.effect("of device tokens that are registered together, and whose user is deleted meanwhile, none stays or all do", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const devices = yield* DeviceTokens
        const profiles = yield* Profiles
        const user = UserId.make("of devices")
        const registered = (tokens: ReadonlyArray<string>) =>
          devices.register(scope, user, tokens.map((token) => ({ token, write: { provider_key: "expo" } })))
        yield* registered(["a"])
        const done = Latch.makeUnsafe()
        const end = Latch.makeUnsafe()
        const other = yield* registered(["a", "b"]).pipe(
          Effect.andThen(done.open),
          Effect.andThen(end.await),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* done.await
        const removed = yield* Effect.forkChild(profiles.remove(scope, user))
        yield* somebodyWaits
        yield* end.open
        yield* Fiber.join(other)
        yield* Fiber.join(removed)
        assert.deepStrictEqual(yield* devices.list(scope, user), [])
      }))
  }
)
