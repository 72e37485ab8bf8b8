import type { Brand, BrandDraft } from "#schemas/Brand.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such brand: 404. */
export class BrandNotFound extends Schema.TaggedError<BrandNotFound>()("BrandNotFound", { id: Schema.String }) {}

/** There is a brand of this id already: 409. */
export class BrandExists extends Schema.TaggedError<BrandExists>()("BrandExists", { id: Schema.String }) {}

/**
 * The brand is the default of an environment with several, or is named by a template, a tenant, a tenant's template or
 * a routing strategy: 409.
 */
export class BrandInUse extends Schema.TaggedError<BrandInUse>()("BrandInUse", {
  id: Schema.String,
  by: Schema.Literals(["default", "template", "tenant", "tenant template", "strategy"])
}) {}

/** The environment has as many brands as the operator allows: 402. */
export class TooManyBrands extends Schema.TaggedError<TooManyBrands>()("TooManyBrands", { limit: Schema.Number }) {}

/** How many brands an environment may have (api.md §9, 402). */
export const BrandLimit = Context.Reference<number | undefined>("tidings/BrandLimit", {
  defaultValue: () => undefined
})

/** `version` is the epoch ms of the brand's last change, and rises with every change. Times in epoch ms. */
export interface BrandRecord extends Brand {
  readonly version: number
  readonly created: number
  readonly updated: number
  readonly published: number
}

/**
 * Brands (api.md §9). Every write is published at once. The first brand of an environment is its default, for messages
 * without another brand; it can only be deleted last.
 */
export class Brands extends Context.Service<Brands, {
  readonly create: (
    scope: Scope,
    id: string | undefined,
    draft: BrandDraft
  ) => Effect.Effect<BrandRecord, BrandExists | TooManyBrands | StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<BrandRecord, BrandNotFound | StoreUnavailable>
  /** Replaces it whole: fields that are not given are cleared. */
  readonly replace: (
    scope: Scope,
    id: string,
    draft: BrandDraft
  ) => Effect.Effect<BrandRecord, BrandNotFound | StoreUnavailable>
  readonly remove: (scope: Scope, id: string) => Effect.Effect<void, BrandInUse | BrandNotFound | StoreUnavailable>
  /** Newest first. */
  readonly list: (
    scope: Scope,
    page: PageQuery
  ) => Effect.Effect<Page<BrandRecord>, InvalidCursor | StoreUnavailable>
  /**
   * For a send: the brand with an id. Cheap: answers are cached, and a change counts at once on this node and within 2
   * s on others.
   */
  readonly resolve: (scope: Scope, id: string) => Effect.Effect<Brand | undefined, StoreUnavailable>
  /** For a send: the default brand. As cheap as `resolve`. */
  readonly fallback: (scope: Scope) => Effect.Effect<Brand | undefined, StoreUnavailable>
}>()("tidings/Brands") {}
