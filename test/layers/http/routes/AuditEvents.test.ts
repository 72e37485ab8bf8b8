import { Api } from "#schemas/api/Api.ts"
import { targetOf, typeOf } from "#src/reports/Deeds.ts"
import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"

const Event = Schema.Struct({
  auditEventId: Schema.String,
  type: Schema.String,
  source: Schema.String,
  target: Schema.String,
  timestamp: Schema.String,
  actor: Schema.Struct({ id: Schema.String, email: Schema.optionalKey(Schema.String) })
})
const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    paging: Schema.Struct({ more: Schema.Boolean, cursor: Schema.optionalKey(Schema.String) }),
    results: Schema.Array(Event)
  })
)

const decodeId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))

const start = Effect.map(serve, ({ call }) => ({
  call,
  events: (key = "pk_prod_a", query = "") =>
    Effect.map(call("GET", `/audit-events${query}`, { key }), ({ body }) => decode(body))
}))

describe("Audit events", () => {
  it.effect("say who changed what, in the order of the changes, without the key", () =>
    Effect.gen(function*() {
      const { call, events } = yield* start
      const made = yield* call("POST", "/brands", { body: { id: "b", name: "Acme" } })
      assert.strictEqual(made.status, 200)
      yield* call("PUT", "/translations/default/de", { body: "\"\"", key: "dk_prod_a" })
      const basic = { authorization: `Basic ${btoa("ops@example.com:pk_prod_a")}` }
      yield* call("PUT", "/lists/a%2Fb", { body: { name: "News" }, key: null, headers: basic })
      const { paging, results } = yield* events()
      assert.isFalse(paging.more)
      assert.sameDeepMembers(results.map(({ source, target, type }) => [type, target, source]), [
        ["list.updated", "lists/a/b", "api"],
        ["translation.updated", "translations/default/de", "api"],
        ["brand.created", "brands/b", "api"]
      ])
      const actor = (type: string) => results.find((event) => event.type === type)?.actor
      assert.match(actor("brand.created")?.id ?? "", /^pk_prod_[0-9a-f]{12}$/)
      assert.match(actor("translation.updated")?.id ?? "", /^dk_prod_[0-9a-f]{12}$/)
      assert.deepStrictEqual(actor("list.updated"), {
        id: actor("brand.created")?.id ?? "",
        email: "ops@example.com"
      })
      for (const event of results) {
        assert.strictEqual(event.timestamp, "1970-01-01T00:00:00.000Z")
        assert.deepStrictEqual((yield* call("GET", `/audit-events/${event.auditEventId}`)).body, event)
      }
      assert.deepStrictEqual((yield* events("pk_test_a")).results, [])
    }))

  it.effect("name what was published, restored or submitted, not the path that did it", () =>
    Effect.gen(function*() {
      const { call, events } = yield* start
      yield* call("PUT", "/lists/news", { body: { name: "News" } })
      yield* call("DELETE", "/lists/news")
      yield* call("PUT", "/lists/news/restore", { body: {} })
      assert.deepStrictEqual((yield* events()).results.map(({ target, type }) => `${type} ${target}`).toSorted(), [
        "list.deleted lists/news",
        "list.restored lists/news",
        "list.updated lists/news"
      ])
      const targets = [
        "/notifications/:id/publish",
        "/preferences/publish",
        "/tenants/:id/templates/:template_id/publish"
      ]
      assert.deepStrictEqual(targets.map(targetOf), [
        "/notifications/:id",
        "/preferences",
        "/tenants/:id/templates/:template_id"
      ])
    }))

  it.effect("tell that all subscribers of a list were replaced, and nothing of one or a few", () =>
    Effect.gen(function*() {
      const { call, events } = yield* start
      const recipients = [{ recipientId: "ada" }]
      yield* call("POST", "/lists/news/subscriptions", { body: { recipients } })
      yield* call("PUT", "/lists/news/subscriptions/bob", { body: {} })
      yield* call("DELETE", "/lists/news/subscriptions/bob")
      assert.strictEqual((yield* call("PUT", "/lists/news/subscriptions", { body: { recipients: [] } })).status, 204)
      assert.deepStrictEqual((yield* events()).results.map(({ target, type }) => `${type} ${target}`), [
        "list.subscriptions.updated lists/news/subscriptions"
      ])
    }))

  it.effect("what is refused, read, replayed or a user's leaves none", () =>
    Effect.gen(function*() {
      const { call, events } = yield* start
      yield* call("PUT", "/brands/none", { body: { name: "Acme" } })
      yield* call("POST", "/brands", { body: {} })
      yield* call("GET", "/brands")
      yield* call("PUT", "/profiles/ada", { body: { profile: {} } })
      yield* call("PUT", "/users/ada/tokens/t", { body: { provider_key: "expo" } })
      const headers = { "idempotency-key": "once" }
      for (const _ of [1, 2]) yield* call("POST", "/brands", { body: { name: "Acme" }, headers })
      const { results } = yield* events()
      assert.deepStrictEqual(results.map(({ type }) => type), ["brand.created"])
    }))

  it.effect("what was not there, or is so already, leaves none; what changed leaves one", () =>
    Effect.gen(function*() {
      const { call, events } = yield* start
      const strategy = { name: "s", routing: { method: "single", channels: ["inbox"] } }
      const { body } = yield* call("POST", "/routing-strategies", { body: strategy })
      const { id: strategyId } = decodeId(body)
      const notification = {
        name: "n",
        tags: [],
        brand: null,
        subscription: null,
        routing: { strategy_id: strategyId },
        content: { elements: [] }
      }
      const { id } = decodeId((yield* call("POST", "/notifications", { body: { notification } })).body)
      yield* call("PUT", "/tenants/acme", { body: { name: "Acme" } })
      yield* call("PUT", "/tenants/acme/default_preferences/items/t", { body: { status: "REQUIRED" } })
      yield* call("PUT", "/tenants/acme/templates/t", { body: { template: { content: { elements: [] } } } })
      yield* call("PUT", "/audiences/a", { body: {} })
      yield* call("PUT", "/lists/news", { body: { name: "News" } })
      yield* call("DELETE", "/lists/news")
      const before = new Set((yield* events()).results.map(({ auditEventId }) => auditEventId))
      const all = [
        ["PUT", "/lists/news/restore", 204, "list.restored lists/news"],
        ["POST", `/notifications/${id}/publish`, 204, `notification.published notifications/${id}`],
        ["POST", "/tenants/acme/templates/t/publish", 200, "tenant.templates.published tenants/acme/templates/t"],
        ["DELETE", "/audiences/a", 204, "audience.deleted audiences/a"],
        [
          "DELETE",
          "/tenants/acme/default_preferences/items/t",
          204,
          "tenant.default_preferences.items.deleted tenants/acme/default_preferences/items/t"
        ],
        ["DELETE", "/tenants/acme", 204, "tenant.deleted tenants/acme"]
      ] as const
      for (const [method, path, status] of all) {
        // The answer is the same.
        for (const _ of [1, 2]) {
          assert.strictEqual((yield* call(method, path)).status, status, path)
        }
      }
      const since = (yield* events("pk_prod_a", "?limit=100")).results.filter((event) =>
        !before.has(event.auditEventId)
      )
      assert.sameMembers(
        since.map(({ target, type }) => `${type} ${target}`),
        all.map(([, , , event]) => event)
      )
    }))

  it.effect("come in pages; a cursor that is none is 400, an unknown event 404", () =>
    Effect.gen(function*() {
      const { call, events } = yield* start
      for (const id of ["a", "b", "c"]) yield* call("PUT", `/lists/${id}`, { body: { name: id } })
      const first = yield* events("pk_prod_a", "?limit=2")
      assert.isTrue(first.paging.more)
      const second = yield* events("pk_prod_a", `?limit=2&cursor=${first.paging.cursor}`)
      assert.sameMembers([...first.results, ...second.results].map(({ target }) => target), [
        "lists/a",
        "lists/b",
        "lists/c"
      ])
      assert.strictEqual((yield* call("GET", "/audit-events?cursor=bad")).status, 400)
      assert.deepStrictEqual((yield* call("GET", "/audit-events/none")).body, {
        message: "Audit event none not found",
        type: "invalid_request_error"
      })
    }))

  it("the types of the routes, and which have none", () => {
    assert.strictEqual(typeOf("POST", "/notifications/"), "notification.created")
    assert.strictEqual(typeOf("POST", "/notifications/:id/publish"), "notification.published")
    assert.strictEqual(typeOf("PUT", "/notifications/:id/content"), "notification.content.updated")
    assert.strictEqual(typeOf("PUT", "/lists/:list_id/restore"), "list.restored")
    assert.strictEqual(
      typeOf("POST", "/preferences/sections/:section_id/topics"),
      "preferences.sections.topics.created"
    )
    const none: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint: { method, path } }) => {
        if (method !== "GET" && typeOf(method, path) === undefined) none.push(path.split("/")[1] ?? "")
      }
    })
    const silent = [
      "auth",
      "lists",
      "messages",
      "notifications",
      "preferences",
      "profiles",
      "requests",
      "send",
      "users"
    ]
    for (const root of none) assert.include([...silent, "routing-strategies", "tenants", "bulk", "inbound"], root)
  })
})
