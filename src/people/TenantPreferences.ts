import type { TopicSetting } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { Context, Effect, Layer } from "effect"

/** A default with the tenant that set it. */
export interface TenantDefault extends TopicSetting {
  readonly tenantId: string
}

/** The defaults that tenants set for topics (api.md 10.4, 3; 11). */
export class TenantPreferences extends Context.Service<TenantPreferences, {
  /**
   * The defaults that a tenant and its ancestors set for a topic, nearest first, without those that set none. At most
   * as many levels as are inherited (api.md 1.7). As cheap and as fresh as `Tenants.chain`.
   */
  readonly chain: (
    scope: Scope,
    tenantId: string,
    topicId: string
  ) => Effect.Effect<ReadonlyArray<TenantDefault>, StoreUnavailable>
}>()("tidings/TenantPreferences") {}

export const layer = Layer.effect(
  TenantPreferences,
  Effect.gen(function*() {
    const tenants = yield* Tenants
    return TenantPreferences.of({
      chain: (scope, tenantId, topicId) =>
        Effect.map(tenants.chain(scope, tenantId), (chain) =>
          chain.flatMap((tenant) => {
            const item = tenant.preferences.find(({ id }) => id === topicId)
            return item === undefined ? [] : [{ ...item, tenantId: tenant.id }]
          }))
    })
  })
)
