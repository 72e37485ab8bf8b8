import * as Changes from "#layers/http/Changes.ts"
import * as Group from "#layers/http/Group.ts"
import * as ObjectLists from "#layers/http/ObjectLists.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { defaultLimit } from "#schemas/api/ObjectList.ts"
import type { TenantAssociation, TenantResponse } from "#schemas/api/Tenants.ts"
import type { Tenant } from "#schemas/Tenant.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as Texts from "#src/content/layout/Texts.ts"
import { type Membership, Memberships } from "#src/people/Memberships.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const response = (tenant: Tenant): TenantResponse => ({
  id: tenant.id,
  name: tenant.name,
  parent_tenant_id: tenant.parentId,
  brand_id: tenant.brandId,
  brand: tenant.brand,
  properties: tenant.properties,
  user_profile: tenant.userProfile,
  default_preferences: tenant.preferences.length === 0 ? undefined : { items: tenant.preferences }
})

/** A membership as the API shows it. */
export const association = ({ profile, tenantId, userId }: Membership): TenantAssociation => ({
  tenant_id: tenantId,
  user_id: userId,
  type: "user",
  profile
})

/** /tenants. */
export const layer = Group.layer(Effect.gen(function*() {
  const tenants = yield* Tenants
  const memberships = yield* Memberships
  return HttpApiBuilder.group(Served, "tenants", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { cursor, limit = defaultLimit, parent_tenant_id }, request }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* tenants.list(scope, { limit, cursor, parentId: parent_tenant_id })
        return ObjectLists.answer(request.originalUrl, page, response)
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* tenants.get(scope, params.tenant_id))
      }, refusals),
      replace: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* Texts.checked("brand.", payload.brand ?? {})
        return response(yield* tenants.replace(scope, params.tenant_id, payload))
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* Changes.noted(tenants.remove(scope, params.tenant_id))
      }, refusals),
      users: Effect.fnUntraced(function*({ params, query: { cursor, limit = defaultLimit }, request }) {
        const { scope } = yield* CurrentPrincipal
        yield* tenants.get(scope, params.tenant_id)
        const page = yield* memberships.ofTenant(scope, params.tenant_id, { limit, cursor })
        return ObjectLists.answer(request.originalUrl, page, association)
      }, refusals),
      setPreference: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* tenants.setPreference(scope, params.tenant_id, params.topic_id, payload)
      }, refusals),
      removePreference: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* Changes.noted(tenants.removePreference(scope, params.tenant_id, params.topic_id))
      }, refusals)
    }))
}))
