import type { Brand } from "#schemas/Brand.ts"
import { type Branding, styleOf } from "#src/content/layout/Branding.ts"
import { cut } from "#src/content/layout/Layout.ts"
import { source } from "#src/content/layout/Source.ts"
import { Mjml } from "#src/content/Mjml.ts"
import { Cache, Context, Effect, Exit, Layer } from "effect"

/** How many layouts are cached, a few kB each. */
const capacity = 256

/** The pages of brands, compiled once per revision of a brand and cached: each mail costs only a lookup. */
export class Layouts extends Context.Service<Layouts, {
  /**
   * `brand` as `Brands` answers it: a different object is a different revision. Without a layout, mails of the brand
   * use the unbranded page.
   */
  readonly of: (brand: Brand) => Effect.Effect<Branding>
}>()("tidings/Layouts") {}

export const layer = Layer.effect(
  Layouts,
  Effect.gen(function*() {
    const mjml = yield* Mjml
    const known = new WeakMap<Brand, Branding>()
    const layouts = yield* Cache.makeWith(
      (mjmlSource: string) => Effect.map(mjml.compile(mjmlSource, { lane: "brands", whose: "" }), cut),
      // Failures are kept only briefly: a compiler that was only slow is tried again.
      { capacity, timeToLive: (exit) => Exit.isSuccess(exit) ? "1 day" : "1 minute" }
    )

    const compiled = Effect.fnUntraced(function*(brand: Brand) {
      const style = styleOf(brand)
      const layout = yield* Effect.result(Cache.get(layouts, source(style)))
      if (layout._tag === "Success") {
        const branding = { style, layout: layout.success }
        known.set(brand, branding)
        return branding
      }
      yield* Effect.logWarning("the layout of a brand cannot be compiled; its mails have the plain one", {
        brandId: brand.id,
        detail: layout.failure.detail
      })
      return { style, layout: undefined }
    })

    return Layouts.of({
      of: (brand) => {
        const found = known.get(brand)
        return found === undefined ? compiled(brand) : Effect.succeed(found)
      }
    })
  })
)
