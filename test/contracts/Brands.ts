import type { BrandDraft } from "#schemas/Brand.ts"
import type { Template } from "#schemas/Template.ts"
import { Brands } from "#src/content/Brands.ts"
import { Templates } from "#src/content/Templates.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const full: BrandDraft = {
  name: "Acme",
  settings: {
    colors: { primary: "#123456", accent: "red" },
    email: { header: { logo: { image: "\u0000", odd: [1] } }, footer: { markdown: "m", social: { x: { url: "u" } } } },
    own: { ...Fixture.withProto }
  },
  snippets: { items: [{ name: "hi", value: "Hello" }] }
}

const bare: BrandDraft = { name: "Bare", settings: null }

const template = (brand: string | null): Template => ({
  name: "Welcome",
  tags: [],
  brand: brand === null ? null : { id: brand },
  subscription: null,
  routing: null,
  content: { elements: [] }
})

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const at = yield* Clock.currentTimeMillis
  return { at, scope, brands: yield* Brands, templates: yield* Templates }
})

const tag = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** What every store of brands promises. */
export const brandsContract = <E>(
  name: string,
  stores: Layer.Layer<Brands | Strategies | Templates | TenantTemplates | Tenants, E>
) =>
  layer(stores)(`Brands: ${name}`, (it) => {
    it.effect("are kept as they were given, published at once, and replaced whole under a later version", () =>
      Effect.gen(function*() {
        const { at, brands, scope } = yield* start
        const made = yield* brands.create(scope, "ä/ @1", full)
        assert.deepStrictEqual(made, {
          id: "ä/ @1",
          name: "Acme",
          settings: full.settings,
          snippets: full.snippets,
          version: at,
          created: at,
          updated: at,
          published: at
        })
        assert.deepStrictEqual(yield* brands.get(scope, made.id), made)
        const replaced = yield* brands.replace(scope, made.id, bare)
        assert.deepStrictEqual(replaced, { ...made, name: "Bare", settings: {}, snippets: {}, version: at + 1 })
        yield* TestClock.adjust("1 second")
        const later = yield* brands.replace(scope, made.id, full)
        assert.deepStrictEqual(later, { ...made, version: at + 1_000, updated: at + 1_000, published: at + 1_000 })
        assert.deepStrictEqual(yield* brands.get(scope, made.id), later)
      }))

    it.effect("an id is minted when none is given, and taken once in an environment (P10)", () =>
      Effect.gen(function*() {
        const { brands, scope } = yield* start
        const elsewhere = yield* start
        assert.match((yield* brands.create(scope, undefined, bare)).id, /^bnd_[0-9a-hjkmnp-tv-z]{26}$/)
        yield* brands.create(scope, "one", bare)
        assert.strictEqual(yield* tag(brands.create(scope, "one", full)), "BrandExists")
        assert.strictEqual((yield* brands.get(scope, "one")).name, "Bare")
        yield* brands.create(elsewhere.scope, "one", full)
        assert.deepStrictEqual(
          yield* Effect.all([
            tag(brands.get(elsewhere.scope, "two")),
            tag(brands.replace(scope, "two", bare)),
            tag(brands.remove(scope, "two"))
          ]),
          ["BrandNotFound", "BrandNotFound", "BrandNotFound"]
        )
        yield* brands.create(elsewhere.scope, "two", full)
        assert.strictEqual(yield* tag(brands.remove(scope, "two")), "BrandNotFound")
        yield* brands.remove(elsewhere.scope, "two")
        yield* brands.replace(elsewhere.scope, "one", { ...full, name: "Theirs" })
        assert.strictEqual((yield* brands.get(scope, "one")).name, "Bare")
      }))

    it.effect("the first is the default, and goes last; changes count at once", () =>
      Effect.gen(function*() {
        const { brands, scope } = yield* start
        assert.isUndefined(yield* brands.fallback(scope))
        yield* brands.create(scope, "first", bare)
        yield* brands.create(scope, "second", full)
        assert.deepStrictEqual(yield* brands.fallback(scope), {
          id: "first",
          name: "Bare",
          settings: {},
          snippets: {}
        })
        yield* brands.replace(scope, "first", full)
        assert.deepStrictEqual((yield* brands.fallback(scope))?.settings, full.settings)
        const refused = yield* Effect.flip(brands.remove(scope, "first"))
        assert.deepInclude(refused, { _tag: "BrandInUse", by: "default" })
        yield* brands.remove(scope, "second")
        assert.isUndefined(yield* brands.resolve(scope, "second"))
        yield* brands.remove(scope, "first")
        assert.isUndefined(yield* brands.fallback(scope))
        yield* brands.create(scope, "third", bare)
        assert.strictEqual((yield* brands.fallback(scope))?.id, "third")
      }))

    it.effect("what a template names exists, and stays while it is named", () =>
      Effect.gen(function*() {
        const { brands, scope, templates } = yield* start
        const draft = (id: string | null, publish = false) => ({ template: template(id), alias: undefined, publish })
        const elsewhere = yield* start
        yield* elsewhere.brands.create(elsewhere.scope, "used", bare)
        assert.strictEqual(yield* tag(templates.create(scope, draft("used"))), "UnknownBrand")
        yield* brands.create(scope, "default", bare)
        yield* brands.create(scope, "used", full)
        assert.deepStrictEqual((yield* brands.resolve(scope, "used"))?.settings, full.settings)
        const { id } = yield* templates.create(scope, draft("used", true))
        const inUse = Effect.flip(brands.remove(scope, "used"))
        assert.deepInclude(yield* inUse, { _tag: "BrandInUse", by: "template" })
        yield* templates.replace(scope, id, draft(null))
        assert.deepInclude(yield* inUse, { _tag: "BrandInUse", by: "template" })
        yield* templates.publish(scope, id, undefined)
        yield* brands.remove(scope, "used")
        assert.strictEqual(yield* tag(templates.publish(scope, id, 1)), "UnknownBrand")
        const other = yield* templates.create(scope, draft("default"))
        yield* templates.archive(scope, other.id)
        yield* brands.remove(scope, "default")
      }))

    it.effect("what a strategy or a tenant's own template has a channel in exists, when it is written or published", () =>
      Effect.gen(function*() {
        const { brands, scope } = yield* start
        const elsewhere = yield* start
        const strategies = yield* Strategies
        const tenantTemplates = yield* TenantTemplates
        yield* (yield* Tenants).replace(scope, "acme", { name: "Acme" })
        yield* brands.create(scope, "default", bare)
        yield* elsewhere.brands.create(elsewhere.scope, "used", bare)
        const strategy = { name: "s", routing: { method: "single" as const, channels: ["email"] } }
        const channels = { sms: { brand_id: "default" }, email: { brand_id: "used" } }
        const { content } = template(null)
        const { id } = yield* strategies.create(scope, strategy)
        const publish = tenantTemplates.publish(scope, "acme", "t", 1)
        const refused = Effect.all([
          tag(strategies.create(scope, { ...strategy, channels })),
          tag(strategies.replace(scope, id, { ...strategy, channels })),
          tag(tenantTemplates.put(scope, "acme", "t", { content, channels }, false))
        ])
        assert.deepStrictEqual(yield* refused, ["UnknownBrand", "UnknownBrand", "UnknownBrand"])
        assert.deepStrictEqual((yield* strategies.get(scope, id)).strategy, strategy)
        assert.strictEqual(yield* tag(publish), "TenantTemplateNotFound")
        yield* brands.create(scope, "used", bare)
        yield* tenantTemplates.put(scope, "acme", "t", { content, channels }, false)
        yield* tenantTemplates.put(scope, "acme", "t", { content }, true)
        yield* brands.remove(scope, "used")
        assert.strictEqual(yield* tag(publish), "UnknownBrand")
        assert.strictEqual((yield* tenantTemplates.get(scope, "acme", "t", "published")).version, 2)
      }))

    it.effect("what a strategy or a tenant's own template has a channel in stays too", () =>
      Effect.gen(function*() {
        const { brands, scope } = yield* start
        const strategies = yield* Strategies
        const tenantTemplates = yield* TenantTemplates
        for (const id of ["default", "used"]) yield* brands.create(scope, id, bare)
        const inUse = Effect.flip(brands.remove(scope, "used"))
        const strategy = { name: "s", routing: { method: "single" as const, channels: ["email"] } }
        const channels = { sms: {}, email: { brand_id: "used" } }
        const { id } = yield* strategies.create(scope, { ...strategy, channels })
        assert.deepInclude(yield* inUse, { _tag: "BrandInUse", by: "strategy" })
        yield* strategies.replace(scope, id, { ...strategy, channels: { email: { brand_id: null } } })
        yield* (yield* Tenants).replace(scope, "acme", { name: "Acme" })
        const { content } = template(null)
        yield* tenantTemplates.put(scope, "acme", "t", { content, channels }, false)
        assert.deepInclude(yield* inUse, { _tag: "BrandInUse", by: "tenant template" })
        yield* tenantTemplates.put(scope, "acme", "t", { content }, false)
        const elsewhere = { content, providers: { smtp: { override: { brand_id: "used" } } } }
        for (let n = 0; n < 25; n++) yield* tenantTemplates.put(scope, "acme", `a${n}`, elsewhere, true)
        yield* tenantTemplates.put(scope, "acme", "b", { content, channels }, true)
        assert.deepInclude(yield* inUse, { _tag: "BrandInUse", by: "tenant template" })
        yield* tenantTemplates.remove(scope, "acme", "b")
        const { id: archived } = yield* strategies.create(scope, { ...strategy, channels })
        yield* strategies.archive(scope, archived)
        yield* brands.remove(scope, "used")
      }))

    it.effect("a tenant that is gone holds no brand", () =>
      Effect.gen(function*() {
        const { brands, scope } = yield* start
        const tenants = yield* Tenants
        const tenantTemplates = yield* TenantTemplates
        for (const id of ["default", "used"]) yield* brands.create(scope, id, bare)
        yield* tenants.replace(scope, "acme", { name: "Acme", brand_id: "used" })
        const { content } = template(null)
        yield* tenantTemplates.put(scope, "acme", "t", { content, channels: { sms: { brand_id: "used" } } }, true)
        assert.deepInclude(yield* Effect.flip(brands.remove(scope, "used")), { _tag: "BrandInUse", by: "tenant" })
        yield* tenants.remove(scope, "acme")
        yield* brands.remove(scope, "used")
      }))

    it.effect("are listed newest first, page by page", () =>
      Effect.gen(function*() {
        const { brands, scope } = yield* start
        const ids: Array<string> = []
        for (const n of [1, 2, 3, 4, 5]) {
          ids.unshift((yield* brands.create(scope, `b${n}`, bare)).id)
          yield* TestClock.adjust("1 milli")
        }
        const seen: Array<string> = []
        let cursor: string | undefined
        do {
          const page = yield* brands.list(scope, { limit: 2, cursor })
          seen.push(...page.items.map((item) => item.id))
          cursor = page.cursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(seen, ids)
      }))

    it.effect("a page ends early where its brands are large, and has one at least", () =>
      Effect.gen(function*() {
        const { brands, scope } = yield* start
        for (const [n, text] of Walk.large.entries()) {
          const draft = n % 2 === 0 ? { settings: { text } } : { snippets: { items: [{ name: "s", value: text }] } }
          yield* brands.create(scope, `b${n}`, { name: "b", ...draft })
          yield* TestClock.adjust("-1 milli")
        }
        yield* Walk.early((page) => brands.list(scope, page), ({ id }) => id, ["b0", "b1", "b2", "b3"])
      }))
  })
