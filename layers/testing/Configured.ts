import type { Audienced } from "#layers/testing/Audienced.ts"
import { environments, type Given, GivenToken, type GivenTenant } from "#layers/testing/Given.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { LimitedBy, LimitPeriod } from "#schemas/SendLimit.ts"
import { Brands } from "#src/content/Brands.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { defaultDomain, Translations } from "#src/content/Translations.ts"
import * as AudienceRules from "#src/people/AudienceRules.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { SendLimits } from "#src/flows/SendLimits.ts"
import { type Context, Effect, Schema, Struct } from "effect"

const decodeTokens = Schema.decodeUnknownEffect(Schema.Array(GivenToken))

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
      yield* memberships.put(scope, userId, [{ tenantId: id, profile: profile ?? null }])
    }
  }
})

const ofBrands = Effect.fnUntraced(function*(scope: Scope, { brands = {} }: Given) {
  const store = yield* Brands
  for (const [id, draft] of Object.entries(brands)) yield* store.create(scope, id, draft)
})

const ofAudiences = Effect.fnUntraced(function*({ audiences: store }: Audienced, audiences: Given["audiences"] = {}) {
  for (const scope of environments) {
    for (const [id, body] of Object.entries(audiences)) {
      yield* store.put(scope, id, yield* Effect.fromResult(AudienceRules.draft(id, body)))
    }
  }
})

const ofPeople = Effect.fnUntraced(function*(scope: Scope, { tokens = {}, translations = {} }: Given) {
  const devices = yield* DeviceTokens
  const texts = yield* Translations
  for (const [userId, all] of Object.entries(tokens)) {
    const registrations = yield* decodeTokens(all)
    yield* devices.register(
      scope,
      UserId.make(userId),
      registrations.map(({ token, ...write }) => ({ token, write }))
    )
  }
  for (const [locale, po] of Object.entries(translations)) yield* texts.put(scope, defaultDomain, locale, po)
})

/** What a limit is known by. */
const limitName = Schema.decodeSync(Schema.TemplateLiteralParser([LimitedBy, "/", LimitPeriod]))

const ofLimits = Effect.fnUntraced(function*(scope: Scope, { limits = {} }: Given) {
  const store = yield* SendLimits
  for (const path of Struct.keys(limits)) {
    const [per, , period] = limitName(path)
    yield* store.put(scope, { per, period }, limits[path] ?? {})
  }
})

/**
 * Stores brands, tenants, audiences, devices, translations and send limits as the API would; `Impossible.ts` has checked
 * that the API takes them.
 */
export const make = Effect.fnUntraced(function*(
  { audienced, given }: {
    readonly services: Context.Context<Shared>
    readonly given: Given
    readonly audienced: () => Audienced
  }
) {
  for (const scope of environments) {
    yield* ofBrands(scope, given)
    yield* ofTenants(scope, given)
    yield* ofPeople(scope, given)
    yield* ofLimits(scope, given)
  }
  if (given.audiences !== undefined) yield* ofAudiences(audienced(), given.audiences)
}, (effect, { services }) => Effect.orDie(Effect.provideContext(effect, services)))
