import type { TopicSetting } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Tenant, TenantDraft } from "#schemas/Tenant.ts"
import type { UnknownBrand } from "#src/content/Templates.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such tenant: 404. */
export class TenantNotFound extends Schema.TaggedError<TenantNotFound>()("TenantNotFound", { id: Schema.String }) {}

/** The given parent does not exist, or is the tenant itself or one of its descendants: 400. */
export class ParentRefused extends Schema.TaggedError<ParentRefused>()("ParentRefused", { detail: Schema.String }) {}

/** The tenant has `mostDefaults` default preferences: 400. */
export class TooManyDefaults extends Schema.TaggedError<TooManyDefaults>()("TooManyDefaults", {}) {}

/** Tenants and their default preferences (api.md §11). Each write is one atomic change. */
export class Tenants extends Context.Service<Tenants, {
  /**
   * Creates or replaces it whole, default preferences included: fields that are not given are cleared. Members stay. The
   * brand that it names must exist, unless it has one of its own.
   */
  readonly replace: (
    scope: Scope,
    id: string,
    draft: TenantDraft
  ) => Effect.Effect<Tenant, ParentRefused | UnknownBrand | StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<Tenant, TenantNotFound | StoreUnavailable>
  /** Ordered by id. With `parentId`, only the children of that tenant. */
  readonly list: (
    scope: Scope,
    query: PageQuery & { readonly parentId: string | undefined }
  ) => Effect.Effect<Page<Tenant>, InvalidCursor | StoreUnavailable>
  /**
   * Also removes its memberships, default preferences and templates; its children are left without a parent.
   * Idempotent; answers whether it was there.
   */
  readonly remove: (scope: Scope, id: string) => Effect.Effect<boolean, StoreUnavailable>
  /** Creates or replaces the tenant's default for a topic; at most `mostDefaults`. */
  readonly setPreference: (
    scope: Scope,
    id: string,
    topicId: string,
    setting: TopicSetting
  ) => Effect.Effect<void, TenantNotFound | TooManyDefaults | StoreUnavailable>
  /** Idempotent; answers whether there was one. */
  readonly removePreference: (scope: Scope, id: string, topicId: string) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * For a send: the tenant and its ancestors, nearest first, at most `chainLength`; empty if the tenant does not exist.
   * Cheap: answers are cached, and a change counts at once on this node and within 2 s on others. Lookups that miss the
   * cache are batched: calls of one turn of the event loop share a statement.
   */
  readonly chain: (scope: Scope, id: string) => Effect.Effect<ReadonlyArray<Tenant>, StoreUnavailable>
  /** For a send: whether the environment has any tenant. As cheap as `chain`. */
  readonly some: (scope: Scope) => Effect.Effect<boolean, StoreUnavailable>
}>()("tidings/Tenants") {}
