import { ApiKeys } from "#src/access/ApiKeys.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { serve, serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const basic = (user: string, key: string) => `Basic ${btoa(`${user}:${key}`)}`

const admitted = [
  "Bearer pk_prod_a",
  "bearer  pk_prod_a",
  basic("ops@example.com", "pk_prod_a"),
  basic("ops@example.com", "dk_prod_a")
]

const refused = [
  undefined,
  "",
  "Bearer",
  "Bearer ",
  "Bearer pk_prod_b",
  "Bearer pk_prod_a x",
  "pk_prod_a",
  "Token pk_prod_a",
  "Basic",
  "Basic !!!",
  basic("ops@example.com", "pk_prod_b"),
  basic("else@example.com", "pk_prod_a"),
  basic("", "pk_prod_a"),
  basic("ops@example.com", ""),
  `Basic ${btoa("pk_prod_a")}`
]

describe("Access", () => {
  it.effect.each(admitted)("%s is let in", (authorization) =>
    Effect.gen(function*() {
      const { call } = yield* serve
      assert.strictEqual((yield* call("GET", "/messages", { key: null, headers: { authorization } })).status, 200)
    }))

  it.effect.each(refused)("%s is 401 with the one error body", (authorization) =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const answer = yield* call("GET", "/messages", {
        key: null,
        headers: authorization === undefined ? {} : { authorization }
      })
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(answer.text, `{"message":"Unauthorized","type":"authentication_error"}`)
      assert.include(answer.headers.get("www-authenticate") ?? "", "Bearer")
    }))

  it.effect("is decided before anything is said about the request", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const bad = [
        yield* call("POST", "/send", { key: null, body: "{" }),
        yield* call("POST", "/send", { key: null, body: { message: {} } }),
        yield* call("POST", "/send", { key: null, body: {}, headers: { "idempotency-key": "" } }),
        yield* call("POST", "/send", { key: null, body: "x".repeat(7 * 1024 * 1024) }),
        yield* call("GET", "/messages?limit=x", { key: null })
      ]
      assert.deepStrictEqual(bad.map(({ status }) => status), [401, 401, 401, 401, 401])
      assert.strictEqual(state.keys.size, 0)
    }))

  it.effect("P1: a key that cannot be looked up now is 503, not 401: its caller would give up", () =>
    Effect.gen(function*() {
      const { call } = yield* serveWith(
        Layer.mock(ApiKeys, { authenticate: () => Effect.fail(new StoreUnavailable({ cause: "planted" })) })
      )
      const answer = yield* call("GET", "/messages")
      assert.strictEqual(answer.status, 503)
      assert.isNotNull(answer.headers.get("retry-after"))
      assert.strictEqual((yield* call("GET", "/messages", { key: null })).status, 401)
    }))

  it.effect("P10: one environment does not see the other's profiles and messages", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      yield* call("PUT", "/profiles/ada", { body: { profile: { email: "ada@example.com" } } })
      assert.strictEqual((yield* call("GET", "/profiles/ada", { key: "pk_test_a" })).status, 404)
      assert.strictEqual((yield* call("GET", "/profiles/ada", { key: "dk_prod_a" })).status, 200)
    }))
})
