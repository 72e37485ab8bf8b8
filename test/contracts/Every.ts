import { apiKeysContract } from "#test/contracts/ApiKeys.ts"
import { audiencesContract } from "#test/contracts/Audiences.ts"
import { auditContract } from "#test/contracts/Audit.ts"
import { brandsContract } from "#test/contracts/Brands.ts"
import { bulkJobsContract } from "#test/contracts/BulkJobs.ts"
import { deviceTokensContract } from "#test/contracts/DeviceTokens.ts"
import { expansionsContract } from "#test/contracts/Expansions.ts"
import { idempotencyContract } from "#test/contracts/Idempotency.ts"
import { inboxContract } from "#test/contracts/Inbox.ts"
import { journalContract } from "#test/contracts/Journal.ts"
import { listPreferencesContract } from "#test/contracts/ListPreferences.ts"
import { listsContract } from "#test/contracts/Lists.ts"
import { latestMembersContract } from "#test/contracts/LatestMembers.ts"
import { membersContract } from "#test/contracts/Members.ts"
import { membershipsContract } from "#test/contracts/Memberships.ts"
import { outboxContract } from "#test/contracts/Outbox.ts"
import { messageLogContract } from "#test/contracts/MessageLog.ts"
import { peopleApartContract } from "#test/contracts/PeopleApart.ts"
import { preferenceCatalogueContract } from "#test/contracts/PreferenceCatalogue.ts"
import { profilesContract } from "#test/contracts/Profiles.ts"
import { providerConfigurationsContract } from "#test/contracts/ProviderConfigurations.ts"
import { pushTicketsContract } from "#test/contracts/PushTickets.ts"
import { rateLimitsContract } from "#test/contracts/RateLimits.ts"
import { receiptsContract } from "#test/contracts/Receipts.ts"
import { sendCountsContract } from "#test/contracts/SendCounts.ts"
import { sendLimitsContract } from "#test/contracts/SendLimits.ts"
import { strategiesContract } from "#test/contracts/Strategies.ts"
import { submissionsContract } from "#test/contracts/Submissions.ts"
import { suppressionsContract } from "#test/contracts/Suppressions.ts"
import { templatesContract } from "#test/contracts/Templates.ts"
import { tenantTemplatesContract } from "#test/contracts/TenantTemplates.ts"
import { tenantsContract } from "#test/contracts/Tenants.ts"
import { translationsContract } from "#test/contracts/Translations.ts"
import { userPreferencesContract } from "#test/contracts/UserPreferences.ts"
import { webhooksContract } from "#test/contracts/Webhooks.ts"
import type * as Stores from "#test/layers/postgres/Stores.ts"
import type { Layer } from "effect"

/** Every promise of every store, over one kind of store. `oneBackend`: its transactions queue for one backend (design.md §3). */
export const everyContract = <E>(
  name: string,
  stores: Layer.Layer<Layer.Success<typeof Stores.layer>, E>,
  options: { readonly oneBackend?: boolean } = {}
): void => {
  apiKeysContract(name, stores)
  audiencesContract(name, stores)
  auditContract(name, stores)
  brandsContract(name, stores)
  bulkJobsContract(name, stores)
  deviceTokensContract(name, stores)
  expansionsContract(name, stores)
  idempotencyContract(name, stores, options)
  inboxContract(name, stores)
  journalContract(name, stores)
  listPreferencesContract(name, stores)
  listsContract(name, stores)
  latestMembersContract(name, stores)
  membersContract(name, stores)
  membershipsContract(name, stores)
  messageLogContract(name, stores)
  outboxContract(name, stores)
  peopleApartContract(name, stores)
  preferenceCatalogueContract(name, stores)
  profilesContract(name, stores)
  providerConfigurationsContract(name, stores)
  pushTicketsContract(name, stores)
  rateLimitsContract(name, stores)
  receiptsContract(name, stores)
  sendCountsContract(name, stores)
  sendLimitsContract(name, stores)
  strategiesContract(name, stores)
  submissionsContract(name, stores)
  suppressionsContract(name, stores)
  templatesContract(name, stores)
  tenantTemplatesContract(name, stores)
  tenantsContract(name, stores)
  translationsContract(name, stores)
  userPreferencesContract(name, stores)
  webhooksContract(name, stores)
}
