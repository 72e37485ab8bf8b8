import type { Brand, BrandSettings } from "#schemas/Brand.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Tenant } from "#schemas/Tenant.ts"
import * as BrandChoice from "#src/content/BrandChoice.ts"
import { Brands } from "#src/content/Brands.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const brandOf = (id: string, settings: BrandSettings = {}): Brand => ({ id, name: id, settings, snippets: {} })

const acme: Tenant = {
  id: "acme",
  name: "Acme",
  parentId: undefined,
  brandId: undefined,
  brand: undefined,
  properties: undefined,
  userProfile: undefined,
  preferences: []
}

/** What is chosen for a mail where there are these brands, of which the first is the default. */
const chosen = (brands: ReadonlyArray<Brand>, wishes: Partial<BrandChoice.Wishes>) =>
  Effect.gen(function*() {
    const choose = yield* BrandChoice.make
    const { brandOf } = yield* choose(Scope.make(1), { instructions: {}, chain: [], template: undefined, ...wishes })
    return brandOf("email")
  }).pipe(Effect.provide(Layer.mock(Brands, {
    fallback: () => Effect.succeed(brands[0]),
    resolve: (_, id) => Effect.succeed(brands.find((brand) => brand.id === id))
  })))

const parts = ["head", "header", "footer"] as const

/** The e-mail settings of a brand, in which every part says whose it is. */
const emailOf = (owner: string, inherited: ReadonlyArray<string> = []) => ({
  head: { inheritDefault: inherited.includes("head"), content: owner },
  header: { inheritDefault: inherited.includes("header"), barColor: owner },
  footer: { inheritDefault: inherited.includes("footer"), markdown: owner },
  templateOverride: { width: owner }
})

describe("The brand of a message (api.md §9)", () => {
  it.effect.prop(
    "has the default one's of each part that it inherits, and its own of all else",
    { inherited: Schema.Array(Schema.Literals(parts)), isEmbedded: Schema.Boolean },
    ({ inherited, isEmbedded }) =>
      Effect.gen(function*() {
        const [own, theirs] = [emailOf("own", inherited), emailOf("default")]
        const settings = { colors: { primary: "green" }, email: own }
        // A tenant may have the id of a brand.
        const fallback = brandOf("acme", { colors: { primary: "red" }, email: theirs })
        const brand = yield* chosen(
          [fallback, brandOf("own", settings)],
          isEmbedded ? { chain: [{ ...acme, brand: { settings } }] } : { instructions: { brand_id: "own" } }
        )
        const of = (part: (typeof parts)[number]) => inherited.includes(part) ? theirs : own
        assert.deepStrictEqual(brand?.settings, {
          colors: { primary: "green" },
          email: { ...own, head: of("head").head, header: of("header").header, footer: of("footer").footer }
        })
      })
  )

  it.effect("a part that the default one has not is none, and templates still see the brand", () =>
    Effect.gen(function*() {
      const email = { header: { inheritDefault: true, barColor: "own" } }
      const brand = yield* chosen(
        [brandOf("default"), brandOf("own", { colors: { primary: "green" }, email })],
        { instructions: { brand_id: "own" } }
      )
      assert.isDefined(brand)
      assert.isNull(brand.settings.email?.header)
      assert.deepInclude(BrandChoice.variable(brand), { id: "own", colors: { primary: "green" } })
    }))

  it.effect("has the colors and snippets of the default one of which it says nothing itself", () =>
    Effect.gen(function*() {
      const item = (name: string, value: string) => ({ name, value })
      const fallback = {
        ...brandOf("default", { colors: { primary: "red", secondary: "blue", third: null }, own: { a: 1 } }),
        snippets: { items: [item("hi", "default"), item("bye", "default")], more: 1 }
      }
      const extended = (settings: BrandSettings, snippets: Brand["snippets"]) =>
        Effect.map(
          chosen([fallback, { ...brandOf("own", settings), snippets }], { instructions: { brand_id: "own" } }),
          (brand) => [brand?.settings, brand?.snippets]
        )
      assert.deepStrictEqual(
        yield* extended({ colors: { primary: "green", secondary: null, accent: "" } }, { items: [item("hi", "own")] }),
        [
          { colors: { primary: "green", secondary: "blue", accent: "" } },
          { items: [item("bye", "default"), item("hi", "own")] }
        ]
      )
      for (const colors of [null, {}])
        assert.deepStrictEqual(yield* extended({ colors }, {}), [{ colors: { primary: "red", secondary: "blue" } }, {
          items: fallback.snippets.items
        }])
      const embedded = yield* chosen([fallback], { chain: [{ ...acme, brand: { settings: { email: {} } } }] })
      assert.deepStrictEqual(embedded?.settings, { email: {}, colors: { primary: "red", secondary: "blue" } })
      assert.strictEqual(yield* chosen([fallback], {}), fallback)
      const whole = { ...brandOf("own", { colors: { primary: "a", secondary: "b" } }), snippets: fallback.snippets }
      assert.strictEqual(yield* chosen([fallback, whole], { template: "own" }), whole)
    }))

  it.effect("embedded on a tenant, has its own name and snippets, else the tenant's name", () =>
    Effect.gen(function*() {
      const snippets = { items: [{ name: "hi", value: "Hello" }] }
      const of = (brand: Tenant["brand"]) => chosen([], { chain: [{ ...acme, brand }] })
      assert.deepStrictEqual(yield* of({ name: "Own", snippets }), { id: "acme", name: "Own", settings: {}, snippets })
      assert.deepStrictEqual(yield* of({}), { ...brandOf("acme"), name: "Acme" })
    }))

  it("is a variable of templates: its settings by either way, its snippets, and its own name and id over theirs", () => {
    const settings = { colors: { primary: "green" }, id: "setting", name: "setting", snippets: "setting" }
    const snippets = { items: [{ name: "hi", value: "Hello" }] }
    assert.deepStrictEqual(BrandChoice.variable({ id: "own", name: "Own", settings, snippets }), {
      colors: { primary: "green" },
      settings,
      snippets,
      id: "own",
      name: "Own"
    })
  })
})
