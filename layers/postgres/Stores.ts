import * as ApiKeys from "#layers/postgres/ApiKeys.ts"
import * as Audiences from "#layers/postgres/Audiences.ts"
import * as AudienceSteps from "#layers/postgres/AudienceSteps.ts"
import * as Audit from "#layers/postgres/Audit.ts"
import * as Brands from "#layers/postgres/Brands.ts"
import * as BulkJobs from "#layers/postgres/BulkJobs.ts"
import * as DeviceTokens from "#layers/postgres/DeviceTokens.ts"
import * as Expansions from "#layers/postgres/Expansions.ts"
import * as Idempotency from "#layers/postgres/Idempotency.ts"
import * as Inbox from "#layers/postgres/Inbox.ts"
import * as Journal from "#layers/postgres/Journal.ts"
import * as LegacyPreferences from "#layers/postgres/LegacyPreferences.ts"
import * as ListPreferences from "#layers/postgres/ListPreferences.ts"
import * as Lists from "#layers/postgres/Lists.ts"
import * as Members from "#layers/postgres/Members.ts"
import * as Memberships from "#layers/postgres/Memberships.ts"
import * as MessageLog from "#layers/postgres/MessageLog.ts"
import * as OverriddenTopics from "#layers/postgres/OverriddenTopics.ts"
import * as PreferenceCatalogue from "#layers/postgres/PreferenceCatalogue.ts"
import * as Profiles from "#layers/postgres/Profiles.ts"
import * as ProviderConfigurations from "#layers/postgres/ProviderConfigurations.ts"
import * as PushTickets from "#layers/postgres/PushTickets.ts"
import * as RateLimits from "#layers/postgres/RateLimits.ts"
import * as References from "#layers/postgres/References.ts"
import * as SendCounts from "#layers/postgres/SendCounts.ts"
import * as SendLimits from "#layers/postgres/SendLimits.ts"
import * as Strategies from "#layers/postgres/Strategies.ts"
import * as Submissions from "#layers/postgres/Submissions.ts"
import * as Suppressions from "#layers/postgres/Suppressions.ts"
import * as Templates from "#layers/postgres/Templates.ts"
import * as Tenants from "#layers/postgres/Tenants.ts"
import * as TenantTemplates from "#layers/postgres/TenantTemplates.ts"
import * as Translations from "#layers/postgres/Translations.ts"
import * as UserPreferences from "#layers/postgres/UserPreferences.ts"
import * as Outbox from "#layers/postgres/webhooks/Outbox.ts"
import * as Webhooks from "#layers/postgres/Webhooks.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Layer } from "effect"

/** Every store that also exists in memory and has a contract suite, over a migrated database. */
export const layer = OverriddenTopics.layer.pipe(Layer.provideMerge(Layer.mergeAll(
  ApiKeys.layer,
  Audiences.layer,
  AudienceSteps.layer,
  Audit.layer,
  Brands.layer,
  BulkJobs.layer,
  DeviceTokens.layer,
  Expansions.layer,
  Idempotency.layer,
  Inbox.layer,
  Journal.layer,
  LegacyPreferences.layer,
  ListPreferences.layer,
  Lists.layer,
  Members.layer,
  Memberships.layer,
  MessageLog.layer,
  Outbox.layer,
  PreferenceCatalogue.layer,
  Profiles.layer,
  ProviderConfigurations.layer,
  PushTickets.layer,
  RateLimits.layer,
  References.layer,
  SendCounts.layer,
  SendLimits.layer,
  Strategies.layer,
  Submissions.layer,
  Suppressions.layer,
  Templates.layer,
  Tenants.layer,
  TenantTemplates.layer,
  Translations.layer,
  UserPreferences.layer,
  Webhooks.layer
))).pipe(Layer.provideMerge(Handover.layer))
