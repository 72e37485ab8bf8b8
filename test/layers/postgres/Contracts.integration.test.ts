import { apiKeysContract } from "#test/contracts/ApiKeys.ts"
import { audiencesContract } from "#test/contracts/Audiences.ts"
import { auditContract } from "#test/contracts/Audit.ts"
import { brandsContract } from "#test/contracts/Brands.ts"
import { deviceTokensContract } from "#test/contracts/DeviceTokens.ts"
import { expansionsContract } from "#test/contracts/Expansions.ts"
import { idempotencyContract } from "#test/contracts/Idempotency.ts"
import { inboxContract } from "#test/contracts/Inbox.ts"
import { journalContract } from "#test/contracts/Journal.ts"
import { listsContract } from "#test/contracts/Lists.ts"
import { membershipsContract } from "#test/contracts/Memberships.ts"
import { listPreferencesContract } from "#test/contracts/ListPreferences.ts"
import { membersContract } from "#test/contracts/Members.ts"
import { messageLogContract } from "#test/contracts/MessageLog.ts"
import { preferenceCatalogueContract } from "#test/contracts/PreferenceCatalogue.ts"
import { profilesContract } from "#test/contracts/Profiles.ts"
import { providerConfigurationsContract } from "#test/contracts/ProviderConfigurations.ts"
import { rateLimitsContract } from "#test/contracts/RateLimits.ts"
import { strategiesContract } from "#test/contracts/Strategies.ts"
import { tenantTemplatesContract } from "#test/contracts/TenantTemplates.ts"
import { tenantsContract } from "#test/contracts/Tenants.ts"
import { submissionsContract } from "#test/contracts/Submissions.ts"
import { templatesContract } from "#test/contracts/Templates.ts"
import { translationsContract } from "#test/contracts/Translations.ts"
import { userPreferencesContract } from "#test/contracts/UserPreferences.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { Layer } from "effect"

/** Each suite has a database of its own. */
const stores = Stores.layer.pipe(Layer.provide(FreshDatabase.layerEmpty))

apiKeysContract("Postgres", stores)
audiencesContract("Postgres", stores)
auditContract("Postgres", stores)
brandsContract("Postgres", stores)
deviceTokensContract("Postgres", stores)
expansionsContract("Postgres", stores)
idempotencyContract("Postgres", stores)
inboxContract("Postgres", stores)
journalContract("Postgres", stores)
listsContract("Postgres", stores)
membershipsContract("Postgres", stores)
membersContract("Postgres", stores)
messageLogContract("Postgres", stores)
preferenceCatalogueContract("Postgres", stores)
profilesContract("Postgres", stores)
providerConfigurationsContract("Postgres", stores)
rateLimitsContract("Postgres", stores)
strategiesContract("Postgres", stores)
tenantTemplatesContract("Postgres", stores)
tenantsContract("Postgres", stores)
submissionsContract("Postgres", stores)
templatesContract("Postgres", stores)
translationsContract("Postgres", stores)
userPreferencesContract("Postgres", stores)
listPreferencesContract("Postgres", stores)
