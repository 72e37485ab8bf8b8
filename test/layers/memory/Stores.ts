import * as ApiKeys from "#layers/memory/ApiKeys.ts"
import * as Audiences from "#layers/memory/Audiences.ts"
import * as AudienceSteps from "#layers/memory/AudienceSteps.ts"
import * as Audit from "#layers/memory/Audit.ts"
import * as Brands from "#layers/memory/Brands.ts"
import * as Database from "#layers/memory/Database.ts"
import * as DeviceTokens from "#layers/memory/DeviceTokens.ts"
import * as Expansions from "#layers/memory/Expansions.ts"
import * as Idempotency from "#layers/memory/Idempotency.ts"
import * as Inbox from "#layers/memory/Inbox.ts"
import * as Journal from "#layers/memory/Journal.ts"
import * as Lists from "#layers/memory/Lists.ts"
import * as Memberships from "#layers/memory/Memberships.ts"
import * as Members from "#layers/memory/Members.ts"
import * as MessageLog from "#layers/memory/MessageLog.ts"
import * as LegacyPreferences from "#layers/memory/LegacyPreferences.ts"
import * as OverriddenTopics from "#layers/memory/OverriddenTopics.ts"
import * as PreferenceCatalogue from "#layers/memory/PreferenceCatalogue.ts"
import * as ListPreferences from "#layers/memory/ListPreferences.ts"
import * as UserPreferences from "#layers/memory/UserPreferences.ts"
import * as Webhooks from "#layers/memory/Webhooks.ts"
import * as Profiles from "#layers/memory/Profiles.ts"
import * as ProviderConfigurations from "#layers/memory/ProviderConfigurations.ts"
import * as PushTickets from "#layers/memory/PushTickets.ts"
import * as RateLimits from "#layers/memory/RateLimits.ts"
import * as References from "#layers/memory/References.ts"
import * as BulkJobs from "#layers/memory/BulkJobs.ts"
import * as SendCounts from "#layers/memory/SendCounts.ts"
import * as SendLimits from "#layers/memory/SendLimits.ts"
import * as Strategies from "#layers/memory/Strategies.ts"
import * as Submissions from "#layers/memory/Submissions.ts"
import * as Suppressions from "#layers/memory/Suppressions.ts"
import * as Templates from "#layers/memory/Templates.ts"
import * as Translations from "#layers/memory/Translations.ts"
import * as Tenants from "#layers/memory/Tenants.ts"
import * as TenantTemplates from "#layers/memory/TenantTemplates.ts"
import * as Outbox from "#layers/memory/webhooks/Outbox.ts"
import * as TenantPreferences from "#src/people/TenantPreferences.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { Layer } from "effect"

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
  Outbox.layer,
  Profiles.layer,
  LegacyPreferences.layer,
  PreferenceCatalogue.layer,
  ListPreferences.layer,
  UserPreferences.layer,
  ProviderConfigurations.layer,
  PushTickets.layer,
  RateLimits.layer,
  References.layer,
  BulkJobs.layer,
  SendCounts.layer,
  SendLimits.layer,
  Strategies.layer,
  Submissions.layer,
  Suppressions.layer,
  Templates.layer,
  Translations.layer,
  Webhooks.layer
)

/** Every store in memory, over one state. */
export const layer = Layer.mergeAll(OverriddenTopics.layer, TenantPreferences.layer).pipe(
  Layer.provideMerge(stores),
  Layer.provideMerge(Handover.layer),
  Layer.provideMerge(Database.layer),
  Layer.provide([secretKey(7), NodeCrypto.layer])
)
