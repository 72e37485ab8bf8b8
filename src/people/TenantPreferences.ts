import type { TopicSetting } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/** A default with the tenant that set it. */
export interface TenantDefault extends TopicSetting {
  readonly tenantId: string
}

/** The defaults that tenants set for topics (api.md 10.4, 3; 11). */
export class TenantPreferences extends Context.Service<TenantPreferences, {
  /**
   * The defaults for a topic of a tenant and its ancestors, nearest first, at most the inherited levels of api.md 1.7; those
   * that set none are left out. Batched: calls of one turn of the event loop share a statement.
   */
  readonly chain: (
    scope: Scope,
    tenantId: string,
    topicId: string
  ) => Effect.Effect<ReadonlyArray<TenantDefault>, StoreUnavailable>
}>()("tidings/TenantPreferences") {}
