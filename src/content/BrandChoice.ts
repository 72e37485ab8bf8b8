import type { Brand } from "#schemas/Brand.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Tenant } from "#schemas/Tenant.ts"
import { Brands } from "#src/content/Brands.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Effect, Schema } from "effect"
import { memoize } from "effect/Function"

/** Everything but the environment's default that may set a message's brand. */
export interface Wishes {
  readonly instructions: Pick<Instructions, "brand_id" | "channels">
  /** The tenant and its ancestors, nearest first. */
  readonly chain: ReadonlyArray<Tenant>
  readonly template: string | undefined
}

/**
 * The brand embedded in a tenant, with the tenant's name unless it has its own. Here and below, what is made of the same
 * object is always the same object: layouts and frames are remembered by it.
 */
const embedded = memoize(({ brand, id, name }: Tenant): Brand => ({
  id,
  name: brand?.name ?? name,
  settings: brand?.settings ?? {},
  snippets: brand?.snippets ?? {}
}))

const parts = ["head", "header", "footer"] as const

/** The e-mail settings of a brand with the parts that it inherits from the default brand (`inheritDefault`). */
const emailUnder = ({ settings: { email: from } }: Brand, { settings: { email } }: Brand) => {
  const inherited = parts.filter((part) => email?.[part]?.inheritDefault === true)
  return inherited.length === 0
    ? undefined
    : { email: { ...email, ...Object.fromEntries(inherited.map((part) => [part, from?.[part] ?? null])) } }
}

/** The colors of a brand with those of the default brand of which it says nothing. */
const colorsUnder = ({ settings: { colors: from } }: Brand, { settings: { colors } }: Brand) => {
  const taken = Object.entries(from ?? {}).filter(([name, color]) =>
    color !== null && (colors?.[name] ?? null) === null
  )
  return taken.length === 0 ? undefined : { colors: { ...colors, ...Object.fromEntries(taken) } }
}

/** The snippets of a brand after those of the default brand whose names it has not. */
const snippetsUnder = ({ snippets: { items: from } }: Brand, { snippets }: Brand) => {
  const names = new Set(snippets.items?.map(({ name }) => name))
  const taken = from?.filter(({ name }) => !names.has(name)) ?? []
  return taken.length === 0 ? snippets : { ...snippets, items: [...taken, ...snippets.items ?? []] }
}

/** A brand with what it has of the default brand: parts of mails that it asks for, and colors and snippets. */
export const under = memoize((fallback: Brand) =>
  memoize((brand: Brand): Brand => {
    const settings = { ...emailUnder(fallback, brand), ...colorsUnder(fallback, brand) }
    const snippets = snippetsUnder(fallback, brand)
    return snippets === brand.snippets && Object.keys(settings).length === 0
      ? brand
      : { ...brand, snippets, settings: Object.assign({}, brand.settings, settings) }
  })
)

const isJson = Schema.is(Schema.JsonObject)

const jsonOf = (value: unknown): Schema.JsonObject => isJson(value) ? value : {}

/**
 * The variable `brand` of templates: its settings, at the top level and again under `settings`, its snippets, name and
 * id.
 */
export const variable = memoize(({ id, name, settings, snippets }: Brand): Schema.JsonObject => {
  const json = jsonOf(settings)
  return { ...json, settings: json, snippets: jsonOf(snippets), id, name }
})

/** What was chosen for one message. */
export interface Choice {
  /** `undefined`: the channel has no brand. */
  readonly brandOf: (channel: string) => Brand | undefined
  /** The first that the message names, for itself or for a channel, and that does not exist. */
  readonly unknown: string | undefined
}

/** The choice where there are no brands, for messages that name none. */
const nothing: Choice = { brandOf: () => undefined, unknown: undefined }

/**
 * Chooses the brand of each channel: the channel's own, or else the message's, the nearest tenant's, the template's,
 * the default (api.md §9). A brand that does not exist is passed over. Costs nothing if there are no brands.
 */
export const make = Effect.gen(function*() {
  const brands = yield* Brands

  return Effect.fnUntraced(function*(scope: Scope, { chain, instructions, template }: Wishes): Effect.fn.Return<
    Choice,
    StoreUnavailable
  > {
    const fallback = yield* brands.fallback(scope)
    const isNamed = typeof instructions.brand_id === "string" || instructions.channels !== undefined
    if (fallback === undefined && chain.length === 0 && !isNamed) return nothing
    // An environment that has any brand has a default one.
    const find = (id: string | null | undefined) =>
      fallback === undefined || id === undefined || id === null ? Effect.undefined : brands.resolve(scope, id)
    let unknown: string | undefined
    const named = (id: string | null | undefined) =>
      Effect.map(find(id), (brand) => {
        // Who leaves a field empty names nothing.
        if (brand === undefined && id !== "") unknown ??= id ?? undefined
        return brand
      })

    let base = yield* named(instructions.brand_id)
    for (const tenant of chain) {
      base ??= tenant.brand === undefined ? yield* find(tenant.brandId) : embedded(tenant)
    }
    base ??= (yield* find(template)) ?? fallback

    const own = new Map<string, Brand>()
    for (const [channel, settings] of Object.entries(instructions.channels ?? {})) {
      const brand = yield* named(settings.brand_id)
      if (brand !== undefined) own.set(channel, brand)
    }
    const brandOf = (channel: string) => {
      const brand = own.get(channel) ?? base
      return brand === undefined || fallback === undefined ? brand : under(fallback)(brand)
    }
    return { brandOf, unknown }
  })
})
