import { mostDefaults, type TenantDraft } from "#schemas/Tenant.ts"
import { Brands } from "#src/content/Brands.ts"
import type { PageQuery } from "#src/paging/Page.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"

const full: TenantDraft = {
  name: "Acme",
  brand_id: "b1",
  brand: { name: "Own", settings: { colors: { primary: "red" } } },
  properties: { plan: "gold", odd: { ...Fixture.withProto }, nul: "\u0000" },
  user_profile: { locale: "de" },
  default_preferences: {
    items: [
      { id: "b", status: "REQUIRED" },
      { id: "b", status: "OPTED_OUT", has_custom_routing: true, custom_routing: ["email", "sms"] },
      { id: "a", status: "REQUIRED", has_custom_routing: null }
    ]
  }
}

const bare = (name: string, parent?: string): TenantDraft => ({ name, parent_tenant_id: parent })

const none = {
  parentId: undefined,
  brandId: undefined,
  brand: undefined,
  properties: undefined,
  userProfile: undefined,
  preferences: []
}

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  return { scope, tenants: yield* Tenants, memberships: yield* Memberships }
})

const tag = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const ids = Effect.map((chain: ReadonlyArray<{ readonly id: string }>) => chain.map(({ id }) => id))

/** What every store of tenants promises. */
export const tenantsContract = <E>(name: string, stores: Layer.Layer<Brands | Memberships | Tenants, E>) =>
  layer(stores)(`Tenants: ${name}`, (it) => {
    it.effect("are kept as they were given, and replaced whole", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        const made = yield* tenants.replace(scope, "ä/ 1", full)
        assert.deepStrictEqual(made, {
          ...none,
          id: "ä/ 1",
          name: "Acme",
          brandId: "b1",
          brand: { name: "Own", settings: { colors: { primary: "red" } } },
          properties: { plan: "gold", odd: { ...Fixture.withProto }, nul: "\u0000" },
          userProfile: { locale: "de" },
          preferences: [
            { id: "a", status: "REQUIRED" },
            { id: "b", status: "OPTED_OUT", has_custom_routing: true, custom_routing: ["email", "sms"] }
          ]
        })
        assert.deepStrictEqual(yield* tenants.get(scope, "ä/ 1"), made)
        assert.deepStrictEqual(yield* tenants.chain(scope, "ä/ 1"), [made])
        yield* tenants.replace(scope, "ä/ 1", bare("Bare"))
        assert.deepStrictEqual(yield* tenants.get(scope, "ä/ 1"), { ...none, id: "ä/ 1", name: "Bare" })
        assert.deepStrictEqual(yield* tenants.chain(scope, "ä/ 1"), [{ ...none, id: "ä/ 1", name: "Bare" }])
      }))

    it.effect("a chain is the tenant and its nearest ancestors, four at most; changes count at once", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        assert.isFalse(yield* tenants.some(scope))
        assert.deepStrictEqual(yield* tenants.chain(scope, "e"), [])
        yield* tenants.replace(scope, "a", bare("a"))
        assert.isTrue(yield* tenants.some(scope))
        for (const [id, parent] of [["b", "a"], ["c", "b"], ["d", "c"], ["e", "d"]] as const) {
          yield* tenants.replace(scope, id, bare(id, parent))
        }
        const all = yield* Effect.all([ids(tenants.chain(scope, "e")), ids(tenants.chain(scope, "b"))], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(all, [["e", "d", "c", "b"], ["b", "a"]])
        yield* tenants.replace(scope, "d", bare("D"))
        assert.deepStrictEqual((yield* tenants.chain(scope, "e")).map((tenant) => tenant.name), ["e", "D"])
      }))

    it.effect("no tenant is below itself, or below one that does not exist", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        assert.strictEqual(yield* tag(tenants.replace(scope, "a", bare("a", "a"))), "ParentRefused")
        assert.strictEqual(yield* tag(tenants.replace(scope, "a", bare("a", "none"))), "ParentRefused")
        yield* tenants.replace(scope, "a", bare("a"))
        yield* tenants.replace(scope, "b", bare("b", "a"))
        yield* tenants.replace(scope, "c", bare("c", "b"))
        assert.strictEqual(yield* tag(tenants.replace(scope, "a", bare("x", "c"))), "ParentRefused")
        assert.strictEqual((yield* tenants.get(scope, "a")).name, "a")
        const both = yield* Effect.all([
          Effect.exit(tenants.replace(scope, "m", bare("m", "a"))),
          Effect.exit(tenants.replace(scope, "a", bare("a", "m")))
        ], { concurrency: 2 })
        const parents = yield* Effect.all([ids(tenants.chain(scope, "m")), ids(tenants.chain(scope, "a"))])
        assert.isTrue(parents.every((chain) => new Set(chain).size === chain.length), JSON.stringify([both, parents]))
      }))

    it.effect("P10: another environment's tenants are nobody's parents here, and stand above nobody", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        const elsewhere = yield* start
        yield* tenants.replace(elsewhere.scope, "theirs", bare("theirs"))
        assert.strictEqual(yield* tag(tenants.replace(scope, "a", bare("a", "theirs"))), "ParentRefused")
        yield* tenants.replace(elsewhere.scope, "a", bare("a"))
        yield* tenants.replace(elsewhere.scope, "b", bare("b", "a"))
        yield* tenants.replace(elsewhere.scope, "c", bare("c", "b"))
        yield* tenants.replace(scope, "b", bare("b"))
        yield* tenants.replace(scope, "c", bare("c", "b"))
        yield* tenants.replace(scope, "a", bare("a", "c"))
        assert.deepStrictEqual(yield* ids(tenants.chain(scope, "a")), ["a", "c", "b"])
      }))

    it.effect("one that is deleted loses its members and defaults, and its children their parent", () =>
      Effect.gen(function*() {
        const { memberships, scope, tenants } = yield* start
        const elsewhere = yield* start
        for (const world of [scope, elsewhere.scope]) {
          yield* tenants.replace(world, "top", full)
          yield* tenants.replace(world, "child", { ...full, parent_tenant_id: "top" })
          yield* memberships.put(world, "ada", [{ tenantId: "top", profile: { x: 1 } }, {
            tenantId: "child",
            profile: undefined
          }])
        }
        const removals = [tenants.remove(scope, "top"), tenants.remove(scope, "top")]
        assert.sameMembers(yield* Effect.all(removals, { concurrency: 2 }), [true, false])
        assert.strictEqual(yield* tag(tenants.get(scope, "top")), "TenantNotFound")
        const { preferences } = yield* tenants.get(scope, "child")
        assert.deepStrictEqual(preferences.map(({ id }) => id), ["a", "b"], "another tenant's defaults stay")
        assert.deepStrictEqual((yield* tenants.get(elsewhere.scope, "top")).preferences, preferences)
        assert.deepStrictEqual(yield* tenants.chain(scope, "top"), [])
        assert.deepStrictEqual(yield* ids(tenants.chain(scope, "child")), ["child"])
        assert.isTrue(Option.isNone(yield* memberships.find(scope, "ada", "top")))
        yield* tenants.replace(scope, "top", bare("again"))
        assert.deepStrictEqual((yield* tenants.get(scope, "child")).preferences, preferences)
        assert.deepStrictEqual(yield* tenants.get(scope, "top"), { ...none, id: "top", name: "again" })
        assert.deepStrictEqual(
          (yield* memberships.ofTenant(scope, "top", { limit: 5, cursor: undefined })).items,
          []
        )
        assert.deepStrictEqual(yield* ids(tenants.chain(elsewhere.scope, "child")), ["child", "top"])
        assert.isTrue(Option.isSome(yield* memberships.find(elsewhere.scope, "ada", "top")))
      }))

    it.effect("the default of a topic is set, replaced and removed", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        assert.strictEqual(
          yield* tag(tenants.setPreference(scope, "a", "t", { status: "OPTED_IN" })),
          "TenantNotFound"
        )
        assert.isFalse(yield* tenants.removePreference(scope, "a", "t"))
        yield* tenants.replace(scope, "a", bare("a"))
        assert.isFalse(yield* tenants.removePreference(scope, "a", "t"))
        assert.deepStrictEqual((yield* tenants.chain(scope, "a"))[0]?.preferences, [])
        yield* tenants.setPreference(scope, "a", "t", { status: "OPTED_IN", custom_routing: [] })
        yield* tenants.setPreference(scope, "a", "s", { status: "REQUIRED" })
        yield* tenants.setPreference(scope, "a", "t", { status: "OPTED_OUT", has_custom_routing: false })
        assert.deepStrictEqual((yield* tenants.chain(scope, "a"))[0]?.preferences, [
          { id: "s", status: "REQUIRED" },
          { id: "t", status: "OPTED_OUT", has_custom_routing: false }
        ])
        yield* tenants.replace(scope, "b", bare("b"))
        yield* tenants.setPreference(scope, "b", "s", { status: "REQUIRED" })
        assert.isTrue(yield* tenants.removePreference(scope, "a", "s"))
        assert.deepStrictEqual((yield* tenants.get(scope, "b")).preferences.map(({ id }) => id), ["s"])
        assert.deepStrictEqual((yield* tenants.get(scope, "a")).preferences.map(({ id }) => id), ["t"])
      }))

    it.effect("a tenant has so many defaults and no more: another takes the place of its own only", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        const items = Array.from({ length: mostDefaults }, (_, n) => ({ id: `t${n}`, status: "REQUIRED" as const }))
        yield* tenants.replace(scope, "a", { ...bare("a"), default_preferences: { items } })
        assert.strictEqual(
          yield* tag(tenants.setPreference(scope, "a", "u", { status: "OPTED_IN" })),
          "TooManyDefaults"
        )
        yield* tenants.setPreference(scope, "a", "t0", { status: "OPTED_IN" })
        yield* tenants.removePreference(scope, "a", "t1")
        yield* tenants.setPreference(scope, "a", "u", { status: "OPTED_IN" })
        const { preferences } = yield* tenants.get(scope, "a")
        assert.deepStrictEqual(preferences.filter(({ status }) => status === "OPTED_IN").map(({ id }) => id), [
          "t0",
          "u"
        ])
      }))

    it.effect("the brand that one names exists, in its own environment (P10), unless it has one of its own", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        const elsewhere = yield* start
        const brands = yield* Brands
        yield* brands.create(elsewhere.scope, "acme", { name: "Acme" })
        const named: TenantDraft = { ...bare("a"), brand_id: "acme" }
        assert.strictEqual(yield* tag(tenants.replace(scope, "a", named)), "UnknownBrand")
        assert.strictEqual(yield* tag(tenants.get(scope, "a")), "TenantNotFound")
        yield* tenants.replace(scope, "a", { ...named, brand: { name: "Own" } })
        yield* brands.create(scope, "acme", { name: "Acme" })
        assert.strictEqual((yield* tenants.replace(scope, "a", named)).brandId, "acme")
      }))

    it.effect("are listed by id, page by page, all or those of one parent", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        const elsewhere = yield* start
        yield* tenants.replace(elsewhere.scope, "x", bare("x"))
        for (const id of ["c", "a", "é", "B", "\u{10000}", "\uffff"]) yield* tenants.replace(scope, id, bare(id))
        for (const id of ["k2", "k1", "k3"]) yield* tenants.replace(scope, id, bare(id, "a"))
        const walk = Effect.fnUntraced(function*(parentId: string | undefined) {
          const seen: Array<string> = []
          let cursor: string | undefined
          do {
            const page: {
              readonly items: ReadonlyArray<{ readonly id: string }>
              readonly cursor: string | undefined
            } = yield* tenants.list(scope, { limit: 2, cursor, parentId })
            seen.push(...page.items.map((item) => item.id))
            cursor = page.cursor
          } while (cursor !== undefined)
          return seen
        })
        assert.deepStrictEqual(yield* walk(undefined), ["B", "a", "c", "k1", "k2", "k3", "é", "\uffff", "\u{10000}"])
        assert.deepStrictEqual(yield* walk("a"), ["k1", "k2", "k3"])
        const { cursor } = yield* tenants.list(scope, { limit: 1, cursor: undefined, parentId: "a" })
        assert.strictEqual(
          yield* tag(tenants.list(scope, { limit: 1, cursor, parentId: undefined })),
          "InvalidCursor"
        )
      }))

    it.effect("a page ends early where its tenants are large, and has one at least", () =>
      Effect.gen(function*() {
        const { scope, tenants } = yield* start
        const [a, b, c, d] = Walk.large
        const topics = Array.from({ length: a.length / 500 }, (_, n) => `${n}`.padEnd(500, "x"))
        const items = topics.map((id) => ({ id, status: "REQUIRED" as const }))
        yield* tenants.replace(scope, "a", { ...bare("a"), default_preferences: { items } })
        yield* tenants.replace(scope, "b", { ...bare("b"), user_profile: { b } })
        yield* tenants.replace(scope, "c", { ...bare("c"), brand: { name: c } })
        yield* tenants.replace(scope, "d", { ...bare("d"), properties: { d } })
        const list = (page: PageQuery) => tenants.list(scope, { ...page, parentId: undefined })
        yield* Walk.early(list, ({ id }) => id, ["a", "b", "c", "d"])
      }))
  })
