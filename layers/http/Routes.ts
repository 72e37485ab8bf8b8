import * as Access from "#layers/http/Access.ts"
import * as Admitted from "#layers/http/Admitted.ts"
import * as Audited from "#layers/http/Audited.ts"
import * as AuditEvents from "#layers/http/routes/AuditEvents.ts"
import * as Auth from "#layers/http/Auth.ts"
import * as Audiences from "#layers/http/routes/Audiences.ts"
import * as Body from "#layers/http/Body.ts"
import * as Brands from "#layers/http/routes/Brands.ts"
import * as Bulk from "#layers/http/routes/Bulk.ts"
import * as Cors from "#layers/http/Cors.ts"
import * as DeviceTokens from "#layers/http/routes/DeviceTokens.ts"
import * as Docs from "#layers/http/Docs.ts"
import * as Door from "#layers/http/Door.ts"
import * as Edge from "#layers/http/Edge.ts"
import * as Inbox from "#layers/http/routes/Inbox.ts"
import * as Lists from "#layers/http/routes/Lists.ts"
import * as Limited from "#layers/http/Limited.ts"
import * as Messages from "#layers/http/routes/Messages.ts"
import * as Notifications from "#layers/http/routes/Notifications.ts"
import * as Once from "#layers/http/Once.ts"
import * as Patient from "#layers/http/Patient.ts"
import * as ProfileLists from "#layers/http/routes/ProfileLists.ts"
import * as Preferences from "#layers/http/routes/Preferences.ts"
import * as Profiles from "#layers/http/routes/Profiles.ts"
import * as Providers from "#layers/http/routes/Providers.ts"
import * as Replies from "#layers/http/Replies.ts"
import * as Requests from "#layers/http/routes/Requests.ts"
import * as RoutingStrategies from "#layers/http/routes/RoutingStrategies.ts"
import * as Send from "#layers/http/routes/Send.ts"
import * as SendLimits from "#layers/http/routes/SendLimits.ts"
import { Served } from "#layers/http/Served.ts"
import * as Tenants from "#layers/http/routes/Tenants.ts"
import * as TenantTemplates from "#layers/http/routes/TenantTemplates.ts"
import * as UserTenants from "#layers/http/routes/UserTenants.ts"
import * as Webhooks from "#layers/http/routes/Webhooks.ts"
import * as Submissions from "#layers/http/routes/Submissions.ts"
import * as Suppressions from "#layers/http/routes/Suppressions.ts"
import * as Translations from "#layers/http/routes/Translations.ts"
import * as UserPreferences from "#layers/http/routes/UserPreferences.ts"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const groups = Layer.mergeAll(
  Send.layer,
  SendLimits.layer,
  Webhooks.layer,
  Messages.layer,
  Brands.layer,
  Bulk.layer,
  Tenants.layer,
  TenantTemplates.layer,
  UserTenants.layer,
  Requests.layer,
  Profiles.layer,
  ProfileLists.layer,
  Lists.layer,
  Preferences.layer,
  UserPreferences.layer,
  Audiences.layer,
  Inbox.layer,
  Notifications.layer,
  RoutingStrategies.layer,
  Providers.layer,
  Translations.layer,
  DeviceTokens.layer,
  Submissions.layer,
  Suppressions.layer,
  AuditEvents.layer,
  Auth.layer
)

const middlewares = Layer.mergeAll(
  Access.layer,
  Body.layer,
  Admitted.layer,
  Patient.layer,
  Once.layer,
  Limited.layer,
  Audited.layer,
  Replies.layer
)

/** The JSON API, `/openapi.json` and `/docs`, before the admission and the known callers of this server. */
export const layer = Layer.mergeAll(
  Edge.layer,
  Cors.layer,
  Door.layer,
  Docs.layer,
  HttpApiBuilder.layer(Served).pipe(Layer.provide(groups), Layer.provide(middlewares))
)
