import * as ApiKeys from "#layers/postgres/ApiKeys.ts"
import * as Audiences from "#layers/postgres/Audiences.ts"
import * as AudienceSteps from "#layers/postgres/AudienceSteps.ts"
import * as Audit from "#layers/postgres/Audit.ts"
import * as Brands from "#layers/postgres/Brands.ts"
import * as DeviceTokens from "#layers/postgres/DeviceTokens.ts"
import * as Expansions from "#layers/postgres/Expansions.ts"
import * as Idempotency from "#layers/postgres/Idempotency.ts"
import * as Inbox from "#layers/postgres/Inbox.ts"
import * as Journal from "#layers/postgres/Journal.ts"
import * as Lists from "#layers/postgres/Lists.ts"
import * as Memberships from "#layers/postgres/Memberships.ts"
import * as Members from "#layers/postgres/Members.ts"
import * as MessageLog from "#layers/postgres/MessageLog.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as LegacyPreferences from "#layers/postgres/LegacyPreferences.ts"
import * as PreferenceCatalogue from "#layers/postgres/PreferenceCatalogue.ts"
import * as ListPreferences from "#layers/postgres/ListPreferences.ts"
import * as UserPreferences from "#layers/postgres/UserPreferences.ts"
import * as Profiles from "#layers/postgres/Profiles.ts"
import * as ProviderConfigurations from "#layers/postgres/ProviderConfigurations.ts"
import * as RateLimits from "#layers/postgres/RateLimits.ts"
import * as Strategies from "#layers/postgres/Strategies.ts"
import * as Submissions from "#layers/postgres/Submissions.ts"
import * as Templates from "#layers/postgres/Templates.ts"
import * as Translations from "#layers/postgres/Translations.ts"
import * as Tenants from "#layers/postgres/Tenants.ts"
import * as TenantTemplates from "#layers/postgres/TenantTemplates.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TenantPreferences from "#src/people/TenantPreferences.ts"
import * as Handover from "#src/delivery/Handover.ts"
import { NodeCrypto } from "@effect/platform-node"
import { Layer, Redacted } from "effect"

export const secretKey = (fill: number) =>
  Layer.succeed(SecretKey, SecretKey.of({ bytes: Redacted.make(new Uint8Array(32).fill(fill)) }))

const stores = Layer.mergeAll(
  ApiKeys.layer,
  Audit.layer,
  Audiences.layer,
  AudienceSteps.layer,
  Brands.layer,
  DeviceTokens.layer,
  Memberships.layer,
  Tenants.layer,
  TenantTemplates.layer,
  Expansions.layer,
  Idempotency.layer,
  Inbox.layer,
  Journal.layer,
  Lists.layer,
  Members.layer,
  MessageLog.layer,
  Profiles.layer,
  LegacyPreferences.layer,
  PreferenceCatalogue.layer,
  ListPreferences.layer,
  UserPreferences.layer,
  ProviderConfigurations.layer,
  RateLimits.layer,
  Strategies.layer,
  Submissions.layer,
  Templates.layer,
  Translations.layer
)

/** Every store that the contract suites ask for, over a database of any kind that the caller gives. */
export const layer = TenantPreferences.layer.pipe(
  Layer.provideMerge(stores),
  Layer.provideMerge(Handover.layer),
  Layer.provide([Migrations.layer, NodeCrypto.layer, secretKey(7)])
)
