import { Audiences } from "#schemas/api/Audiences.ts"
import { Brands } from "#schemas/api/Brands.ts"
import { Bulk } from "#schemas/api/Bulk.ts"
import { AuditEvents } from "#schemas/api/AuditEvents.ts"
import { Auth } from "#schemas/api/Auth.ts"
import { DeviceTokens } from "#schemas/api/DeviceTokens.ts"
import { Inbox } from "#schemas/api/Inbox.ts"
import { Lists } from "#schemas/api/Lists.ts"
import { Messages } from "#schemas/api/Messages.ts"
import { Notifications } from "#schemas/api/Notifications.ts"
import { ProfileLists } from "#schemas/api/ProfileLists.ts"
import { Preferences } from "#schemas/api/Preferences.ts"
import { Profiles } from "#schemas/api/Profiles.ts"
import { Providers } from "#schemas/api/Providers.ts"
import { Requests } from "#schemas/api/Requests.ts"
import { RoutingStrategies } from "#schemas/api/RoutingStrategies.ts"
import { TenantTemplates } from "#schemas/api/TenantTemplates.ts"
import { Tenants, UserTenants } from "#schemas/api/Tenants.ts"
import { Send } from "#schemas/api/Send.ts"
import { SendLimits } from "#schemas/api/SendLimits.ts"
import { Submissions } from "#schemas/api/Submissions.ts"
import { Suppressions } from "#schemas/api/Suppressions.ts"
import { Translations } from "#schemas/api/Translations.ts"
import { UserPreferences } from "#schemas/api/UserPreferences.ts"
import { Webhooks } from "#schemas/api/Webhooks.ts"
import { version } from "#schemas/Version.ts"
import { HttpApi, OpenApi } from "effect/http-api"

/** Every endpoint of the JSON API. What each request passes first is in `layers/http/Served`. */
export class Api extends HttpApi.make("tidings").add(
  Send,
  Messages,
  Brands,
  Bulk,
  Tenants,
  TenantTemplates,
  UserTenants,
  Requests,
  Profiles,
  ProfileLists,
  Lists,
  Preferences,
  UserPreferences,
  Audiences,
  Inbox,
  Notifications,
  RoutingStrategies,
  Providers,
  Translations,
  DeviceTokens,
  Suppressions,
  SendLimits,
  Webhooks,
  Submissions,
  AuditEvents,
  Auth
)
  .annotate(OpenApi.Title, "Tidings")
  .annotate(OpenApi.Version, version)
  .annotate(OpenApi.License, { name: "MIT", identifier: "MIT" })
  .annotate(
    OpenApi.Description,
    "Sends notifications over email, SMS, push, chat and the in-app inbox, and tells what became of each."
  )
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotate(HttpApi.ParamsParseOptions, { errors: "all" })
{}
