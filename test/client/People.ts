import { ask, fetched, refusal, type Service, until } from "#test/client/Service.ts"
import * as Shape from "#test/client/Shape.ts"
import { assert, type Vitest } from "@effect/vitest"
import type Courier from "@trycourier/courier"
import { Effect } from "effect"

const list = Shape.shaped<Courier.Lists.SubscriptionList>({
  id: Shape.text,
  name: Shape.text,
  created: Shape.optional(Shape.iso),
  updated: Shape.optional(Shape.iso)
})

const member = Shape.shaped<Courier.Lists.Subscriptions.SubscriptionListResponse["items"][number]>({
  recipientId: Shape.text,
  created: Shape.optional(Shape.iso),
  preferences: Shape.optional(Shape.map)
})

export const people = (it: Vitest.MethodsNonLive<Service>) => {
  it.effect("profiles: create, retrieve, update, replace, delete", () =>
    Effect.gen(function*() {
      const user = "p/eople @ünï"
      const created = yield* ask((client) =>
        client.profiles.create(user, { profile: { email: "a@example.com", custom: { plan: "pro" } } })
      )
      assert.deepStrictEqual(created, { status: "SUCCESS" })
      yield* ask((client) =>
        client.profiles.update(user, { patch: [{ op: "replace", path: "/email", value: "b@example.com" }] })
      )
      const found = yield* ask((client) => client.profiles.retrieve(user))
      assert.deepStrictEqual(found.profile, { email: "b@example.com", custom: { plan: "pro" } })
      const replaced = yield* ask((client) => client.profiles.replace(user, { profile: { locale: "de" } }))
      assert.deepStrictEqual(replaced, { status: "SUCCESS" })
      yield* ask((client) => client.profiles.delete(user))
      assert.strictEqual(yield* refusal((client) => client.profiles.retrieve(user)), 404)
    }))

  it.effect("lists: update, retrieve, list by pattern, delete, restore; subscriptions", () =>
    Effect.gen(function*() {
      const id = "people.news.weekly"
      yield* ask((client) => client.lists.update(id, { name: "Weekly" }))
      assert.strictEqual(list.assert(yield* ask((client) => client.lists.retrieve(id))).name, "Weekly")
      const { items, paging } = yield* ask((client) => client.lists.list({ pattern: "people.news.*" }))
      items.forEach(list.assert)
      assert.deepStrictEqual(items.map((one) => one.id), [id])
      assert.isFalse(paging.more)

      yield* ask((client) => client.lists.subscriptions.subscribeUser("ann", { list_id: id }))
      yield* ask((client) => client.lists.subscriptions.add(id, { recipients: [{ recipientId: "bob" }] }))
      const both = yield* ask((client) => client.lists.subscriptions.list(id))
      both.items.forEach(member.assert)
      assert.sameMembers(both.items.map(({ recipientId }) => recipientId), ["ann", "bob"])
      yield* ask((client) => client.lists.subscriptions.subscribe(id, { recipients: [{ recipientId: "cleo" }] }))
      const replaced = yield* ask((client) => client.lists.subscriptions.list(id))
      assert.deepStrictEqual(replaced.items.map(({ recipientId }) => recipientId), ["cleo"])
      yield* ask((client) => client.lists.subscriptions.unsubscribeUser("cleo", { list_id: id }))
      assert.deepStrictEqual((yield* ask((client) => client.lists.subscriptions.list(id))).items, [])

      yield* ask((client) => client.lists.delete(id))
      assert.strictEqual(yield* refusal((client) => client.lists.retrieve(id)), 404)
      yield* ask((client) => client.lists.restore(id, {}))
      assert.strictEqual((yield* ask((client) => client.lists.retrieve(id))).name, "Weekly")
    }))

  it.effect("profiles.lists: subscribe, retrieve, delete", () =>
    Effect.gen(function*() {
      yield* ask((client) => client.lists.update("people.own", { name: "Own" }))
      const subscribed = yield* ask((client) =>
        client.profiles.lists.subscribe("dora", { lists: [{ listId: "people.own" }] })
      )
      assert.deepStrictEqual(subscribed, { status: "SUCCESS" })
      const { results } = yield* ask((client) => client.profiles.lists.retrieve("dora"))
      const entry = Shape.shaped<Courier.Profiles.Lists.ListRetrieveResponse["results"][number]>({
        id: Shape.text,
        name: Shape.text,
        created: Shape.iso,
        updated: Shape.iso,
        preferences: Shape.optional(Shape.map)
      })
      results.forEach(entry.assert)
      assert.deepStrictEqual(results.map(({ id }) => id), ["people.own"])
      assert.deepStrictEqual(yield* ask((client) => client.profiles.lists.delete("dora")), { status: "SUCCESS" })
      assert.deepStrictEqual((yield* ask((client) => client.profiles.lists.retrieve("dora"))).results, [])
    }))

  it.effect("tenants: update, retrieve, list, listUsers, delete; users.tenants; default preferences", () =>
    Effect.gen(function*() {
      const tenant = Shape.shaped<Courier.Tenants.Tenant>({
        id: Shape.text,
        name: Shape.text,
        brand_id: Shape.optional(Shape.text),
        default_preferences: Shape.optional(Shape.map),
        parent_tenant_id: Shape.optional(Shape.text),
        properties: Shape.optional(Shape.map),
        user_profile: Shape.optional(Shape.map)
      })
      const association = Shape.shaped<Courier.Tenants.TenantAssociation>({
        tenant_id: Shape.text,
        profile: Shape.optional(Shape.map),
        type: Shape.optional(Shape.oneOf("user")),
        user_id: Shape.optional(Shape.text)
      })
      const made = yield* ask((client) => client.tenants.update("acme", { name: "Acme", properties: { seats: 5 } }))
      assert.strictEqual(tenant.assert(made).name, "Acme")
      yield* ask((client) => client.tenants.update("acme-eu", { name: "Acme EU", parent_tenant_id: "acme" }))
      const child = tenant.assert(yield* ask((client) => client.tenants.retrieve("acme-eu")))
      assert.strictEqual(child.parent_tenant_id, "acme")
      const all = yield* ask((client) => client.tenants.list({ limit: 10 }))
      assert.strictEqual(all.type, "list")
      all.items.forEach(tenant.assert)

      yield* ask((client) => client.users.tenants.addSingle("acme", { user_id: "eve", profile: { title: "CTO" } }))
      // The only tenant of a user is the message's, which says so.
      const content = { title: "t", body: "b" }
      const routing = { method: "single" as const, channels: ["inbox"] }
      const { requestId } = yield* ask((client) =>
        client.send.message({ message: { to: { user_id: "eve" }, content, routing } })
      )
      const message = yield* until(fetched("GET", `/messages/${requestId}`), ({ body }) => body.status === "SENT")
      assert.strictEqual(message.body.tenant_id, "acme")
      const { body: ofTenant } = yield* fetched("GET", "/messages?tenant_id=acme")
      assert.deepStrictEqual(ofTenant.results.map(({ id }: { readonly id: string }) => id), [requestId])
      yield* ask((client) => client.users.tenants.addMultiple("eve", { tenants: [{ tenant_id: "acme-eu" }] }))
      const users = yield* ask((client) => client.tenants.listUsers("acme"))
      users.items?.forEach(association.assert)
      assert.deepStrictEqual(users.items?.map(({ user_id: id }) => id), ["eve"])
      assert.strictEqual(yield* refusal((client) => client.users.tenants.removeSingle("", { user_id: "eve" })), 404)
      const memberships = yield* ask((client) => client.users.tenants.list("eve"))
      assert.sameMembers(memberships.items?.map(({ tenant_id: id }) => id) ?? [], ["acme", "acme-eu"])
      yield* ask((client) => client.users.tenants.removeSingle("acme", { user_id: "eve" }))
      yield* ask((client) => client.users.tenants.removeAll("eve"))
      assert.deepStrictEqual((yield* ask((client) => client.users.tenants.list("eve"))).items, [])

      yield* ask((client) => client.tenants.delete("acme"))
      assert.strictEqual(yield* refusal((client) => client.tenants.retrieve("acme")), 404)
    }))

  it.effect("tenants.templates: replace, publish, retrieve, versions, list", () =>
    Effect.gen(function*() {
      yield* ask((client) => client.tenants.update("templated", { name: "Templated" }))
      const content = { version: "2022-01-01", elements: [{ type: "text" as const, content: "Ours" }] }
      const put = yield* ask((client) =>
        client.tenants.templates.replace("welcome", { tenant_id: "templated", template: { content } })
      )
      Shape.shaped<Courier.Tenants.PutTenantTemplateResponse>({
        id: Shape.text,
        version: Shape.text,
        published_at: Shape.optional(Shape.iso)
      }).assert(put)
      const published = yield* ask((client) => client.tenants.templates.publish("welcome", { tenant_id: "templated" }))
      Shape.shaped<Courier.Tenants.PostTenantTemplatePublishResponse>({
        id: Shape.text,
        published_at: Shape.iso,
        version: Shape.text
      }).assert(published)
      const template = Shape.shaped<Courier.Tenants.BaseTemplateTenantAssociation>({
        id: Shape.text,
        created_at: Shape.iso,
        published_at: Shape.iso,
        updated_at: Shape.iso,
        version: Shape.text
      })
      template.assert(yield* ask((client) => client.tenants.templates.retrieve("welcome", { tenant_id: "templated" })))
      yield* ask((client) =>
        client.tenants.templates.versions.retrieve(put.version, { tenant_id: "templated", template_id: "welcome" })
      )
      const { items } = yield* ask((client) => client.tenants.templates.list("templated"))
      assert.deepStrictEqual(items?.map((one) => template.assert(one).id), ["welcome"])
    }))

  it.effect("audiences: update, retrieve, list, listMembers, delete", () =>
    Effect.gen(function*() {
      const audience = Shape.shaped<Courier.Audiences.Audience>({
        id: Shape.text,
        created_at: Shape.iso,
        description: Shape.text,
        name: Shape.text,
        updated_at: Shape.iso,
        filter: Shape.optional(Shape.map),
        operator: Shape.optional(Shape.oneOf("AND", "OR"))
      })
      const entry = Shape.shaped<Courier.Audiences.AudienceListMembersResponse.Item>({
        added_at: Shape.iso,
        audience_id: Shape.text,
        audience_version: Shape.integer,
        member_id: Shape.text,
        reason: Shape.text
      })
      yield* ask((client) => client.profiles.replace("aud-ann", { profile: { custom: { plan: "aud-pro" } } }))
      yield* ask((client) => client.profiles.replace("aud-bob", { profile: { custom: { plan: "aud-free" } } }))
      const filter: Courier.AudienceFilterConfig = {
        filters: [{ operator: "EQ", path: "custom.plan", value: "aud-pro" }]
      }
      const made = yield* ask((client) =>
        client.audiences.update("aud-pros", { name: "Pros", description: "Who pays", operator: "AND", filter })
      )
      assert.strictEqual(audience.assert(made.audience).name, "Pros")
      audience.assert(yield* ask((client) => client.audiences.retrieve("aud-pros")))
      const { items } = yield* ask((client) => client.audiences.list())
      items.forEach(audience.assert)
      const members = yield* until(
        ask((client) => client.audiences.listMembers("aud-pros")),
        (page) => page.items.length > 0
      )
      assert.deepStrictEqual(members.items.map((one) => entry.assert(one).member_id), ["aud-ann"])
      yield* ask((client) => client.audiences.delete("aud-pros"))
      assert.strictEqual(yield* refusal((client) => client.audiences.retrieve("aud-pros")), 404)
    }))

  it.effect("users.tokens: addSingle, addMultiple, retrieve, update, list, delete", () =>
    Effect.gen(function*() {
      const token = Shape.shaped<Courier.Users.Tokens.TokenRetrieveResponse>({
        token: Shape.text,
        provider_key: Shape.oneOf("firebase-fcm", "apn", "expo", "onesignal"),
        device: Shape.optional(Shape.map),
        expiry_date: Shape.anything,
        properties: Shape.anything,
        tracking: Shape.optional(Shape.map),
        status: Shape.optional(Shape.oneOf("active", "unknown", "failed", "revoked")),
        status_reason: Shape.optional(Shape.text)
      })
      yield* ask((client) =>
        client.users.tokens.addSingle("device-1", {
          user_id: "fay",
          provider_key: "firebase-fcm",
          device: { platform: "android" }
        })
      )
      const found = token.assert(
        yield* ask((client) => client.users.tokens.retrieve("device-1", { user_id: "fay" }))
      )
      assert.strictEqual(found.status, "active")
      yield* ask((client) =>
        client.users.tokens.update("device-1", {
          user_id: "fay",
          patch: [{ op: "replace", path: "/status", value: "revoked" }]
        })
      )
      const { tokens } = yield* ask((client) => client.users.tokens.list("fay"))
      tokens.forEach(token.assert)
      assert.strictEqual(tokens.length, 1)
      yield* ask((client) => client.users.tokens.delete("device-1", { user_id: "fay" }))
      assert.strictEqual(
        yield* refusal((client) => client.users.tokens.retrieve("device-1", { user_id: "fay" })),
        404
      )
    }))
}
