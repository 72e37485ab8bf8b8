import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const text = (content: string) => ({ type: "text", content })

const notification = (more: object = {}) => ({
  name: "Welcome",
  tags: ["a"],
  brand: null,
  subscription: null,
  routing: null,
  content: { version: "2022-01-01", elements: [text("one")] },
  ...more
})

const idOf = (answer: { readonly body: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(answer.body).id

const refusal = (message: string) => ({ message, type: "invalid_request_error" })

const start = Effect.gen(function*() {
  const { call } = yield* serve
  const create = (more: object = {}, state?: string) =>
    call("POST", "/notifications", {
      body: { notification: notification(more), ...(state === undefined ? {} : { state }) }
    })
  const answer = (method: string, path: string, body?: unknown) =>
    Effect.map(
      call(method, `/notifications${path}`, body === undefined ? {} : { body }),
      ({ body, status }) => [status, body]
    )
  return { call, create, answer }
})

describe("Templates", () => {
  it.effect("are created as drafts, read by version, published and listed", () =>
    Effect.gen(function*() {
      const { answer, create } = yield* start
      const made = yield* create()
      const id = idOf(made)
      const shared = { id, creator: "api", created: 0 }
      assert.strictEqual(made.status, 201)
      const [, draft] = yield* answer("GET", `/${id}?version=draft`)
      assert.deepStrictEqual(draft, made.body)
      assert.deepInclude(made.body, {
        ...shared,
        name: "Welcome",
        tags: ["a"],
        state: "DRAFT",
        brand: null,
        routing: null
      })
      assert.deepStrictEqual(yield* answer("GET", `/${id}`), [404, refusal(`Version not found for template ${id}`)])
      assert.deepStrictEqual(yield* answer("POST", `/${id}/publish`), [204, undefined])
      const [status, published] = yield* answer("GET", `/${id}`)
      assert.strictEqual(status, 200)
      assert.deepInclude(published, { id, state: "PUBLISHED" })
      assert.deepStrictEqual(yield* answer("GET", `/${id}?version=v001`), [200, published])
      assert.deepStrictEqual(yield* answer("GET", `/${id}?version=published:v001`), [200, published])
      assert.deepStrictEqual(yield* answer("GET", ""), [200, {
        paging: { more: false },
        results: [{ ...shared, name: "Welcome", tags: ["a"], state: "PUBLISHED" }]
      }])
    }))

  it.effect("publish takes an empty body, {}, a version and null, and changes nothing the second time", () =>
    Effect.gen(function*() {
      const { answer, call, create } = yield* start
      const id = idOf(yield* create({}, "published"))
      const bodies = ["", "{}", "null", "{\"version\":null}", "{\"version\":\"v001\"}", "{\"version\":\"published\"}"]
      for (const body of bodies) {
        assert.strictEqual((yield* call("POST", `/notifications/${id}/publish`, { body })).status, 204, body)
      }
      const [, listed] = yield* answer("GET", `/${id}/versions`)
      assert.deepStrictEqual(listed, {
        paging: { more: false },
        versions: [
          { version: "draft", created: 0, creator: "api", has_changes: false },
          { version: "published:v001", created: 0, creator: "api" }
        ]
      })
    }))

  it.effect("an older version goes live again", () =>
    Effect.gen(function*() {
      const { answer, create } = yield* start
      const id = idOf(yield* create({}, "PUBLISHED"))
      yield* answer("PUT", `/${id}`, { notification: notification({ name: "Two" }), state: "Published" })
      yield* answer("POST", `/${id}/publish`, { version: "v001" })
      const [, live] = yield* answer("GET", `/${id}`)
      assert.deepInclude(live, { name: "Welcome" })
      const page = yield* answer("GET", `/${id}/versions?limit=1`)
      assert.propertyVal(Reflect.get(Object(page[1]), "paging"), "more", true)
      assert.deepStrictEqual(yield* answer("POST", `/${id}/publish`, { version: "v321669910225" }), [
        404,
        refusal(`Version not found for template ${id}`)
      ])
      assert.deepStrictEqual(yield* answer("POST", `/${id}/publish`, { version: "1" }), [
        400,
        refusal("version: Expected format: v001, v002, etc.")
      ])
      assert.deepStrictEqual(yield* answer("GET", `/${id}?version=v1`), [
        400,
        refusal("version: Expected format: v001, v002, etc.")
      ])
    }))

  it.effect("content comes with ids and checksums, and goes back as it came", () =>
    Effect.gen(function*() {
      const { answer, call, create } = yield* start
      const id = idOf(yield* create())
      const elements = [
        { type: "meta", title: "Hi" },
        { type: "group", id: "g", elements: [{ ...text("x"), id: "x", locales: { fr: { content: "y" } } }] }
      ]
      const put = yield* call("PUT", `/notifications/${id}/content`, { body: { content: { elements } } })
      assert.strictEqual(put.status, 200)
      assert.deepInclude(put.body, { id, version: "2022-01-01", state: "DRAFT" })
      const first = yield* call("GET", `/notifications/${id}/content?version=draft`)
      assert.match(first.text, /"locales":\{"fr":\{"content":"y","checksum":"[0-9a-f]{32}"\}\}/)
      assert.lengthOf(first.text.match(/"checksum":"[0-9a-f]{32}"/g) ?? [], 4)
      yield* call("PUT", `/notifications/${id}/content`, { body: { content: first.body } })
      const second = yield* call("GET", `/notifications/${id}/content?version=draft`)
      assert.deepStrictEqual(second.body, first.body)
      const changed = first.text.replace("\"y\"", "\"z\"")
      yield* call("PUT", `/notifications/${id}/content`, { body: { content: JSON.parse(changed) }, headers: {} })
      const third = yield* call("GET", `/notifications/${id}/content?version=draft`)
      assert.notStrictEqual(third.text, changed)
      assert.strictEqual((yield* answer("GET", `/${id}/content`))[0], 404)
      assert.strictEqual((yield* answer("PUT", "/nt_none/content", { content: { elements: [] } }))[0], 404)
    }))

  it.effect("an element is replaced as the published client's example has it, its fields under data", () =>
    Effect.gen(function*() {
      const { answer, create } = yield* start
      const id = idOf(yield* create({ content: { version: "2022-01-01", elements: [{ ...text("one"), id: "e" }] } }))
      const body = { type: "text", data: { content: "Updated text content" }, state: "DRAFT" }
      assert.strictEqual((yield* answer("PUT", `/${id}/elements/e`, body))[0], 200)
      const [, draft] = yield* answer("GET", `/${id}?version=draft`)
      assert.deepInclude(draft, {
        content: { version: "2022-01-01", elements: [{ ...text("Updated text content"), id: "e" }] }
      })
    }))

  it.effect("an alias that is taken is a final 409; null gives it up, leaving it out does not", () =>
    Effect.gen(function*() {
      const { call, create } = yield* start
      const one = yield* create({ alias: "welcome" })
      assert.deepInclude(one.body, { alias: "welcome" })
      const taken = yield* create({ alias: "welcome" })
      assert.deepStrictEqual([taken.status, taken.body, taken.headers.get("x-should-retry")], [
        409,
        refusal("Another template has the alias or id welcome"),
        "false"
      ])
      const replace = (more: object) =>
        Effect.map(
          call("PUT", `/notifications/${idOf(one)}`, { body: { notification: notification(more) } }),
          ({ body }) => Reflect.get(Object(body), "alias")
        )
      assert.strictEqual(yield* replace({}), "welcome")
      assert.strictEqual(yield* replace({ alias: null }), undefined)
      assert.strictEqual((yield* create({ alias: "welcome" })).status, 201)
      const found = yield* call("GET", "/notifications?event_id=welcome")
      assert.lengthOf(Reflect.get(Object(found.body), "results"), 1)
    }))

  it.effect("what is missing or wrong is named by its path", () =>
    Effect.gen(function*() {
      const { answer, create } = yield* start
      const refused = (body: unknown) => Effect.map(answer("POST", "", body), ([status, body]) => [status, body])
      const without = { tags: [], brand: null, subscription: null, routing: null }
      assert.deepStrictEqual(yield* refused({ notification: without }), [
        400,
        refusal("notification.name: Required; notification.content: Required")
      ])
      assert.deepStrictEqual(yield* refused({}), [400, refusal("notification: Required")])
      assert.deepStrictEqual(yield* refused({ notification: notification(), state: "LIVE" }), [
        400,
        refusal("state: Expected DRAFT or PUBLISHED")
      ])
      assert.strictEqual((yield* create({ alias: "tenant/x" })).status, 400)
      assert.strictEqual((yield* create({ content: { title: "a", body: "b" } })).status, 400)
      assert.deepStrictEqual(
        (yield* create({ routing: { strategy_id: "rs_none" } })).body,
        refusal("Routing strategy rs_none not found")
      )
      assert.strictEqual((yield* create({ routing: { strategy_id: "rs_none" } })).status, 400)
      assert.deepStrictEqual(yield* answer("GET", "?cursor=x"), [400, refusal("Invalid cursor format")])
    }))

  it.effect("an archived template is gone but for its versions", () =>
    Effect.gen(function*() {
      const { answer, create } = yield* start
      const id = idOf(yield* create({}, "PUBLISHED"))
      assert.deepStrictEqual(yield* answer("DELETE", `/${id}`), [204, undefined])
      const gone = [404, refusal(`Notification template ${id} not found`)]
      assert.deepStrictEqual(yield* answer("DELETE", `/${id}`), gone)
      assert.deepStrictEqual(yield* answer("PUT", `/${id}`, { notification: notification() }), gone)
      assert.deepStrictEqual(yield* answer("POST", `/${id}/publish`), gone)
      assert.strictEqual((yield* answer("GET", `/${id}?version=v001`))[0], 200)
      assert.deepStrictEqual(yield* answer("GET", ""), [200, { paging: { more: false }, results: [] }])
    }))

  it.effect("P10: a test key sees none of production's", () =>
    Effect.gen(function*() {
      const { call, create } = yield* start
      const id = idOf(yield* create({}, "PUBLISHED"))
      assert.strictEqual((yield* call("GET", `/notifications/${id}`, { key: "pk_test_a" })).status, 404)
      assert.strictEqual((yield* call("GET", `/notifications/${id}`, { key: "dk_prod_a" })).status, 200)
    }))
})
