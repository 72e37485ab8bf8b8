import { CorsOrigins } from "#layers/http/Cors.ts"
import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const page = "https://app.example"

/** What a browser on this page is told before a POST with a token, and with the answer to it. */
const asked = Effect.fnUntraced(function*(origins: ReadonlyArray<string>, origin: string, path = "/send") {
  const { call, state } = yield* Effect.provideService(serve, CorsOrigins, origins)
  const preflight = yield* call("OPTIONS", path, {
    key: null,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, content-type, idempotency-key"
    }
  })
  const answer = yield* call("POST", path, { body: message(), headers: { origin } })
  return { preflight, answer, state }
})

describe("Pages of other origins", () => {
  it.effect("one that the operator named may call the API, with every header, and read when to come again and what is a replay", () =>
    Effect.gen(function*() {
      const { answer, preflight } = yield* asked([page, "https://other.example"], page)
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers.get("access-control-allow-origin"), page)
      assert.include(preflight.headers.get("access-control-allow-methods"), "PATCH")
      assert.include(preflight.headers.get("access-control-allow-headers"), "idempotency-key")
      assert.strictEqual(answer.status, 202)
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), page)
      assert.include(answer.headers.get("access-control-expose-headers"), "retry-after")
      assert.include(answer.headers.get("access-control-expose-headers"), "idempotent-replayed")
      assert.include(answer.headers.get("vary")?.toLowerCase(), "origin")
      assert.isNull(answer.headers.get("access-control-allow-credentials"))
    }).pipe(Effect.scoped))

  it.effect("a refusal, and what there is not, can be read there too", () =>
    Effect.gen(function*() {
      const { call } = yield* Effect.provideService(serve, CorsOrigins, [page])
      for (
        const [path, key, status] of [["/messages/x", "pk_prod_unknown", 401], ["/nowhere", "pk_prod_a", 404]] as const
      ) {
        const answer = yield* call("GET", path, { key, headers: { origin: page } })
        assert.deepStrictEqual([answer.status, answer.headers.get("access-control-allow-origin")], [status, page])
      }
    }).pipe(Effect.scoped))

  it.effect("with * every page may; another page, and by default every page, is told nothing", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* asked(["*"], page)).answer.headers.get("access-control-allow-origin"), "*")
      for (const origins of [[], [page]]) {
        const { answer, preflight } = yield* asked(origins, "https://evil.example")
        for (const { headers } of [answer, preflight]) {
          assert.notInclude([null, "https://evil.example", "*"].slice(1), headers.get("access-control-allow-origin"))
        }
      }
      assert.strictEqual((yield* asked([], page)).preflight.status, 404)
    }).pipe(Effect.scoped))
})
