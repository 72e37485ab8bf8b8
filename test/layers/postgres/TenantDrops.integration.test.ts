import * as Drops from "#layers/postgres/tenants/Drops.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { Members } from "#src/people/Members.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserId } from "#schemas/Profile.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

const stores = Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer))
const users = 2_500
const all = { limit: 100, cursor: undefined }
const everybody = { after: undefined, limit: 100, memberOf: [] }

/** A tenant of many, of whom `u1` is in another one too, and an audience of those who are in it. */
const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const sql = yield* SqlClient.SqlClient
  const audiences = yield* Audiences
  const members = yield* Members
  const memberships = yield* Memberships
  const tenants = yield* Tenants
  yield* sql`delete from tenant_drops`
  for (const id of ["acme", "other", "parent"]) yield* tenants.replace(scope, id, { name: id })
  yield* memberships.put(scope, "u1", ["acme", "other"].map((tenantId) => ({ tenantId, profile: undefined })))
  yield* sql`insert into tenant_users (scope, tenant_id, user_id, created_at, updated_at)
    select ${scope}::int, 'acme', 'x' || n, 0, 0 from generate_series(2, ${users}::int) n`
  const stored = sql`select user_id from tenant_users where scope = ${scope} and tenant_id = 'acme'`.pipe(
    Effect.map((rows) => rows.map((row) => row.user_id))
  )
  /** What every reader of memberships has to say of the tenant. */
  const seen = Effect.gen(function*() {
    const found = yield* memberships.find(scope, "x2", "acme")
    const { items } = yield* memberships.ofTenant(scope, "acme", all)
    const ofUser = (yield* memberships.ofUser(scope, "u1", all)).items.map(({ tenantId }) => tenantId)
    const sole = Option.map(yield* memberships.sole(scope, "u1"), ({ tenantId }) => tenantId)
    const source = { _tag: "Tenant", id: "acme", includeChildren: false } as const
    const alone = yield* members.page(scope, source, everybody)
    const family = yield* members.page(scope, { ...source, id: "parent", includeChildren: true }, everybody)
    const both = yield* members.page(scope, { ...source, id: "other" }, everybody)
    return {
      found: Option.isSome(found),
      sole: Option.getOrUndefined(sole),
      ofUser,
      ofTenant: items.map(({ userId }) => userId),
      alone: alone.map(({ userId }) => userId),
      family: family.map(({ userId }) => userId),
      both: both.map(({ userId }) => userId)
    }
  })
  const swept = Effect.repeat(Drops.step(sql), { while: (more) => more })
  return { audiences, memberships, scope, seen, sql, stored, swept, tenants }
})

const nobody = {
  found: false,
  sole: "other",
  ofUser: ["other"],
  ofTenant: [],
  alone: [],
  family: [],
  both: ["u1"]
}

layer(stores, { excludeTestServices: true })("A tenant that goes, on Postgres", (it) => {
  it.effect("is gone with its members for every reader at once, whatever of them is still to be deleted", () =>
    Effect.gen(function*() {
      const { scope, seen, stored, swept, tenants } = yield* start
      assert.isTrue(yield* tenants.remove(scope, "acme"))
      assert.strictEqual((yield* stored).length, users)
      assert.deepStrictEqual(yield* seen, nobody)
      yield* swept
      assert.deepStrictEqual(yield* stored, [])
      assert.isFalse(yield* tenants.remove(scope, "acme"))
    }))

  it.effect("one made anew under its id has only the members that it was given, before and after the old ones are deleted", () =>
    Effect.gen(function*() {
      const { memberships, scope, seen, stored, swept, tenants } = yield* start
      for (let round = 0; round < 3; round++) {
        yield* tenants.remove(scope, "acme")
        yield* tenants.replace(scope, "acme", { name: "anew", parent_tenant_id: "parent" })
        assert.deepStrictEqual(yield* seen, nobody)
        yield* memberships.put(scope, "x2", [{ tenantId: "acme", profile: undefined }])
        const them = { ...nobody, found: true, ofTenant: ["x2"], alone: ["x2"], family: ["x2"] }
        assert.deepStrictEqual(yield* seen, them)
        if (round === 1) yield* swept
        assert.deepStrictEqual(yield* seen, them)
      }
      yield* swept
      assert.deepStrictEqual(yield* stored, ["x2"])
    }))

  it.effect("its members are deleted in pieces, and what a crash has left by whoever looks after audiences next", () =>
    Effect.gen(function*() {
      const { scope, sql, stored, tenants } = yield* start
      yield* tenants.remove(scope, "acme")
      yield* Drops.step(sql)
      const left = (yield* stored).length
      assert.isAbove(left, 0)
      assert.isBelow(left, users)
      const { advance } = yield* AudienceSteps
      yield* Effect.repeat(advance, { while: (more) => more })
      assert.deepStrictEqual(yield* stored, [])
      assert.isFalse(yield* Drops.step(sql))
    }))

  it.effect("audiences of its members follow, also to who is added to one made anew before the old ones are deleted", () =>
    Effect.gen(function*() {
      const { audiences, memberships, scope, swept, tenants } = yield* start
      const steps = yield* AudienceSteps
      const profiles = yield* Profiles
      const user = UserId.make("u1")
      yield* profiles.replace(scope, user, {})
      const follow = Effect.repeat(steps.advance, { while: (more) => more })
      yield* audiences.put(scope, "of acme", {
        name: "of acme",
        description: "",
        filter: { filters: [{ operator: "MEMBER_OF", path: "account_id", value: "acme" }] },
        operator: "AND"
      })
      const ids = follow.pipe(
        Effect.andThen(audiences.members(scope, "of acme", all)),
        Effect.map((page) => page.items.map(({ userId }) => userId))
      )
      assert.deepStrictEqual(yield* ids, [user])
      yield* tenants.remove(scope, "acme")
      yield* tenants.replace(scope, "acme", { name: "anew" })
      yield* profiles.replace(scope, user, { locale: "de" })
      assert.deepStrictEqual(yield* ids, [])
      yield* memberships.put(scope, user, [{ tenantId: "acme", profile: undefined }])
      assert.deepStrictEqual(yield* ids, [user])
      yield* swept
      assert.deepStrictEqual(yield* ids, [user])
    }))

  it.effect("a tenant is removed, made and given members at once, with no deadlock and nobody lost", () =>
    Effect.gen(function*() {
      const { memberships, scope, sql, stored, swept, tenants } = yield* start
      const members = Array.from({ length: 20 }, (_, n) => `m${n}`)
      const put = (userId: string) => memberships.put(scope, userId, [{ tenantId: "acme", profile: undefined }])
      yield* Effect.all([
        Effect.repeat(Effect.andThen(tenants.remove(scope, "acme"), tenants.replace(scope, "acme", { name: "a" })), {
          times: 20
        }),
        Effect.repeat(Drops.step(sql), { times: 60 }),
        Effect.repeat(Effect.forEach(members, (id) => Effect.catchTag(put(id), "TenantNotFound", () => Effect.void)), {
          times: 10
        }),
        Effect.repeat(Effect.forEach(members.toReversed(), (id) => memberships.removeAll(scope, id)), { times: 10 })
      ], { concurrency: "unbounded" })
      yield* Effect.forEach(members, put)
      yield* swept
      assert.sameMembers(yield* stored, members)
    }))
})
