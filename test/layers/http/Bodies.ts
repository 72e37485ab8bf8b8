import { Served } from "#layers/http/Served.ts"
import { message } from "#test/layers/http/Server.ts"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"

const found: Array<HttpApiEndpoint.Top> = []
HttpApi.reflect(Served, { onGroup: () => undefined, onEndpoint: ({ endpoint }) => void found.push(endpoint) })

/** Every endpoint of the API. */
export const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = found

export const notification = {
  name: "Welcome",
  tags: [],
  brand: null,
  subscription: null,
  routing: null,
  content: { version: "2022-01-01", elements: [] }
}

export const strategy = { name: "Mail", routing: { method: "single", channels: ["email"] } }

/** What the POSTs and PUTs of a path take; where the two take other bodies, the PUT is named with its method. */
export const bodies: Record<string, unknown> = {
  "/send": message(),
  "/bulk": { message: { event: "welcome" } },
  "/bulk/:job_id": { users: [{ recipient: "ada" }] },
  "/send-limits/:per/:period": { limit: 3 },
  "/users/:user_id/inbox": { read: true },
  "/users/:user_id/inbox/:message_id": { read: true },
  "/profiles/:user_id": { profile: { name: "Ada" } },
  "/profiles/:user_id/lists": { lists: [{ listId: "news" }] },
  "/audiences/:audience_id": {},
  "/lists/:list_id": { name: "News" },
  "/lists/:list_id/subscriptions": { recipients: [{ recipientId: "ada" }] },
  "/lists/:list_id/subscriptions/:user_id": {},
  "/preferences/sections": { name: "Account" },
  "/preferences/sections/:section_id": { name: "Account" },
  "/preferences/sections/:section_id/topics": { name: "News", default_status: "OPTED_IN" },
  "/preferences/sections/:section_id/topics/:topic_id": { name: "News", default_status: "OPTED_IN" },
  "/preferences/publish": {},
  "/preferences/:recipient_id": {},
  "/users/:user_id/preferences": { topics: [{ topic_id: "pt_none", status: "OPTED_IN" }] },
  "PUT /users/:user_id/preferences": { topics: [] },
  "/users/:user_id/preferences/:topic_id": { topic: { status: "OPTED_IN" } },
  "/notifications": { notification },
  "/notifications/:id": { notification },
  "/notifications/:id/content": { content: { elements: [] } },
  "/notifications/:id/elements/:element_id": { type: "text" },
  "/notifications/:id/locales/:locale_id": { elements: [] },
  "/notifications/:id/:submission_id/checks": { checks: [] },
  "/notifications/:id/preview": { to: { user_id: "ada" } },
  "/auth/issue-token": { scope: "user_id:ada", expires_in: "1h" },
  "/users/:user_id/tokens": { tokens: [{ token: "t", provider_key: "expo" }] },
  "/users/:user_id/tokens/:token": { provider_key: "expo" },
  "/translations/:domain/:locale": "\"\"",
  "/routing-strategies": strategy,
  "/routing-strategies/:id": strategy,
  "/routing-strategies/:id/explain": { faults: [] },
  "/tenants/:tenant_id/templates/:template_id": { template: { content: { elements: [] } } },
  "/tenants/:tenant_id": { name: "Acme" },
  "/tenants/:tenant_id/default_preferences/items/:topic_id": { status: "OPTED_IN" },
  "/users/:user_id/tenants": { tenants: [] },
  "/users/:user_id/tenants/:tenant_id": {},
  "/brands": { name: "Acme" },
  "/brands/:brand_id": { name: "Acme" },
  "/providers": { provider: "sendgrid" },
  "/providers/:id": { provider: "sendgrid" },
  "/webhooks": { url: "https://example.com/" },
  "/webhooks/:id": { url: "https://example.com/" },
  "/webhooks/:id/secret": {}
}

/** A body that the endpoint takes; `undefined` for one that takes none. */
export const bodyOf = (method: string, path: string): unknown => {
  switch (method) {
    case "POST":
      return bodies[path]
    case "PUT":
      return bodies[`PUT ${path}`] ?? bodies[path]
    case "PATCH":
      return { patch: [] }
    default:
      return undefined
  }
}

/** Of what the paths name. */
export type Names = Readonly<
  Record<"id" | "job" | "made" | "many" | "section" | "template" | "tenant" | "webhook", string>
>

/** A path with these names in it. A parameter that has none stays as it is, which is a name too. */
export const filled = (path: string, { id, job, made, many, section, template, tenant, webhook }: Names) =>
  path.replace(":message_id", id).replace(":request_id", path.endsWith("/resume") ? many : id).replace(":job_id", job)
    .replace(":user_id", "ada").replace(":list_id", "news").replace(
      ":domain/:locale",
      "default/de"
    ).replace(":section_id", section)
    .replace(":tenant_id", tenant).replace(":template_id", "t").replace("versions/:version", "versions/v1")
    .replace(":output_id/:part", "1/body").replace(":channel/:address", "email/ada@example.com")
    .replace(":per/:period", "user/day")
    .replace(":id", path.startsWith("/routing") ? made : path.startsWith("/webhooks") ? webhook : template)

/** Names of which none is there. */
export const nobody: Names = {
  tenant: "none",
  id: "1-00000000-ffffffffffffffffffffffff",
  job: "job_none",
  many: "1-00000000-ffffffffffffffffffffffff",
  made: "rs_none",
  section: "ps_none",
  template: "nt_none",
  webhook: "wh_none"
}
