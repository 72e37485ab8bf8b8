import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
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
import * as Directories from "#test/layers/postgres/embedded/Directories.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { Effect, Layer } from "effect"

const database = Layer.unwrap(
  Effect.map(Directories.empty, (dataDir) => Embedded.layer({ dataDir, durability: "process" }))
)

/** The same stores over the embedded database; each suite has a directory of its own. */
const stores = Stores.layer.pipe(Layer.provide(database))

apiKeysContract("embedded", stores)
audiencesContract("embedded", stores)
auditContract("embedded", stores)
brandsContract("embedded", stores)
deviceTokensContract("embedded", stores)
expansionsContract("embedded", stores)
idempotencyContract("embedded", stores, { oneBackend: true })
inboxContract("embedded", stores)
journalContract("embedded", stores)
listsContract("embedded", stores)
membershipsContract("embedded", stores)
membersContract("embedded", stores)
messageLogContract("embedded", stores)
preferenceCatalogueContract("embedded", stores)
profilesContract("embedded", stores)
providerConfigurationsContract("embedded", stores)
rateLimitsContract("embedded", stores)
strategiesContract("embedded", stores)
tenantTemplatesContract("embedded", stores)
tenantsContract("embedded", stores)
submissionsContract("embedded", stores)
templatesContract("embedded", stores)
translationsContract("embedded", stores)
userPreferencesContract("embedded", stores)
listPreferencesContract("embedded", stores)
