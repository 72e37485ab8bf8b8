import type { Client } from "#test/isolation/Client.ts"
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"

/** Ids by the part of a path that names them: `brands/:brand_id`. */
export type Ids = Readonly<Record<string, string>>

const template = (name: string) => ({
  state: "PUBLISHED",
  notification: {
    name,
    tags: [],
    brand: null,
    subscription: null,
    routing: null,
    content: { version: "2022-01-01", elements: [{ type: "text", id: `element-${name}`, content: name }] }
  }
})

/**
 * One of everything that the API keeps, under names that hold `marker`, made by one caller. What a route names and this does not make is a
 * route without a row. `furnish` makes what is kept in the tenant.
 */
export const bare = Effect.fnUntraced(function*(call: Client, marker: string) {
  const made = Effect.fnUntraced(function*(method: string, path: string, body?: unknown) {
    const reply = yield* call({ method, path, body })
    assert.isBelow(reply.status, 300, `${method} ${path}: ${reply.body}`)
    return reply.body
  })
  const id = (text: string): string => {
    const { id, jobId, requestId }: {
      readonly id?: string
      readonly jobId?: string
      readonly requestId?: string
    } = JSON.parse(text)
    return id ?? requestId ?? jobId ?? ""
  }
  const user = `user-${marker}`
  const list = `list-${marker}`
  const tenant = `tenant-${marker}`
  const token = `token-${marker}`
  const locale = `de-${marker}`
  yield* made("PUT", `/profiles/${user}`, { profile: { email: `${marker}@example.com` } })
  yield* made("PUT", `/lists/${list}`, { name: list })
  yield* made("PUT", `/lists/${list}/subscriptions/${user}`, {})
  yield* made("PUT", `/audiences/audience-${marker}`, { name: marker })
  yield* made("PUT", `/tenants/${tenant}`, { name: tenant })
  yield* made("PUT", `/suppressions/email/gone@${marker}`)
  yield* made("PUT", "/send-limits/tenant/month", { overrides: { [tenant]: 1_000_000 } })
  yield* made("PUT", `/users/${user}/tokens/${token}`, { provider_key: "firebase-fcm", device: { app_id: marker } })
  const section = id(yield* made("POST", "/preferences/sections", { name: `section-${marker}` }))
  const topic = id(
    yield* made("POST", `/preferences/sections/${section}/topics`, {
      name: `topic-${marker}`,
      default_status: "OPTED_IN"
    })
  )
  yield* made("PUT", `/users/${user}/preferences/${topic}`, { topic: { status: "OPTED_OUT" } })
  yield* made("PUT", `/preferences/${user}`, { notifications: { [`notification-${marker}`]: {} } })
  const message = id(
    yield* made("POST", "/send", {
      message: { to: { user_id: user }, content: { title: marker, body: marker }, routing: inbox, delay }
    })
  )
  const delivered = {
    message: { to: { user_id: user }, content: { title: marker, body: marker }, routing: inbox }
  }
  const sent = id(yield* made("POST", "/send", delivered))
  // What is still on its way would change by itself, also what a job makes that the owner ran before.
  const until = (path: string, isOver: (text: string) => boolean) =>
    made("GET", path).pipe(Effect.repeat({ until: isOver, schedule: Schedule.spaced("20 millis") }))
  const untilSent = (id: string) => until(`/messages/${id}`, (text) => text.includes("\"SENT\""))
  yield* untilSent(sent)
  yield* until("/requests", (text) => !text.includes("\"RUNNING\""))
  yield* until("/messages", (text) => !/"(?:ENQUEUED|ROUTED)"/.test(text))
  const job = id(yield* made("POST", "/bulk", { message: { content: { title: marker, body: marker } } }))
  yield* made("POST", `/bulk/${job}`, { users: [{ recipient: user }] })
  const brand = id(yield* made("POST", "/brands", { name: marker }))
  const notification = id(yield* made("POST", "/notifications", template(marker)))
  const { submission_id: submission }: { readonly submission_id: string } = JSON.parse(
    yield* made("POST", `/notifications/${notification}/submissions`)
  )
  const strategy = id(
    yield* made("POST", "/routing-strategies", { name: marker, routing: { method: "single", channels: ["email"] } })
  )
  const provider = id(yield* made("POST", "/providers", { provider: "sendgrid", title: marker }))
  // There may be 50, and there is a world for each route: those of earlier ones go.
  const { results: webhooks }: { readonly results: ReadonlyArray<{ readonly id: string }> } = JSON.parse(
    yield* made("GET", "/webhooks?limit=100")
  )
  for (const { id } of webhooks.slice(5)) yield* made("DELETE", `/webhooks/${id}`)
  const webhook = id(
    yield* made("POST", "/webhooks", { url: `https://${marker}.example.com/`, description: marker, state: "DISABLED" })
  )
  yield* made("PUT", `/translations/default/${locale}`, `msgid "a"\nmsgstr "${marker}"\n`)
  const { results: [audited] }: { readonly results: ReadonlyArray<{ readonly auditEventId: string }> } = JSON.parse(
    yield* made("GET", "/audit-events")
  )
  const ids: Ids = {
    "audit-events/:audit_event_id": audited?.auditEventId ?? "",
    "messages/:message_id": message,
    "inbox/:message_id": sent,
    "output/:output_id": "1",
    ":output_id/:part": "text",
    "requests/:request_id": message,
    "profiles/:user_id": user,
    "users/:user_id": user,
    "audiences/:audience_id": `audience-${marker}`,
    "lists/:list_id": list,
    "subscriptions/:user_id": user,
    "sections/:section_id": section,
    "topics/:topic_id": topic,
    "preferences/:topic_id": topic,
    "preferences/:recipient_id": user,
    "tenants/:tenant_id": tenant,
    "templates/:template_id": `template-${marker}`,
    "versions/:version": "v1",
    "tokens/:token": token,
    "bulk/:job_id": job,
    "brands/:brand_id": brand,
    "notifications/:id": notification,
    "elements/:element_id": `element-${marker}`,
    "locales/:locale_id": "de",
    ":id/:submission_id": submission,
    "routing-strategies/:id": strategy,
    "providers/:id": provider,
    "webhooks/:id": webhook,
    "translations/:domain": "default",
    ":domain/:locale": locale,
    "items/:topic_id": `topic-${marker}`,
    "suppressions/:channel": "email",
    ":channel/:address": `gone@${marker}`,
    "send-limits/:per": "tenant",
    ":per/:period": "month"
  }
  const inTenant = { status: "OPTED_IN", custom_routing: ["sms"] }
  const furnish = Effect.gen(function*() {
    const { content } = template(marker).notification
    yield* made("PUT", `/tenants/${tenant}/templates/template-${marker}`, { template: { content } })
    yield* made("PUT", `/users/${user}/tenants/${tenant}`, {})
    yield* made("PUT", `/tenants/${tenant}/default_preferences/items/topic-${marker}`, { status: "REQUIRED" })
    yield* made("PUT", `/users/${user}/preferences/${topic}?tenant_id=${tenant}`, { topic: inTenant })
    const to = { user_id: user, tenant_id: tenant }
    yield* untilSent(id(yield* made("POST", "/send", { message: { ...delivered.message, to } })))
  })
  return { ids, furnish }
})

/** The same with everything in its tenant too. */
export const make = Effect.fnUntraced(function*(call: Client, marker: string) {
  const { furnish, ids } = yield* bare(call, marker)
  yield* furnish
  return ids
})

const inbox = { method: "single", channels: ["inbox"] }
const delay = { duration: 3_600_000 }
