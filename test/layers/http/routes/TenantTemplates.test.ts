import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const routing = { method: "single", channels: ["email"] }
const content = (text: string) => ({
  version: "2022-01-01",
  elements: [{ type: "text", id: "e1", content: text }]
})

const refusal = (message: string) => ({ message, type: "invalid_request_error" })
const epoch = "1970-01-01T00:00:00.000Z"
const times = { created_at: epoch, updated_at: epoch }
const path = "/tenants/acme/templates/nt%2F1"

const acme = Effect.gen(function*() {
  const server = yield* serve
  yield* server.call("PUT", "/tenants/acme", { body: { name: "Acme" } })
  return server
})

describe("Templates of tenants", () => {
  it.effect("what is read can be written back: its own ways of sending come with its content", () =>
    Effect.gen(function*() {
      const { call } = yield* acme
      const template = {
        content: content("one"),
        routing,
        channels: { email: { brand_id: "b", routing_method: "all", providers: ["smtp"], timeouts: { channel: 5 } } },
        providers: { smtp: { if: "data.a", override: { body: { a: [1] } }, timeouts: 5 } }
      }
      const unknown = yield* call("PUT", path, { body: { template } })
      assert.deepStrictEqual([unknown.status, unknown.body], [
        400,
        { message: "Brand b not found", type: "invalid_request_error" }
      ])
      yield* call("POST", "/brands", { body: { id: "b", name: "B" } })
      yield* call("PUT", path, { body: { template } })
      for (const at of [path, `${path}/versions/v1`]) {
        assert.deepStrictEqual((yield* call("GET", at)).body, { id: "nt/1", version: "v1", ...times, data: template })
      }
    }))

  it.effect("are created, replaced, published, read by version, listed and deleted", () =>
    Effect.gen(function*() {
      const { call } = yield* acme
      const made = yield* call("PUT", path, { body: { template: { content: content("one"), routing } } })
      assert.deepStrictEqual([made.status, made.body], [201, { id: "nt/1", version: "v1" }])
      assert.deepStrictEqual((yield* call("GET", path)).body, {
        id: "nt/1",
        version: "v1",
        ...times,
        data: { routing, content: content("one") }
      })
      const second = yield* call("PUT", path, { body: { template: { content: content("two") }, published: true } })
      assert.deepStrictEqual([second.status, second.body], [200, { id: "nt/1", version: "v2", published_at: epoch }])
      yield* call("PUT", path, { body: { template: { content: content("three"), routing } } })
      const live = { id: "nt/1", version: "v2", ...times, published_at: epoch, data: { content: content("two") } }
      assert.deepStrictEqual((yield* call("GET", path)).body, live)
      assert.deepStrictEqual((yield* call("GET", `${path}/versions/published`)).body, live)
      assert.deepStrictEqual((yield* call("GET", `${path}/versions/v1`)).body, {
        ...live,
        version: "v1",
        data: { routing, content: content("one") }
      })
      assert.deepStrictEqual((yield* call("GET", "/tenants/acme/templates")).body, {
        type: "list",
        items: [{ ...live, version: "v3", data: { routing } }],
        has_more: false,
        url: "/tenants/acme/templates"
      })
      const latest = yield* call("POST", `${path}/publish`, { body: {} })
      assert.deepStrictEqual([latest.status, latest.body], [200, { id: "nt/1", version: "v3", published_at: epoch }])
      const back = yield* call("POST", `${path}/publish`, { body: { version: "v1" } })
      assert.deepStrictEqual(back.body, { id: "nt/1", version: "v1", published_at: epoch })
      const gone = yield* call("DELETE", path)
      assert.deepStrictEqual([gone.status, gone.text], [204, ""])
      for (const [method, at] of [["GET", path], ["DELETE", path], ["GET", `${path}/versions/latest`]] as const) {
        const missing = yield* call(method, at)
        assert.deepStrictEqual([missing.status, missing.body], [404, refusal("Notification template nt/1 not found")])
      }
    }))

  it.effect("in a list each has a routing, as the published client says; one that has none is read without", () =>
    Effect.gen(function*() {
      const { call } = yield* acme
      const template = { content: content("one") }
      yield* call("PUT", path, { body: { template } })
      assert.deepInclude((yield* call("GET", "/tenants/acme/templates")).body, {
        items: [{ id: "nt/1", version: "v1", ...times, data: { routing: { method: "single", channels: [] } } }]
      })
      assert.deepInclude((yield* call("GET", path)).body, { data: template })
    }))

  it.effect("what does not exist is 404, what is malformed 400", () =>
    Effect.gen(function*() {
      const { call } = yield* acme
      const template = { content: content("x") }
      const unknown = yield* call("PUT", "/tenants/none/templates/t", { body: { template } })
      assert.deepStrictEqual([unknown.status, unknown.body], [404, refusal("Tenant none not found")])
      assert.strictEqual((yield* call("POST", `${path}/publish`, { body: {} })).status, 404)
      yield* call("PUT", path, { body: { template } })
      const ninth = yield* call("POST", `${path}/publish`, { body: { version: "v9" } })
      assert.deepStrictEqual([ninth.status, ninth.body], [404, refusal("Version not found for template nt/1")])
      const odd = yield* call("GET", `${path}/versions/9`)
      assert.deepStrictEqual(odd.status, 400)
      assert.include(odd.text, "Expected format: v1, v2, latest or published")
      for (const body of [{}, { template: {} }, { template: { content: { title: "t", body: "b" } } }]) {
        assert.strictEqual((yield* call("PUT", path, { body })).status, 400)
      }
      assert.strictEqual((yield* call("GET", path, { key: "pk_test_a" })).status, 404)
    }))
})
