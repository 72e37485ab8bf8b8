import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { Lists } from "#src/people/Lists.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { Effect } from "effect"

export const [one, two, gone] = [ListId.make("one"), ListId.make("two"), ListId.make("gone")]
export const [ada, bob, cy] = [UserId.make("ada"), UserId.make("bob"), UserId.make("cy")]
export const out = { status: "OPTED_OUT" as const }
export const plain = (userId: UserId) => ({ userId, preferences: undefined })
export const text: TenantTemplate = { content: { elements: [{ type: "text", id: "e", content: "x" }] } }

const everything = { limit: 100, cursor: undefined }
const users = [ada, bob, cy]

/** An audience of all who have this title, or of all who have any. */
export const audienceOf = (title?: string) => ({
  name: title ?? "",
  description: "",
  operator: undefined,
  filter: {
    filters: [
      title === undefined
        ? { operator: "EXISTS" as const, path: "title" }
        : { operator: "EQ" as const, path: "title", value: title }
    ]
  }
})

export const services = Effect.gen(function*() {
  return {
    audiences: yield* Audiences,
    devices: yield* DeviceTokens,
    legacy: yield* LegacyPreferences,
    lists: yield* Lists,
    memberships: yield* Memberships,
    overridden: yield* OverriddenTopics,
    preferences: yield* UserPreferences,
    profiles: yield* Profiles,
    steps: yield* AudienceSteps,
    templates: yield* TenantTemplates,
    tenants: yield* Tenants
  }
})
export type Services = Effect.Success<typeof services>

/** What readers are told, thing by thing. */
type Seen = Record<string, unknown>

const found = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onSuccess: (value): unknown => value, onFailure: ({ _tag }): unknown => _tag })

/**
 * One part of an environment: how it is filled with at least two of everything, and what its readers are then told. Two
 * environments that are furnished have the same ids.
 */
export interface Part {
  readonly furnish: (stores: Services, scope: Scope) => Effect.Effect<void, unknown>
  readonly look: (stores: Services, scope: Scope) => Effect.Effect<Seen, unknown>
}

const lists: Part = {
  furnish: Effect.fnUntraced(function*({ lists }, scope) {
    for (const id of [one, two, gone]) yield* lists.subscribe(scope, id, [ada, bob].map(plain))
    yield* lists.remove(scope, gone)
  }),
  look: Effect.fnUntraced(function*({ lists }, scope) {
    const seen: Seen = {}
    for (const id of [one, two, gone]) {
      seen[`list ${id}`] = yield* found(lists.get(scope, id))
      seen[`subscribers of ${id}`] = yield* found(lists.subscriptions(scope, id, everything))
    }
    for (const user of users) seen[`lists of ${user}`] = (yield* lists.listsOf(scope, user, everything)).items
    return seen
  })
}

const tenants: Part = {
  furnish: Effect.fnUntraced(function*({ memberships, templates, tenants }, scope) {
    for (const id of ["acme", "other"]) {
      yield* tenants.replace(scope, id, { name: id })
      for (const topic of ["a", "b"]) yield* tenants.setPreference(scope, id, topic, out)
      yield* templates.put(scope, id, "nt", text, true)
      yield* templates.put(scope, id, "nt", { content: { elements: [{ type: "divider" }] } }, false)
    }
    yield* templates.put(scope, "acme", "nu", text, true)
    yield* tenants.replace(scope, "child", { name: "child", parent_tenant_id: "acme" })
    const both = ["acme", "other"].map((tenantId) => ({ tenantId, profile: { at: tenantId } }))
    for (const user of [ada, bob]) yield* memberships.put(scope, user, both)
  }),
  look: Effect.fnUntraced(function*({ memberships, steps, templates, tenants }, scope) {
    yield* Effect.repeat(steps.advance, { while: (more) => more })
    const seen: Seen = {}
    for (const id of ["acme", "other", "child"]) {
      seen[`tenant ${id}`] = yield* found(tenants.get(scope, id))
      seen[`members of ${id}`] = (yield* memberships.ofTenant(scope, id, everything)).items
    }
    for (const user of [ada, bob]) {
      seen[`tenants of ${user}`] = (yield* memberships.ofUser(scope, user, everything)).items
    }
    for (const [id, tenant] of [["nt", "acme"], ["nu", "acme"], ["nt", "other"]] as const) {
      const of = (version: "latest" | "published") => found(templates.get(scope, tenant, id, version))
      seen[`template ${id} of ${tenant}`] = [yield* of("latest"), yield* of("published")]
    }
    return seen
  })
}

const devices: Part = {
  furnish: Effect.fnUntraced(function*({ devices }, scope) {
    for (const user of users) {
      const tokens = ["phone", "watch"].map((name) => `${user}'s ${name}`)
      yield* devices.register(scope, user, tokens.map((token) => ({ token, write: { provider_key: "expo" } })))
    }
  }),
  look: Effect.fnUntraced(function*({ devices }, scope) {
    const seen: Seen = {}
    for (const user of users) seen[`tokens of ${user}`] = yield* devices.list(scope, user)
    return seen
  })
}

const preferences: Part = {
  furnish: Effect.fnUntraced(function*({ legacy, preferences }, scope) {
    const both = ["a", "b"].map((topicId) => ({ topicId, setting: out }))
    for (const user of users) {
      for (const tenant of [undefined, "acme"]) yield* preferences.put({ scope, userId: user, tenantId: tenant }, both)
      yield* legacy.replace(scope, user, { notifications: { n: out } })
    }
  }),
  look: Effect.fnUntraced(function*({ overridden }, scope) {
    const seen: Seen = {}
    for (const userId of users) {
      const own = yield* overridden.of({ scope, userId, tenantId: undefined })
      seen[`preferences of ${userId}`] = own.overrides
      seen[`legacy preferences of ${userId}`] = own.legacy
      const inTenant = yield* overridden.of({ scope, userId, tenantId: "acme" })
      seen[`preferences of ${userId} in acme`] = inTenant.overrides
    }
    return seen
  })
}

const profiles: Part = {
  furnish: Effect.fnUntraced(function*({ audiences, profiles }, scope) {
    for (const [user, title] of [[ada, "Engineer"], [bob, "Engineer"], [cy, "Doctor"]] as const)
      yield* profiles.replace(scope, user, { title })
    yield* audiences.put(scope, "eng", audienceOf("Engineer"))
    yield* audiences.put(scope, "doc", audienceOf("Doctor"))
  }),
  look: Effect.fnUntraced(function*({ audiences, profiles, steps }, scope) {
    yield* Effect.repeat(steps.advance, { while: (more) => more })
    const seen: Seen = {}
    for (const user of users) seen[`profile of ${user}`] = yield* profiles.find(scope, user)
    for (const id of ["eng", "doc"]) {
      seen[`audience ${id}`] = yield* found(audiences.get(scope, id))
      seen[`members of audience ${id}`] = yield* found(audiences.members(scope, id, everything))
    }
    return seen
  })
}

export const parts = { lists, tenants, devices, preferences, profiles }
