import * as AudienceSteps from "#layers/memory/AudienceSteps.ts"
import * as Audiences from "#layers/memory/Audiences.ts"
import { environments, type Given, type GivenTenant } from "#layers/testing/Given.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Brands } from "#src/content/Brands.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import * as AudienceRules from "#src/people/AudienceRules.ts"
import * as Audience from "#src/people/Audiences.ts"
import * as Steps from "#src/people/AudienceSteps.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { type Context, Effect, Layer } from "effect"

type TenantEntry = readonly [id: string, tenant: GivenTenant]

/** Parents before their children: the API refuses a tenant whose parent does not exist yet. */
export const parentsFirst = (tenants: Readonly<Record<string, GivenTenant>>): ReadonlyArray<TenantEntry> => {
  const depth = ({ parent_tenant_id: parent }: GivenTenant): number => {
    const above = parent === undefined || parent === null ? undefined : tenants[parent]
    return above === undefined ? 0 : 1 + depth(above)
  }
  return Object.entries(tenants).toSorted(([, a], [, b]) => depth(a) - depth(b))
}

const ofTenants = Effect.fnUntraced(function*(scope: Scope, given: Given) {
  const tenants = yield* Tenants
  const memberships = yield* Memberships
  const own = yield* TenantTemplates
  for (const [id, { members = [], templates = {}, ...draft }] of parentsFirst(given.tenants ?? {})) {
    yield* tenants.replace(scope, id, draft)
    for (const [named, template] of Object.entries(templates)) yield* own.put(scope, id, named, template, true)
    for (const member of members) {
      const { profile, user_id: userId } = typeof member === "string" ? { user_id: member, profile: null } : member
      yield* memberships.put(scope, userId, [{ tenantId: id, profile: profile ?? undefined }])
    }
  }
})

const ofBrands = Effect.fnUntraced(function*(scope: Scope, { brands = {} }: Given) {
  const store = yield* Brands
  for (const [id, draft] of Object.entries(brands)) yield* store.create(scope, id, draft)
})

const ofAudiences = Effect.fnUntraced(function*({ audiences = {} }: Given) {
  const store = yield* Audience.Audiences
  for (const scope of environments) {
    for (const [id, body] of Object.entries(audiences)) {
      yield* store.put(scope, id, yield* Effect.fromResult(AudienceRules.draft(id, body)))
    }
  }
  return (yield* Steps.AudienceSteps).advance
})

/**
 * Stores brands, tenants and audiences as the API would; `Impossible.ts` has checked that the API takes them. If there
 * are audiences, answers the effect that brings their members up to date: in memory, one step is enough.
 */
export const make = Effect.fnUntraced(function*(services: Context.Context<Shared>, given: Given) {
  for (const scope of environments) {
    yield* ofBrands(scope, given)
    yield* ofTenants(scope, given)
  }
  return given.audiences === undefined
    ? undefined
    : yield* Effect.provide(ofAudiences(given), Layer.fresh(Layer.merge(Audiences.layer, AudienceSteps.layer)))
}, (effect, services) => Effect.orDie(Effect.provideContext(effect, services)))
