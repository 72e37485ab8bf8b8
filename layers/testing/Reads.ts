import type { Process } from "#layers/testing/Loop.ts"
import type { Store } from "#layers/testing/Store.ts"
import { Brands } from "#src/content/Brands.ts"
import { Templates } from "#src/content/Templates.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Translations } from "#src/content/Translations.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { SendCounts } from "#src/flows/SendCounts.ts"
import { SendLimits } from "#src/flows/SendLimits.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import { Members } from "#src/people/Members.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { TenantPreferences } from "#src/people/TenantPreferences.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { References } from "#src/reports/References.ts"
import { Context, Effect, HashMap } from "effect"

const unlimited = Effect.succeed([])

/** The ways to the store of the world. */
interface Ways extends Pick<Store, "ask" | "look" | "recall"> {}

/**
 * The stores that the engine reads, with what it reads there asked over the simulated network: each of these reads
 * takes time, and may fail. `upkeep` brings the members of audiences up to date before each page of them.
 */
export const make = Effect.fnUntraced(function*(
  { ask, look, recall }: Ways,
  asker: Process,
  upkeep: Effect.Effect<unknown, StoreUnavailable>
) {
  type Method<Args extends ReadonlyArray<unknown>, A, E> = (...args: Args) => Effect.Effect<A, E>

  const read = <Args extends ReadonlyArray<unknown>, A, E>(
    method: Method<Args, A, E>
  ): Method<Args, A, E | StoreUnavailable> =>
  (...args) => ask(asker, method(...args))

  // For what every turn asks: over the network, that would cost a tenth of the worlds that are lived in a second.
  const known = <Args extends ReadonlyArray<unknown>, A, E>(
    method: Method<Args, A, E>
  ): Method<Args, A, E | StoreUnavailable> =>
  (...args) => recall(method(...args))

  const brands = yield* Brands
  const catalogue = yield* PreferenceCatalogue
  const devices = yield* DeviceTokens
  const jobs = yield* Jobs
  const lists = yield* ListPreferences
  const log = yield* MessageLog
  const members = yield* Members
  const memberships = yield* Memberships
  const profiles = yield* Profiles
  const references = yield* References
  const counts = yield* SendCounts
  const limits = yield* SendLimits
  const strategies = yield* Strategies
  const suppressions = yield* Suppressions
  const templates = yield* Templates
  const tenantPreferences = yield* TenantPreferences
  const tenants = yield* Tenants
  const tenantTemplates = yield* TenantTemplates
  const translations = yield* Translations
  const users = yield* UserPreferences

  const page: Members["Service"]["page"] = (...args) => Effect.andThen(upkeep, members.page(...args))

  /** Nothing is asked in a world in which nobody is suppressed: every mail and text message would take as much longer. */
  const reason: Suppressions["Service"]["reason"] = (...args) =>
    look(({ suppressions }) => HashMap.isEmpty(suppressions)) ? Effect.undefined : read(suppressions.reason)(...args)

  /** Nor in one without limits. */
  const installed: SendLimits["Service"]["installed"] = (...args) =>
    look(({ limits }) => HashMap.isEmpty(limits.limits)) ? unlimited : known(limits.installed)(...args)

  return Context.empty().pipe(
    Context.add(Brands, { ...brands, fallback: known(brands.fallback), resolve: read(brands.resolve) }),
    Context.add(DeviceTokens, { ...devices, reachable: read(devices.reachable) }),
    Context.add(Jobs, { ...jobs, close: read(jobs.close), find: read(jobs.find), sendable: read(jobs.sendable) }),
    Context.add(ListPreferences, { ...lists, find: read(lists.find) }),
    Context.add(Members, { page: read(page), exists: read(members.exists) }),
    Context.add(Memberships, { ...memberships, find: read(memberships.find), sole: read(memberships.sole) }),
    Context.add(MessageLog, { ...log, get: read(log.get), original: read(log.original) }),
    Context.add(PreferenceCatalogue, { ...catalogue, resolve: read(catalogue.resolve) }),
    Context.add(Profiles, { ...profiles, person: read(profiles.person) }),
    Context.add(References, { ...references, find: read(references.find) }),
    Context.add(SendCounts, { ...counts, take: read(counts.take) }),
    Context.add(SendLimits, { ...limits, installed }),
    Context.add(Strategies, { ...strategies, resolve: read(strategies.resolve) }),
    Context.add(Suppressions, { ...suppressions, reason, add: read(suppressions.add) }),
    Context.add(Templates, { ...templates, resolve: read(templates.resolve) }),
    Context.add(TenantPreferences, { chain: read(tenantPreferences.chain) }),
    Context.add(Tenants, { ...tenants, some: known(tenants.some), chain: read(tenants.chain) }),
    Context.add(TenantTemplates, { ...tenantTemplates, resolve: read(tenantTemplates.resolve) }),
    Context.add(Translations, { ...translations, find: read(translations.find) }),
    Context.add(UserPreferences, { ...users, find: read(users.find) })
  )
})
