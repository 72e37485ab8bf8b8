import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { OpenApi } from "effect/http-api"

/** The operations that say that they may answer so. */
const answering = ({ paths }: OpenApi.OpenAPISpec, status: string): ReadonlyArray<string> =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      status in (operation as OpenApi.OpenAPISpecOperation).responses ? [`${method} ${path}`] : []
    )
  )

describe("Document", () => {
  it.effect("says what stands before every endpoint, and needs no key", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const answer = yield* call("GET", "/openapi.json", { key: null })
      assert.strictEqual(answer.status, 200)
      const spec: OpenApi.OpenAPISpec = JSON.parse(answer.text)
      assert.strictEqual(spec.openapi, "3.1.0")
      assert.deepStrictEqual(Object.keys(spec.components.securitySchemes), ["bearer", "basic"])
      for (const [path, item] of Object.entries(spec.paths)) {
        for (const [method, operation] of Object.entries(item)) {
          assert.deepStrictEqual(
            Reflect.get(operation, "security"),
            [{ bearer: [] }, { basic: [] }],
            `${method} ${path}`
          )
          const { parameters, responses, summary } = operation as OpenApi.OpenAPISpecOperation
          assert.isString(summary, `${method} ${path}`)
          assert.includeMembers(Object.keys(responses), ["400", "401", "500", "503"])
          assert.strictEqual(parameters.some(({ name }) => name === "Idempotency-Key"), method === "post")
        }
      }
    }))

  it.effect("says 409 where a key or something stored can bring it about, and nowhere else", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const spec: OpenApi.OpenAPISpec = JSON.parse((yield* call("GET", "/openapi.json", { key: null })).text)
      assert.sameMembers(answering(spec, "409").filter((name) => !name.startsWith("post ")), [
        "delete /brands/{brand_id}",
        "delete /preferences/sections/{section_id}",
        "put /notifications/{id}",
        "delete /routing-strategies/{id}",
        "delete /providers/{id}"
      ])
    }))

  it.effect("says 429 of the requests that are limited, and of no others", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const spec: OpenApi.OpenAPISpec = JSON.parse((yield* call("GET", "/openapi.json", { key: null })).text)
      assert.sameMembers([...answering(spec, "429")], [
        "post /lists/{list_id}/subscriptions",
        "put /lists/{list_id}",
        "put /brands/{brand_id}",
        "post /messages/{message_id}/resend"
      ])
    }))

  it.effect("says of the bodies that may be left out that they may", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const spec: OpenApi.OpenAPISpec = JSON.parse((yield* call("GET", "/openapi.json", { key: null })).text)
      const optional = Object.entries(spec.paths).flatMap(([path, item]) =>
        Object.entries(item).flatMap(([method, operation]) =>
          Reflect.get((operation as OpenApi.OpenAPISpecOperation).requestBody ?? {}, "required") === false
            ? [`${method} ${path}`]
            : []
        )
      )
      assert.sameMembers(optional, [
        "post /notifications/{id}/publish",
        "post /preferences/publish",
        "post /tenants/{tenant_id}/templates/{template_id}/publish",
        "post /webhooks/{id}/secret",
        "put /lists/{list_id}/subscriptions/{user_id}",
        "put /users/{user_id}/tenants/{tenant_id}",
        "put /users/{user_id}/tokens"
      ])
    }))

  it.effect("has the header of a dry run, where one can be asked for", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const spec: OpenApi.OpenAPISpec = JSON.parse((yield* call("GET", "/openapi.json", { key: null })).text)
      const headers = (path: string) =>
        spec.paths[path]?.post?.parameters.filter((one) => one.in === "header").map(({ name }) => name)
      const keys = ["Idempotency-Key", "x-idempotency-expiration"]
      assert.deepStrictEqual(headers("/send"), [...keys, "Tidings-Dry-Run"])
      assert.deepStrictEqual(headers("/brands"), keys)
    }))

  it.effect("says which texts are an idempotency key, and that a user's token is let in too", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const spec: OpenApi.OpenAPISpec = JSON.parse((yield* call("GET", "/openapi.json", { key: null })).text)
      const key = spec.paths["/send"]?.post?.parameters.find(({ name }) => name === "Idempotency-Key")
      const { pattern } = yield* Schema.decodeUnknownEffect(Schema.Struct({ pattern: Schema.String }))(key?.schema)
      const matching = ["order 1042", "a,b", "a, b", " a", "a ", "ä"].filter((text) =>
        new RegExp(pattern, "u").test(text)
      )
      assert.deepStrictEqual(matching, ["order 1042", "a,b"])
      assert.match(JSON.stringify(spec.components.securitySchemes["bearer"]), /API key.*user's token/)
    }))

  it.effect("says that a number is a number, which texts such as Infinity are not", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const { text } = yield* call("GET", "/openapi.json", { key: null })
      assert.notInclude(text, "Infinity")
      const strategy = { name: "slow", routing: { method: "single", channels: ["email"] } }
      const answer = yield* call("POST", "/routing-strategies", {
        body: { ...strategy, channels: { email: { timeouts: { provider: "Infinity" } } } }
      })
      assert.deepStrictEqual([answer.status, answer.text], [
        400,
        JSON.stringify({ message: "channels.email.timeouts.provider: Expected number", type: "invalid_request_error" })
      ])
    }))

  it.effect("names the parts of a rendering that can be read", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const spec: OpenApi.OpenAPISpec = JSON.parse((yield* call("GET", "/openapi.json", { key: null })).text)
      const { parameters } = spec.paths["/messages/{message_id}/output/{output_id}/{part}"]?.get ?? { parameters: [] }
      assert.deepStrictEqual(parameters.find(({ name }) => name === "part")?.schema, {
        type: "string",
        enum: ["html", "title", "body", "subject", "blocks", "text"]
      })
    }))

  it.effect("/docs is a page that fetches nothing from elsewhere", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const page = yield* call("GET", "/docs", { key: null })
      assert.strictEqual(page.status, 200)
      assert.notMatch(page.text, /<(?:script|link|img)[^>]+(?:src|href)=/i)
      assert.strictEqual((yield* call("HEAD", "/docs", { key: null })).status, 200)
      const policy = page.headers.get("content-security-policy")?.split("; ")
      assert.includeMembers(policy ?? [], ["frame-ancestors 'none'", "connect-src 'self'", "base-uri 'none'"])
      assert.strictEqual(page.headers.get("x-content-type-options"), "nosniff")
    }))
})
