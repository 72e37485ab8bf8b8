import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { UnknownBrand } from "#src/content/Templates.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such routing strategy: 404. */
export class StrategyNotFound
  extends Schema.TaggedError<StrategyNotFound>()("StrategyNotFound", { id: Schema.String })
{}

/** Templates name it: 409. */
export class StrategyInUse extends Schema.TaggedError<StrategyInUse>()("StrategyInUse", { id: Schema.String }) {}

/** Times in epoch ms. */
export interface StrategyRecord {
  readonly id: string
  readonly strategy: RoutingStrategy
  readonly created: number
  readonly updated: number | undefined
}

type Missing = StrategyNotFound | StoreUnavailable

/** Routing strategies (api.md §15). The brands of its channels must exist. Each write is one atomic change. */
export class Strategies extends Context.Service<Strategies, {
  readonly create: (
    scope: Scope,
    strategy: RoutingStrategy
  ) => Effect.Effect<StrategyRecord, UnknownBrand | StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<StrategyRecord, Missing>
  /** Whole: what is not given is cleared. */
  readonly replace: (
    scope: Scope,
    id: string,
    strategy: RoutingStrategy
  ) => Effect.Effect<StrategyRecord, UnknownBrand | Missing>
  /** From now on it is not found. */
  readonly archive: (scope: Scope, id: string) => Effect.Effect<void, StrategyInUse | Missing>
  /** Newest first. */
  readonly list: (
    scope: Scope,
    page: PageQuery
  ) => Effect.Effect<Page<StrategyRecord>, InvalidCursor | StoreUnavailable>
  /** For a send. Cheap, and as fresh as `Templates.resolve`. */
  readonly resolve: (scope: Scope, id: string) => Effect.Effect<RoutingStrategy, Missing>
}>()("tidings/Strategies") {}
