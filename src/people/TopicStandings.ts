import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { TopicTerms } from "#src/people/PreferenceStatements.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { type TenantDefault, TenantPreferences } from "#src/people/TenantPreferences.ts"
import { standing } from "#src/people/TopicStanding.ts"
import type { Owner, TopicOverrides } from "#src/people/UserPreferences.ts"
import { Clock, Effect } from "effect"

/**
 * A user's own preferences for a topic: for the topic itself, and the legacy ones by notification and category (api.md
 * 10.4, 8).
 */
export interface Words {
  readonly overrides: TopicOverrides | undefined
  readonly legacy: RecipientPreferences | undefined
}

/**
 * The effective status at `now` (epoch ms) of a user with these preferences. `defaultStatus` is what would hold without
 * them.
 */
const at = (
  now: number,
  terms: TopicTerms,
  { legacy: recipient, overrides }: Words,
  tenants: ReadonlyArray<TenantDefault>
) => {
  const byNobody = { now, overrides: undefined, recipient: undefined, tenants }
  return {
    defaultStatus: standing(terms, byNobody).status,
    ...standing(terms, { ...byNobody, overrides, recipient })
  }
}

const silence: Words = { overrides: undefined, legacy: undefined }

/** Users' effective statuses right now, the same for the API, the hosted page and a mail's link. */
export const make = Effect.gen(function*() {
  const profiles = yield* Profiles
  const tenants = yield* TenantPreferences

  const legacy = ({ scope, userId }: Owner) =>
    Effect.map(profiles.person(scope, userId), ({ preferences }) => preferences)

  const of = Effect.fnUntraced(function*({ scope, tenantId }: Owner, terms: TopicTerms, words: Words) {
    const chain = tenantId === undefined ? [] : yield* tenants.chain(scope, tenantId, terms.id)
    return at(yield* Clock.currentTimeMillis, terms, words, chain)
  })

  const byDefault = (owner: Owner, terms: TopicTerms) => Effect.map(of(owner, terms, silence), ({ status }) => status)

  return { legacy, of, byDefault }
})

/**
 * For a list of topics: inside a tenant they run at once, so that their lookups share a statement. Outside of any,
 * nothing is looked up, and no topic needs a fiber.
 */
export const atOnce = ({ tenantId }: Owner) => ({ concurrency: tenantId === undefined ? 1 : "unbounded" } as const)
