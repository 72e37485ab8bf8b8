import type { Schema } from "effect"

/** A body of each of the calls that a reader of the reference is likely to try first, by method and path. */
export const bodies: Readonly<Record<string, Schema.JsonObject>> = {
  "post /send": {
    message: {
      to: { user_id: "ada", email: "ada@example.com" },
      content: { title: "Hello {{name}}", body: "Your first message." },
      data: { name: "Ada" },
      routing: { method: "single", channels: ["inbox", "email"] }
    }
  },
  "post /profiles/{user_id}": { profile: { email: "ada@example.com", name: "Ada", locale: "en" } },
  "put /profiles/{user_id}": { profile: { email: "ada@example.com", name: "Ada", locale: "en" } },
  "patch /profiles/{user_id}": { patch: [{ op: "replace", path: "/email", value: "ada@example.com" }] },
  "put /lists/{list_id}": { name: "On call" },
  "post /lists/{list_id}/subscriptions": { recipients: [{ recipientId: "ada" }, { recipientId: "bob" }] },
  "put /audiences/{audience_id}": {
    name: "Engineers",
    filter: { operator: "AND", filters: [{ operator: "EQ", path: "title", value: "Engineer" }] }
  },
  "put /tenants/{tenant_id}": { name: "Acme", properties: { plan: "pro" } },
  "post /brands": { name: "Acme", settings: { colors: { primary: "#9D3789" } } },
  "post /notifications": {
    notification: {
      name: "Order shipped",
      alias: "order-shipped",
      tags: [],
      brand: null,
      subscription: null,
      routing: null,
      content: {
        version: "2022-01-01",
        elements: [
          { type: "meta", title: "Order {{order}} is on its way" },
          { type: "text", content: "Hello {{profile.name}}, your order **{{order}}** has left us." }
        ]
      }
    },
    state: "PUBLISHED"
  },
  "post /routing-strategies": { name: "Mail first", routing: { method: "single", channels: ["email", "sms"] } },
  "post /providers": {
    provider: "smtp",
    alias: "relay",
    settings: { host: "smtp.example.com", port: 587, from_address: "shop@example.com" }
  },
  "post /preferences/sections": { name: "Orders" },
  "post /preferences/sections/{section_id}/topics": { name: "Deliveries", default_status: "OPTED_IN" },
  "put /users/{user_id}/preferences/{topic_id}": { topic: { status: "OPTED_OUT" } },
  "put /users/{user_id}/tokens/{token}": { provider_key: "expo" },
  "post /bulk": { message: { event: "order-shipped", data: { order: "A-17" } } },
  "post /bulk/{job_id}": { users: [{ recipient: "ada", data: { order: "A-18" } }] },
  "post /auth/issue-token": { scope: "user_id:ada inbox:read:messages read:preferences", expires_in: "2 days" }
}
