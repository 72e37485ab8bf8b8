import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Made = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String, secret: Schema.String }))
const Renewed = Schema.decodeUnknownSync(Schema.Struct({ secret: Schema.String }))
const List = Schema.decodeUnknownSync(
  Schema.Struct({
    paging: Schema.Struct({ more: Schema.Boolean, cursor: Schema.optionalKey(Schema.String) }),
    results: Schema.Array(Schema.JsonObject)
  })
)
const Token = Schema.decodeUnknownSync(Schema.Struct({ token: Schema.String }))
const Events = Schema.decodeUnknownSync(
  Schema.Struct({ results: Schema.Array(Schema.Struct({ type: Schema.String, target: Schema.String })) })
)

const url = "https://example.com/hooks?for=us"
const refusal = (message: string) => ({ message, type: "invalid_request_error" })
const madeSecret = /^whsec_[A-Za-z0-9+/]{43}=$/

const start = Effect.gen(function*() {
  const { call, state } = yield* serve
  const make = (body: object = {}) =>
    Effect.map(call("POST", "/webhooks", { body: { url, ...body } }), (_) => Made(_.body))
  return { call, make, state }
})

describe("/webhooks", () => {
  it.effect("a webhook is created, read, replaced, listed and deleted", () =>
    Effect.gen(function*() {
      const { call } = yield* start
      const said = { types: ["message:updated", "notification:published"], description: "Ours", state: "DISABLED" }
      const made = yield* call("POST", "/webhooks", { body: { url, ...said } })
      const { id, secret } = Made(made.body)
      const shown = { id, url, ...said, lost: 0, created: 0 }
      assert.deepStrictEqual([made.status, made.body], [201, { ...shown, secret }])
      assert.match(secret, madeSecret)
      assert.deepStrictEqual((yield* call("GET", `/webhooks/${id}`)).body, shown)
      const body = { url: "http://localhost:3000", types: null, description: null, state: null }
      const replaced = yield* call("PUT", `/webhooks/${id}`, { body })
      const now = { id, url: body.url, state: "ENABLED", lost: 0, created: 0, updated: 0 }
      assert.deepStrictEqual([replaced.status, replaced.body], [200, now])
      assert.deepStrictEqual((yield* call("GET", "/webhooks")).body, { paging: { more: false }, results: [now] })
      assert.strictEqual((yield* call("GET", `/webhooks/${id}`, { key: "dk_prod_a" })).status, 200)
      assert.strictEqual((yield* call("DELETE", `/webhooks/${id}`)).status, 204)
      assert.deepStrictEqual(List((yield* call("GET", "/webhooks")).body).results, [])
    }))

  it.effect("one that is not there, or another environment's, is 404 (P10)", () =>
    Effect.gen(function*() {
      const { call, make } = yield* start
      const { id } = yield* make()
      const asked: ReadonlyArray<readonly [method: string, part: string, body?: unknown]> = [
        ["GET", ""],
        ["PUT", "", { url }],
        ["DELETE", ""],
        ["POST", "/secret"]
      ]
      for (const [method, part, body] of asked) {
        for (const [name, key] of [["wh_none", "pk_prod_a"], [id, "pk_test_a"]] as const) {
          const answer = yield* call(method, `/webhooks/${name}${part}`, { key, body })
          assert.deepStrictEqual([answer.status, answer.body], [404, refusal(`Webhook ${name} not found`)])
        }
      }
      assert.deepStrictEqual(List((yield* call("GET", "/webhooks", { key: "pk_test_a" })).body).results, [])
      assert.strictEqual((yield* call("GET", `/webhooks/${id}`)).status, 200)
    }))

  it.effect("come in pages", () =>
    Effect.gen(function*() {
      const { call, make } = yield* start
      for (let n = 0; n < 3; n++) yield* make()
      const first = List((yield* call("GET", "/webhooks?limit=2")).body)
      assert.deepStrictEqual([first.results.length, first.paging.more], [2, true])
      const second = List((yield* call("GET", `/webhooks?limit=2&cursor=${first.paging.cursor}`)).body)
      assert.deepStrictEqual([second.results.length, second.paging], [1, { more: false }])
      const bad = yield* call("GET", "/webhooks?cursor=bad")
      assert.deepStrictEqual([bad.status, bad.body], [400, refusal("Invalid cursor format")])
    }))

  it.effect("a secret of the caller's own is taken; another takes its place, the caller's or one that is made", () =>
    Effect.gen(function*() {
      const { call, make } = yield* start
      const { id, secret } = yield* make({ secret: "0123456789abcdef" })
      assert.strictEqual(secret, "0123456789abcdef")
      assert.match((yield* make({ secret: null })).secret, madeSecret)
      const path = `/webhooks/${id}/secret`
      const own = { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }
      const renewed = yield* call("POST", path, { body: own })
      assert.deepStrictEqual([renewed.status, renewed.body], [200, own])
      const made = [yield* call("POST", path), yield* call("POST", path, { body: {} })].map(({ body }) => Renewed(body))
      for (const { secret } of made) assert.match(secret, madeSecret)
      assert.notStrictEqual(made[0]?.secret, made[1]?.secret)
    }))

  it.effect("what is no webhook is 400, in a sentence that does not repeat a secret", () =>
    Effect.gen(function*() {
      const { call, make } = yield* start
      const { id } = yield* make()
      const noUrl = "url: Expected an absolute http: or https: URL without a user and password"
      const long = "secret: Expected 16 to 256 printable characters"
      const refused: ReadonlyArray<readonly [body: object, message: string]> = [
        [{}, "url: Required"],
        [{ url: "/hooks" }, noUrl],
        [{ url: "ftp://example.com" }, noUrl],
        [{ url: "https://ada:pw@example.com" }, noUrl],
        [{ url, types: [] }, "types: Expected at least 1 entry"],
        [{ url, description: "a\u0000" }, "description: Expected text without NUL or lone surrogates"],
        [{ url, state: "PAUSED" }, "state: Expected \"ENABLED\" | \"DISABLED\""],
        [{ url, secret: "hunter2" }, long],
        [{ url, secret: "hunter2 ".repeat(3) }, long],
        [{ url, secret: "whsec_hunter2hunter2" }, "secret: Expected 16 bytes in base64, or more, behind whsec_"]
      ]
      for (const [body, message] of refused) {
        const answer = yield* call("POST", "/webhooks", { body })
        assert.deepStrictEqual([answer.status, answer.body], [400, refusal(message)])
        if ("secret" in body) continue
        const put = yield* call("PUT", `/webhooks/${id}`, { body })
        assert.deepStrictEqual([put.status, put.body], [400, refusal(message)])
      }
      const unknown = yield* call("POST", "/webhooks", { body: { url, types: ["message:lost"] } })
      assert.strictEqual(unknown.status, 400)
      assert.include(unknown.text, "types[0]: Expected")
      const renewal = yield* call("POST", `/webhooks/${id}/secret`, { body: { secret: "hunter2" } })
      assert.deepStrictEqual([renewal.status, renewal.body], [400, refusal(long)])
      assert.lengthOf(List((yield* call("GET", "/webhooks")).body).results, 1)
    }))

  it.effect("an environment has ten at most", () =>
    Effect.gen(function*() {
      const { call, make } = yield* start
      for (let n = 0; n < 10; n++) yield* make()
      const answer = yield* call("POST", "/webhooks", { body: { url } })
      assert.deepStrictEqual([answer.status, answer.body], [
        400,
        refusal("An environment has at most 10 webhooks: delete one first")
      ])
      assert.strictEqual((yield* call("POST", "/webhooks", { key: "pk_test_a", body: { url } })).status, 201)
    }))

  it.effect("P9: a secret that answers a key is not kept in clear, and is replayed", () =>
    Effect.gen(function*() {
      const { call, make, state } = yield* start
      const { id } = yield* make()
      for (const [path, body] of [["/webhooks", { url }], [`/webhooks/${id}/secret`, {}]] as const) {
        state.keys.clear()
        const post = call("POST", path, { body, headers: { "idempotency-key": "one" } })
        const first = yield* post
        const { secret } = Renewed(first.body)
        const [kept] = [...state.keys.values()]
        assert.strictEqual(kept?.response.status, first.status)
        assert.notInclude(JSON.stringify(kept), secret)
        assert.strictEqual((yield* post).text, first.text)
      }
    }))

  it.effect("a user's token opens none of it", () =>
    Effect.gen(function*() {
      const { call, make } = yield* start
      const { id } = yield* make()
      const scope = "user_id:ada read:messages read:preferences write:preferences inbox:read:messages write:user-tokens"
      const key = Token((yield* call("POST", "/auth/issue-token", { body: { scope, expires_in: "1h" } })).body).token
      const asked: ReadonlyArray<readonly [method: string, path: string, body?: unknown]> = [
        ["GET", "/webhooks"],
        ["POST", "/webhooks", { url }],
        ["GET", `/webhooks/${id}`],
        ["PUT", `/webhooks/${id}`, { url }],
        ["DELETE", `/webhooks/${id}`],
        ["POST", `/webhooks/${id}/secret`]
      ]
      for (const [method, path, body] of asked)
        assert.strictEqual((yield* call(method, path, { key, body })).status, 403, `${method} ${path}`)
      assert.lengthOf(List((yield* call("GET", "/webhooks")).body).results, 1)
    }))

  it.effect("who created, changed, renewed and deleted one is audited", () =>
    Effect.gen(function*() {
      const { call, make } = yield* start
      const { id } = yield* make()
      yield* call("PUT", `/webhooks/${id}`, { body: { url } })
      yield* call("POST", `/webhooks/${id}/secret`)
      yield* call("DELETE", `/webhooks/${id}`)
      const { results } = Events((yield* call("GET", "/audit-events")).body)
      assert.sameMembers(results.map(({ target, type }) => `${type} ${target}`), [
        `webhook.created webhooks/${id}`,
        `webhook.updated webhooks/${id}`,
        `webhook.secret.created webhooks/${id}/secret`,
        `webhook.deleted webhooks/${id}`
      ])
    }))
})
