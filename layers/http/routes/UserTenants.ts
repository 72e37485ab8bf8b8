import * as Group from "#layers/http/Group.ts"
import * as ObjectLists from "#layers/http/ObjectLists.ts"
import { inWords, refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { association } from "#layers/http/routes/Tenants.ts"
import { BadRequest } from "#schemas/api/Errors.ts"
import { defaultLimit } from "#schemas/api/ObjectList.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { MembershipNotFound, Memberships } from "#src/people/Memberships.ts"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** /users/{user_id}/tenants. */
export const layer = Group.layer(Effect.gen(function*() {
  const memberships = yield* Memberships
  return HttpApiBuilder.group(Served, "userTenants", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ params, query: { cursor, limit = defaultLimit }, request }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* memberships.ofUser(scope, params.user_id, { limit, cursor })
        return ObjectLists.answer(request.originalUrl, page, association)
      }, refusals),
      add: Effect.fnUntraced(function*({ params, payload: { tenants } }) {
        const { scope } = yield* CurrentPrincipal
        const wanted = tenants.map(({ profile, tenant_id: tenantId }) => ({ tenantId, profile }))
        yield* memberships.put(scope, params.user_id, wanted).pipe(
          Effect.mapError((error) => {
            if (error._tag !== "TenantNotFound") return inWords(error)
            const index = tenants.findIndex((tenant) => tenant.tenant_id === error.id)
            return new BadRequest({ message: `tenants[${index}].tenant_id: ${inWords(error).message}` })
          })
        )
      }),
      removeAll: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* memberships.removeAll(scope, params.user_id)
      }, refusals),
      get: Effect.fnUntraced(function*({ params: { tenant_id: tenantId, user_id: userId } }) {
        const { scope } = yield* CurrentPrincipal
        const found = yield* memberships.find(scope, userId, tenantId)
        return Option.isSome(found) ? association(found.value) : yield* new MembershipNotFound({ tenantId, userId })
      }, refusals),
      put: Effect.fnUntraced(function*({ params: { tenant_id: tenantId, user_id: userId }, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* memberships.put(scope, userId, [{ tenantId, profile: payload?.profile ?? null }])
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* memberships.remove(scope, params.user_id, params.tenant_id)
      }, refusals)
    }))
}))
