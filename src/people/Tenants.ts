import type { TopicSetting } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Tenant, TenantDraft } from "#schemas/Tenant.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such tenant: 404. */
export class TenantNotFound extends Schema.TaggedError<TenantNotFound>()("TenantNotFound", { id: Schema.String }) {}

/** The tenant's parent does not exist, or is the tenant itself or one below it: 400. */
export class ParentRefused extends Schema.TaggedError<ParentRefused>()("ParentRefused", { detail: Schema.String }) {}

/** Tenants and their default preferences (api.md §11). Each write is one atomic change. */
export class Tenants extends Context.Service<Tenants, {
  /** Creates or replaces, default preferences and all: what is not given is cleared. Members stay. */
  readonly replace: (
    scope: Scope,
    id: string,
    draft: TenantDraft
  ) => Effect.Effect<Tenant, ParentRefused | StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<Tenant, TenantNotFound | StoreUnavailable>
  /** By id; with `parentId` only the children of that tenant. */
  readonly list: (
    scope: Scope,
    query: PageQuery & { readonly parentId: string | undefined }
  ) => Effect.Effect<Page<Tenant>, InvalidCursor | StoreUnavailable>
  /** With its memberships, default preferences and templates; its children have no parent then. Idempotent; whether it was there. */
  readonly remove: (scope: Scope, id: string) => Effect.Effect<boolean, StoreUnavailable>
  /** Creates or replaces the default of a topic. */
  readonly setPreference: (
    scope: Scope,
    id: string,
    topicId: string,
    setting: TopicSetting
  ) => Effect.Effect<void, TenantNotFound | StoreUnavailable>
  /** Idempotent; whether there was one. */
  readonly removePreference: (scope: Scope, id: string, topicId: string) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * For a send: the tenant and its ancestors, nearest first, at most `chainLength`; none if there is no such tenant.
   * Cheap: it is remembered, and a change counts at once on this node and within 2 s on others. What is not remembered is
   * asked for together, one statement for the calls of one turn of the event loop.
   */
  readonly chain: (scope: Scope, id: string) => Effect.Effect<ReadonlyArray<Tenant>, StoreUnavailable>
  /** For a send: whether the environment has any tenant. As cheap. */
  readonly any: (scope: Scope) => Effect.Effect<boolean, StoreUnavailable>
}>()("tidings/Tenants") {}
