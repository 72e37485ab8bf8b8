import { ask, fetched, refusal, Service } from "#test/client/Service.ts"
import * as Shape from "#test/client/Shape.ts"
import { assert, type Vitest } from "@effect/vitest"
import type Courier from "@trycourier/courier"
import { Effect, Fiber } from "effect"

const state = Shape.oneOf("DRAFT", "PUBLISHED")

const brand = Shape.shaped<Courier.Brands.Brand>({
  id: Shape.text,
  created: Shape.millis,
  name: Shape.text,
  updated: Shape.millis,
  published: Shape.optional(Shape.millis),
  settings: Shape.optional(Shape.map),
  snippets: Shape.optional(Shape.map),
  version: Shape.optional(Shape.iso)
})

const template = Shape.shaped<Courier.Notifications.NotificationTemplateResponse>({
  id: Shape.text,
  brand: Shape.optional(Shape.map),
  content: Shape.map,
  created: Shape.millis,
  creator: Shape.text,
  name: Shape.text,
  routing: Shape.optional(Shape.map),
  state,
  subscription: Shape.optional(Shape.map),
  tags: Shape.listOf(Shape.text),
  updated: Shape.optional(Shape.millis),
  updater: Shape.optional(Shape.text)
})

const summary = Shape.shaped<Courier.Notifications.NotificationTemplateSummary>({
  id: Shape.text,
  created: Shape.millis,
  creator: Shape.text,
  name: Shape.text,
  state,
  tags: Shape.listOf(Shape.text),
  updated: Shape.optional(Shape.millis),
  updater: Shape.optional(Shape.text)
})

const strategy = Shape.shaped<Courier.RoutingStrategies.RoutingStrategyGetResponse>({
  id: Shape.text,
  channels: Shape.map,
  created: Shape.millis,
  creator: Shape.text,
  name: Shape.text,
  providers: Shape.map,
  routing: Shape.map,
  description: Shape.optional(Shape.text),
  tags: Shape.optional(Shape.listOf(Shape.text)),
  updated: Shape.optional(Shape.millis),
  updater: Shape.optional(Shape.text)
})

const provider = Shape.shaped<Courier.Providers.Provider>({
  id: Shape.text,
  created: Shape.millis,
  provider: Shape.text,
  settings: Shape.map,
  title: Shape.text,
  alias: Shape.optional(Shape.text),
  updated: Shape.optional(Shape.millis)
})

const element = Shape.shaped<Courier.Notifications.NotificationContentMutationResponse.Element>({
  id: Shape.text,
  checksum: Shape.text
})

const mutation = Shape.shaped<Courier.Notifications.NotificationContentMutationResponse>({
  id: Shape.text,
  elements: Shape.listOf(element.check),
  state,
  version: Shape.text
})

const payload = (name: string): Courier.Notifications.NotificationTemplatePayload => ({
  name,
  tags: ["orders"],
  brand: null,
  subscription: null,
  routing: null,
  content: { version: "2022-01-01", elements: [{ type: "text", content: "Hello {{name}}" } as object] }
})

