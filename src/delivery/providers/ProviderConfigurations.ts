import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, type Redacted, Schema } from "effect"

/** No such configuration: 404. */
export class ConfigurationNotFound
  extends Schema.TaggedError<ConfigurationNotFound>()("ConfigurationNotFound", { id: Schema.String })
{}

/** Another configuration has this alias: 400. */
export class ConfigurationAliasTaken
  extends Schema.TaggedError<ConfigurationAliasTaken>()("ConfigurationAliasTaken", { alias: Schema.String })
{}

/**
 * A routing strategy or a tenant's template names it, and no other configuration could stand in: 409. `by` tells which,
 * in words.
 */
export class ConfigurationInUse extends Schema.TaggedError<ConfigurationInUse>()("ConfigurationInUse", {
  id: Schema.String,
  by: Schema.String
}) {}

/** What a caller configures. `settings` is `undefined` until they are given; then it sends nothing. */
export interface ConfigurationDraft {
  readonly provider: string
  readonly title: string | undefined
  readonly alias: string | undefined
  readonly settings: Redacted.Redacted<Schema.JsonObject> | undefined
}

/** One account at one vendor. Times in epoch ms. */
export interface Configuration extends ConfigurationDraft {
  readonly id: string
  readonly created: number
  readonly updated: number | undefined
}

type Missing = ConfigurationNotFound | StoreUnavailable

/** The accounts at vendors of each environment (api.md §16), their settings encrypted at rest (P9). */
export class ProviderConfigurations extends Context.Service<ProviderConfigurations, {
  readonly create: (
    scope: Scope,
    draft: ConfigurationDraft
  ) => Effect.Effect<Configuration, ConfigurationAliasTaken | StoreUnavailable>
  /** Stores these unless the environment ever had a configuration; answers whether it did. */
  readonly first: (
    scope: Scope,
    drafts: ReadonlyArray<ConfigurationDraft>
  ) => Effect.Effect<boolean, ConfigurationAliasTaken | StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<Configuration, Missing>
  /** One atomic change of what is stored. */
  readonly replace: <E>(
    scope: Scope,
    id: string,
    change: (stored: Configuration) => Effect.Effect<ConfigurationDraft, E>
  ) => Effect.Effect<Configuration, E | ConfigurationAliasTaken | Missing>
  readonly remove: (scope: Scope, id: string) => Effect.Effect<void, ConfigurationInUse | Missing>
  /** Newest first. */
  readonly list: (
    scope: Scope,
    page: PageQuery
  ) => Effect.Effect<Page<Configuration>, InvalidCursor | StoreUnavailable>
  /**
   * All of an environment, the oldest first; the very same value while nothing changed. Cheap, since every message
   * asks: a change counts at once on this node and within 2 s on others.
   */
  readonly installed: (scope: Scope) => Effect.Effect<ReadonlyArray<Configuration>, StoreUnavailable>
}>()("tidings/ProviderConfigurations") {}
