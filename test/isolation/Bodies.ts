import type { Ids } from "#test/isolation/World.ts"

const text = { version: "2022-01-01", elements: [{ type: "text", content: "changed" }] }
const notification = { name: "changed", tags: [], brand: null, subscription: null, routing: null, content: text }
const strategy = { name: "changed", routing: { method: "single", channels: ["sms"] } }

/** A good body for every endpoint that takes one; `name` is new for each call, `ids` are those of the owner's world. */
export const bodies: Readonly<Record<string, (name: string, ids: Ids) => unknown>> = {
  "POST /send": (name) => ({ message: { to: { user_id: name }, content: { title: "t", body: "b" } } }),
  "POST /bulk": (name) => ({ message: { event: name } }),
  "POST /bulk/:job_id": (name) => ({ users: [{ recipient: name }] }),
  "POST /brands": (name) => ({ name }),
  "PUT /brands/:brand_id": () => ({ name: "changed" }),
  "PUT /tenants/:tenant_id": () => ({ name: "changed" }),
  "PUT /tenants/:tenant_id/default_preferences/items/:topic_id": () => ({ status: "OPTED_OUT" }),
  "PUT /tenants/:tenant_id/templates/:template_id": () => ({ template: { content: text } }),
  "POST /tenants/:tenant_id/templates/:template_id/publish": () => ({}),
  "PUT /users/:user_id/tenants": (_, ids) => ({
    tenants: [{ tenant_id: ids["tenants/:tenant_id"], profile: { changed: true } }]
  }),
  "PUT /users/:user_id/tenants/:tenant_id": () => ({ profile: { changed: true } }),
  "PUT /profiles/:user_id": () => ({ profile: { changed: true } }),
  "POST /profiles/:user_id": () => ({ profile: { changed: true } }),
  "PATCH /profiles/:user_id": () => ({ patch: [{ op: "add", path: "/changed", value: true }] }),
  "POST /preferences/sections": (name) => ({ name }),
  "PUT /preferences/sections/:section_id": () => ({ name: "changed" }),
  "POST /preferences/sections/:section_id/topics": (name) => ({ name, default_status: "OPTED_IN" }),
  "PUT /preferences/sections/:section_id/topics/:topic_id": () => ({ name: "changed", default_status: "OPTED_OUT" }),
  "POST /preferences/publish": () => ({ heading: "changed" }),
  "PUT /preferences/:recipient_id": () => ({ notifications: { changed: { status: "OPTED_OUT" } } }),
  "PATCH /preferences/:recipient_id": () => ({ patch: [{ op: "add", path: "/categories/changed", value: {} }] }),
  "POST /users/:user_id/preferences": (_, ids) => ({
    topics: [{ topic_id: ids["topics/:topic_id"], status: "OPTED_IN" }]
  }),
  "PUT /users/:user_id/preferences": () => ({ topics: [] }),
  "PUT /users/:user_id/preferences/:topic_id": () => ({ topic: { status: "OPTED_IN" } }),
  "POST /profiles/:user_id/lists": (name) => ({ lists: [{ listId: name }] }),
  "PUT /audiences/:audience_id": () => ({ name: "changed" }),
  "PUT /lists/:list_id": () => ({ name: "changed" }),
  "POST /lists/:list_id/subscriptions": (name) => ({ recipients: [{ recipientId: name }] }),
  "PUT /lists/:list_id/subscriptions": (name) => ({ recipients: [{ recipientId: name }] }),
  "PUT /lists/:list_id/subscriptions/:user_id": () => ({}),
  "POST /notifications": (name) => ({ notification: { ...notification, name } }),
  "PUT /notifications/:id": () => ({ notification }),
  "POST /notifications/:id/publish": () => ({}),
  "PUT /notifications/:id/content": () => ({ content: text }),
  "POST /notifications/:id/preview": () => ({ to: { email: "ada@example.com" } }),
  "PUT /notifications/:id/elements/:element_id": () => ({ type: "text", content: "changed" }),
  "PUT /notifications/:id/locales/:locale_id": () => ({ elements: [] }),
  "PUT /notifications/:id/:submission_id/checks": () => ({
    checks: [{ id: "changed", type: "custom", status: "RESOLVED" }]
  }),
  "POST /auth/issue-token": () => ({ scope: "user_id:changed read:messages", expires_in: "1h" }),
  "POST /routing-strategies": (name) => ({ ...strategy, name }),
  "PUT /routing-strategies/:id": () => strategy,
  "POST /routing-strategies/:id/explain": () => ({ faults: [] }),
  "POST /providers": (name) => ({ provider: "sendgrid", title: name }),
  "PUT /providers/:id": () => ({ provider: "sendgrid", title: "changed" }),
  "PUT /users/:user_id/inbox": () => ({ read: true }),
  "PUT /users/:user_id/inbox/:message_id": () => ({ archived: true }),
  "PUT /send-limits/:per/:period": () => ({ limit: 1_000_000 }),
  "POST /webhooks": (name) => ({ url: "https://example.com/", description: name, state: "DISABLED" }),
  "PUT /webhooks/:id": () => ({ url: "https://example.com/changed", state: "DISABLED" }),
  "POST /webhooks/:id/secret": () => ({}),
  "PUT /translations/:domain/:locale": () => "msgid \"a\"\nmsgstr \"changed\"\n",
  "PUT /users/:user_id/tokens": () => ({
    tokens: [{ token: "changed", provider_key: "firebase-fcm" }]
  }),
  "PUT /users/:user_id/tokens/:token": () => ({ provider_key: "firebase-fcm", device: { app_id: "changed" } }),
  "PATCH /users/:user_id/tokens/:token": () => ({ patch: [{ op: "replace", path: "/status", value: "revoked" }] })
}