export const content = (it: Vitest.MethodsNonLive<Service>) => {
  it.effect("brands: create, retrieve, update, list, delete", () =>
    Effect.gen(function*() {
      const settings = { colors: { primary: "#112233" } }
      const made = brand.assert(
        yield* ask((client) => client.brands.create({ id: "content-brand", name: "Acme", settings }))
      )
      assert.strictEqual(made.settings?.colors?.primary, "#112233")
      assert.strictEqual(yield* refusal((client) => client.brands.create({ id: "content-brand", name: "Again" })), 409)
      const changed = brand.assert(
        yield* ask((client) => client.brands.update("content-brand", { name: "Acme Ltd", settings }))
      )
      assert.strictEqual(changed.name, "Acme Ltd")
      assert.notStrictEqual(changed.version, made.version)
      const { results } = yield* ask((client) => client.brands.list())
      results.forEach(brand.assert)
      yield* ask((client) => client.brands.delete("content-brand"))
      assert.strictEqual(yield* refusal((client) => client.brands.retrieve("content-brand")), 404)
    }))

  it.effect("notifications: create, retrieve, replace, publish, listVersions, list, archive", () =>
    Effect.gen(function*() {
      const made = template.assert(
        yield* ask((client) => client.notifications.create({ notification: payload("Order shipped") }))
      )
      assert.strictEqual(made.state, "DRAFT")
      yield* ask((client) => client.notifications.publish(made.id))
      yield* ask((client) => client.notifications.replace(made.id, { notification: payload("Order sent") }))
      const found = template.assert(yield* ask((client) => client.notifications.retrieve(made.id)))
      assert.include(["Order sent", "Order shipped"], found.name)
      const { versions } = yield* ask((client) => client.notifications.listVersions(made.id))
      assert.isAtLeast(versions.length, 1)
      const { results } = yield* ask((client) => client.notifications.list())
      results.forEach((one) => summary.assert(one as Courier.Notifications.NotificationTemplateSummary))
      assert.include(results.map(({ id }) => id), made.id)
      yield* ask((client) => client.notifications.archive(made.id))
      assert.strictEqual(yield* refusal((client) => client.notifications.publish("nt_none")), 404)
    }))

  it.effect("notifications: putContent, putElement, putLocale, retrieveContent", () =>
    Effect.gen(function*() {
      const { id } = yield* ask((client) => client.notifications.create({ notification: payload("Content") }))
      const put = mutation.assert(
        yield* ask((client) =>
          client.notifications.putContent(id, {
            content: { version: "2022-01-01", elements: [{ type: "text", content: "Changed" } as object] }
          })
        )
      )
      const [first] = put.elements
      const elementId = first?.id ?? ""
      mutation.assert(
        yield* ask((client) => client.notifications.putElement(elementId, { id, type: "text", content: "Once more" }))
      )
      mutation.assert(
        yield* ask((client) =>
          client.notifications.putLocale("de", { id, elements: [{ id: elementId, content: "Geändert" }] })
        )
      )
      const found = yield* ask((client) => client.notifications.retrieveContent(id, { version: "draft" }))
      assert.include(JSON.stringify(found), "Once more")
    }))

  it.effect("routingStrategies: create, retrieve, replace, list, listNotifications, archive", () =>
    Effect.gen(function*() {
      const routing = { method: "single" as const, channels: ["email"] }
      const made = strategy.assert(
        yield* ask((client) => client.routingStrategies.create({ name: "Mail first", routing }))
      )
      const replaced = strategy.assert(
        yield* ask((client) => client.routingStrategies.replace(made.id, { name: "Mail only", routing, tags: ["a"] }))
      )
      assert.deepStrictEqual([replaced.name, replaced.tags], ["Mail only", ["a"]])
      const { id } = yield* ask((client) =>
        client.notifications.create({
          notification: { ...payload("Routed"), routing: { strategy_id: made.id } }
        })
      )
      const uses = yield* ask((client) => client.routingStrategies.listNotifications(made.id))
      assert.deepStrictEqual(uses.results.map((one) => summary.assert(one).id), [id])
      assert.strictEqual(yield* refusal((client) => client.routingStrategies.archive(made.id)), 409)
      const { results } = yield* ask((client) => client.routingStrategies.list())
      assert.include(results.map((one) => one.id), made.id)
      yield* ask((client) => client.notifications.archive(id))
      yield* ask((client) => client.routingStrategies.archive(made.id))
      assert.strictEqual(yield* refusal((client) => client.routingStrategies.retrieve(made.id)), 404)
    }))

  it.effect("providers: catalog.list, create, retrieve, update, list, delete", () =>
    Effect.gen(function*() {
      const catalogue = yield* ask((client) => client.providers.catalog.list({ keys: "sendgrid,smtp" }))
      const entry = Shape.shaped<Courier.Providers.ProvidersCatalogEntry>({
        channel: Shape.text,
        description: Shape.text,
        name: Shape.text,
        provider: Shape.text,
        settings: Shape.map
      })
      assert.sameMembers(catalogue.results.map((one) => entry.assert(one).provider), ["sendgrid", "smtp"])
      const made = provider.assert(yield* ask((client) => client.providers.create({ provider: "sendgrid" })))
      const changed = provider.assert(
        yield* ask((client) =>
          client.providers.update(made.id, { provider: "sendgrid", settings: { api_key: "SG.secret" } })
        )
      )
      assert.notInclude(JSON.stringify(changed), "SG.secret")
      const { results } = yield* ask((client) => client.providers.list())
      results.forEach(provider.assert)
      yield* ask((client) => client.providers.delete(made.id))
      assert.strictEqual(yield* refusal((client) => client.providers.retrieve(made.id)), 404)
    }))

  it.effect("translations: update, retrieve", () =>
    Effect.gen(function*() {
      const body = "msgid \"hello\"\nmsgstr \"hallo\"\n"
      yield* ask((client) => client.translations.update("de", { domain: "default", body }))
      assert.strictEqual(yield* ask((client) => client.translations.retrieve("de", { domain: "default" })), body)
      assert.strictEqual(
        yield* refusal((client) => client.translations.retrieve("xx", { domain: "default" })),
        404
      )
    }))

  it.effect("a preview with an idempotency key does not hold the database while it renders", () =>
    Effect.gen(function*() {
      const { apiKey, origin } = yield* Service
      const section = "<mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section>"
      const raw = {
        subject: "s",
        html: `<mjml><mj-body>${section.repeat(1_800)}</mj-body></mjml>`,
        transformers: ["handlebars", "mjml"]
      }
      const content = { version: "2022-01-01", elements: [{ type: "channel" as const, channel: "email", raw }] }
      const notification = { name: "long", tags: [], brand: null, subscription: null, routing: null, content }
      const { id } = yield* ask((client) => client.notifications.create({ notification }))
      const preview = yield* Effect.forkChild(Effect.promise(() =>
        fetch(`${origin}/notifications/${id}/preview`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${apiKey}`,
            "content-type": "application/json",
            "idempotency-key": "long-preview"
          },
          body: JSON.stringify({ channels: ["email"] })
        })
      ))
      let written = 0
      while (preview.pollUnsafe() === undefined) {
        const { status } = yield* fetched("PUT", "/profiles/beside-a-preview", { profile: {} })
        assert.strictEqual(status, 200)
        written++
      }
      yield* Fiber.join(preview)
      assert.isAbove(written, 4, "writes that were answered before the preview")
    }))
}
