import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const write = { provider_key: "firebase-fcm", expiry_date: false, device: { platform: "android" } }
const shown = { ...write, token: "t/1 é@" }
const path = `/users/ada/tokens/${encodeURIComponent("t/1 é@")}`

const start = Effect.map(serve, ({ call }) => ({
  call,
  answer: (method: string, path: string, body?: unknown) =>
    Effect.map(call(method, path, body === undefined ? {} : { body }), ({ body, status }) => [status, body])
}))

describe("Device tokens over HTTP", () => {
  it.effect("are registered, read, listed, patched and deleted", () =>
    Effect.gen(function*() {
      const { answer } = yield* start
      assert.deepStrictEqual(yield* answer("GET", "/users/ada/tokens"), [200, { tokens: [] }])
      assert.deepStrictEqual(yield* answer("PUT", path, write), [204, undefined])
      assert.deepStrictEqual(yield* answer("GET", path), [200, { ...shown, status: "active" }])
      assert.deepStrictEqual(yield* answer("GET", "/users/ada/tokens"), [200, { tokens: [shown] }])
      const patch = [{ op: "replace", path: "/status", value: "revoked" }]
      assert.deepStrictEqual(yield* answer("PATCH", path, { patch }), [204, undefined])
      assert.deepStrictEqual(yield* answer("GET", path), [200, { ...shown, status: "revoked" }])
      assert.deepStrictEqual(yield* answer("DELETE", path), [204, undefined])
      assert.deepStrictEqual(yield* answer("DELETE", path), [204, undefined])
      const gone = { message: "Token t/1 é@ not found", type: "invalid_request_error" }
      assert.deepStrictEqual(yield* answer("GET", path), [404, gone])
      assert.deepStrictEqual(yield* answer("PATCH", path, { patch }), [404, gone])
    }))

  it.effect("a patch may leave out its value, as the client's types let it: the date of expiry becomes the default one", () =>
    Effect.gen(function*() {
      const { answer } = yield* start
      yield* answer("PUT", path, { ...write, expiry_date: false })
      const expiry = Effect.map(answer("GET", path), ([, body]) => Reflect.get(Object(body), "expiry_date"))
      const { expiry_date: _, ...unlimited } = write
      assert.isFalse(yield* expiry)
      const patch = [{ op: "replace", path: "/expiry_date" }]
      assert.deepStrictEqual(yield* answer("PATCH", path, { patch }), [204, undefined])
      const patched = yield* expiry
      yield* answer("PUT", path, unlimited)
      assert.strictEqual(patched, yield* expiry)
    }))

  it.effect("many at once; without a body nothing changes", () =>
    Effect.gen(function*() {
      const { answer } = yield* start
      const expiry_date = "2031-02-03T04:05:06.000Z"
      const tokens = [{ token: "a", provider_key: "apn", expiry_date }, {
        token: "b",
        provider_key: "expo",
        expiry_date
      }]
      assert.deepStrictEqual(yield* answer("PUT", "/users/ada/tokens", { tokens }), [204, undefined])
      assert.deepStrictEqual(yield* answer("PUT", "/users/ada/tokens"), [204, undefined])
      assert.deepStrictEqual(yield* answer("GET", "/users/ada/tokens"), [200, { tokens }])
    }))

  it.effect("400 names what is wrong", () =>
    Effect.gen(function*() {
      const { answer } = yield* start
      yield* answer("PUT", "/users/ada/tokens/t", write)
      const refused = [
        [yield* answer("PUT", "/users/ada/tokens/t", {}), /provider_key: Required/],
        [yield* answer("PUT", "/users/ada/tokens/t", { ...write, provider_key: "fax" }), /^provider_key: /],
        [yield* answer("PUT", "/users/ada/tokens/t", { ...write, token: "u" }), /^token: /],
        [yield* answer("PUT", "/users/ada/tokens/t", { ...write, expiry_date: true }), /^expiry_date: /],
        [yield* answer("PUT", "/users/ada/tokens/t", { ...write, expiry_date: "soon" }), /^expiry_date: /],
        [
          yield* answer("PUT", "/users/ada/tokens/t", {
            ...write,
            properties: { a: "x".repeat(4_000) },
            device: { model: "x".repeat(4_000) }
          }),
          /^body: Expected at most 8000 characters of JSON in device, properties and tracking/
        ],
        [
          yield* answer("PUT", "/users/ada/tokens", {
            tokens: [{ ...write, token: "x", properties: ["x".repeat(8_000)] }]
          }),
          /^tokens\[0\]: Expected at most 8000 characters/
        ],
        [
          yield* answer("PATCH", "/users/ada/tokens/t", {
            patch: [{ op: "add", path: "/tracking", value: { ip: "x".repeat(8_000) } }]
          }),
          /^body: Expected at most 8000 characters of JSON/
        ],
        [
          yield* answer("PUT", "/users/ada/tokens", {
            tokens: Array.from({ length: 501 }, (_, n) => ({ ...write, token: `t${n}` }))
          }),
          /^tokens: /
        ],
        [
          yield* answer("PUT", "/users/ada/tokens", { tokens: [{ token: "x" }] }),
          /^tokens\[0\].provider_key: Required/
        ],
        [yield* answer("PATCH", "/users/ada/tokens/t", { patch: [{ op: "remove", path: "/none" }] }), /^patch\[0\]/],
        [
          yield* answer("PATCH", "/users/ada/tokens/t", { patch: [{ op: "replace", path: "/token", value: "u" }] }),
          /A token cannot change its name/
        ],
        [
          yield* answer("PATCH", "/users/ada/tokens/t", { patch: [{ op: "replace", path: "/status", value: "x" }] }),
          /^status: /
        ]
      ] as const
      for (const [[status, body], message] of refused) {
        assert.strictEqual(status, 400, JSON.stringify(body))
        assert.match(String(Reflect.get(Object(body), "message")), message)
      }
    }))
})
