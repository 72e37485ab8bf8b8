import * as Brands from "#layers/memory/Brands.ts"
import * as BulkJobs from "#layers/memory/BulkJobs.ts"
import * as Database from "#layers/memory/Database.ts"
import * as DeviceTokens from "#layers/memory/DeviceTokens.ts"
import * as Expansions from "#layers/memory/Expansions.ts"
import * as Idempotency from "#layers/memory/Idempotency.ts"
import * as ListPreferences from "#layers/memory/ListPreferences.ts"
import * as Lists from "#layers/memory/Lists.ts"
import * as Members from "#layers/memory/Members.ts"
import * as Memberships from "#layers/memory/Memberships.ts"
import * as PreferenceCatalogue from "#layers/memory/PreferenceCatalogue.ts"
import * as TenantTemplates from "#layers/memory/TenantTemplates.ts"
import * as Tenants from "#layers/memory/Tenants.ts"
import * as UserPreferences from "#layers/memory/UserPreferences.ts"
import * as MessageLog from "#layers/memory/MessageLog.ts"
import * as Profiles from "#layers/memory/Profiles.ts"
import * as References from "#layers/memory/References.ts"
import * as SendCounts from "#layers/memory/SendCounts.ts"
import * as SendLimits from "#layers/memory/SendLimits.ts"
import * as Strategies from "#layers/memory/Strategies.ts"
import * as Suppressions from "#layers/memory/Suppressions.ts"
import * as Templates from "#layers/memory/Templates.ts"
import * as Translations from "#layers/memory/Translations.ts"
import type { Chance } from "#layers/testing/Chance.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { Mjml } from "#src/content/Mjml.ts"
import * as TenantPreferences from "#src/people/TenantPreferences.ts"
import { type Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

/** MJML is compiled in a worker thread, which a simulated world does not have: here it stays as it is. */
const outside = Layer.succeed(Mjml, Mjml.of({ compile: (source) => Effect.succeed(source) }))

const stores = Layer.mergeAll(
  Brands.layer,
  BulkJobs.layer,
  DeviceTokens.layer,
  Expansions.layer,
  Idempotency.layer,
  ListPreferences.layer,
  Lists.layer,
  Members.layer,
  Memberships.layer,
  PreferenceCatalogue.layer,
  TenantTemplates.layer,
  Tenants.layer,
  UserPreferences.layer,
  MessageLog.layer,
  Profiles.layer,
  References.layer,
  SendCounts.layer,
  SendLimits.layer,
  Strategies.layer,
  Suppressions.layer,
  Templates.layer,
  Translations.layer,
  outside
)

const layer = (chance: Chance) =>
  TenantPreferences.layer.pipe(
    Layer.provideMerge(stores),
    Layer.provideMerge(Layer.mergeAll(
      Database.layer,
      Layer.succeed(SecretKey, { bytes: Redacted.make(new Uint8Array(32)) }),
      Layer.succeed(SecureRandom.SecureRandom, SecureRandom.make(chance.bytes))
    ))
  )

/** What all nodes of a world share: one database, the stores over it, and the source of ids. */
export type Shared = Layer.Success<ReturnType<typeof layer>>

export const make = (chance: Chance): Context.Context<Shared> =>
  Effect.runSync(Effect.scoped(Layer.build(Layer.fresh(layer(chance)))))
