import * as Drops from "#layers/postgres/tenants/Drops.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
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
import { Effect, Layer, Option, Schema } from "effect"
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

const decodeLeft = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ children: Schema.Number, templates: Schema.Number, versions: Schema.Number })])
)

const text = { content: { elements: [] } }

/** A tenant of many children and templates. */
const family = Effect.gen(function*() {
  const { scope, sql, tenants } = yield* start
  const templates = yield* TenantTemplates
  yield* sql`insert into tenants (scope, id, name, parent_id, created_at, updated_at)
    select ${scope}::int, 'x' || n, 'child', 'acme', 0, 0 from generate_series(1, ${users}::int) n`
  yield* templates.put(scope, "acme", "t", text, true)
  yield* sql`insert into tenant_templates
    select ${scope}::int, 'acme', 'x' || n, 1, 1, 0, 0, 0 from generate_series(2, ${users}::int) n`
  yield* sql`insert into tenant_template_versions select v.scope, v.tenant_id, 'x' || n, 1, v.template, 0
    from tenant_template_versions v, generate_series(2, ${users}::int) n where v.scope = ${scope}`
  const rows = sql`select (select count(*)::int from tenants where scope = ${scope} and parent_id = 'acme') as children,
    (select count(*)::int from tenant_templates where scope = ${scope}) as templates,
    (select count(*)::int from tenant_template_versions where scope = ${scope}) as versions`.pipe(
    Effect.flatMap(decodeLeft)
  )
  const left = Effect.map(rows, ([{ children, templates, versions }]) => [children, templates, versions])
  const found = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
    Effect.catch(Effect.asSome(effect), () => Effect.succeedNone)
  /** What every reader of children and templates has to say of the tenant. */
  const related = Effect.gen(function*() {
    const children = yield* tenants.list(scope, { ...all, parentId: "acme" })
    const { parentId: parent } = yield* tenants.get(scope, "x2")
    const chain = (yield* tenants.chain(scope, "x2")).map(({ id }) => id)
    const { items } = yield* templates.list(scope, "acme", all)
    const one = items.at(0)?.id
    for (const id of ["t", "x10"]) {
      const isOne = items.some((item) => item.id === id)
      assert.strictEqual(Option.isSome(yield* found(templates.get(scope, "acme", id, "latest"))), isOne)
      assert.strictEqual((yield* templates.resolve(scope, "acme", id, "published")) !== undefined, isOne)
      if (isOne) continue
      assert.strictEqual(
        (yield* Effect.flip(templates.publish(scope, "acme", id, "latest")))._tag,
        "TenantTemplateNotFound"
      )
      assert.strictEqual((yield* Effect.flip(templates.remove(scope, "acme", id)))._tag, "TenantTemplateNotFound")
    }
    return { children: children.items.length, parent, chain, templates: items.length, one }
  })
  return { left, related, scope, sql, templates, tenants }
})

const nothing = { children: 0, parent: undefined, chain: ["x2"], templates: 0, one: undefined }

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

  it.effect("its children and templates are gone for every reader at once, and are taken away in pieces", () =>
    Effect.gen(function*() {
      const { left, related, scope, sql, tenants } = yield* family
      assert.deepStrictEqual(yield* related, {
        children: 100,
        parent: "acme",
        chain: ["x2", "acme"],
        templates: 100,
        one: "t"
      })
      yield* tenants.remove(scope, "acme")
      assert.deepStrictEqual(yield* left, [users, users, users])
      assert.deepStrictEqual(yield* related, nothing)
      yield* Drops.step(sql)
      for (const rows of yield* left) {
        assert.isAbove(rows, 0)
        assert.isBelow(rows, users)
      }
      assert.deepStrictEqual(yield* related, nothing)
      yield* Effect.repeat(Drops.step(sql), { while: (more) => more })
      assert.deepStrictEqual(yield* left, [0, 0, 0])
      assert.strictEqual((yield* tenants.get(scope, "x2")).name, "child")
    }))

  it.effect("one made anew under its id has only the children and templates that it was given, whatever was left of it", () =>
    Effect.gen(function*() {
      const { left, related, scope, sql, templates, tenants } = yield* family
      yield* tenants.remove(scope, "acme")
      yield* Drops.step(sql)
      yield* tenants.replace(scope, "acme", { name: "anew", parent_tenant_id: "x3" })
      assert.deepStrictEqual(yield* related, nothing)
      yield* tenants.replace(scope, "x2", { name: "child", parent_tenant_id: "acme" })
      yield* templates.put(scope, "acme", "x2", text, true)
      const own = { children: 1, parent: "acme", chain: ["x2", "acme", "x3"], templates: 1, one: "x2" }
      assert.deepStrictEqual(yield* related, own)
      yield* Effect.repeat(Drops.step(sql), { while: (more) => more })
      assert.deepStrictEqual(yield* related, own)
      assert.deepStrictEqual(yield* left, [1, 1, 1])
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

  it.effect("a tenant is removed, made and given members, children and templates at once, with no deadlock and nothing lost", () =>
    Effect.gen(function*() {
      const templates = yield* TenantTemplates
      const { memberships, scope, sql, stored, swept, tenants } = yield* start
      const members = Array.from({ length: 20 }, (_, n) => `m${n}`)
      const put = (userId: string) => memberships.put(scope, userId, [{ tenantId: "acme", profile: undefined }])
      const child = (id: string) => tenants.replace(scope, id, { name: id, parent_tenant_id: "acme" })
      const given = (id: string) => templates.put(scope, "acme", id, text, true)
      const some = members.slice(0, 5)
      yield* Effect.all([
        Effect.repeat(Effect.forEach(some, (id) => Effect.catchTag(child(id), "ParentRefused", () => Effect.void)), {
          times: 10
        }),
        Effect.repeat(Effect.forEach(some, (id) => Effect.catchTag(given(id), "TenantNotFound", () => Effect.void)), {
          times: 10
        }),
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
      yield* Effect.forEach(some, child)
      yield* Effect.forEach(some, given)
      yield* swept
      assert.sameMembers(yield* stored, members)
      const { items: children } = yield* tenants.list(scope, { ...all, parentId: "acme" })
      assert.sameMembers(children.map(({ id }) => id), some)
      const { items: own } = yield* templates.list(scope, "acme", all)
      assert.sameMembers(own.map(({ id }) => id), some)
    }))
})
