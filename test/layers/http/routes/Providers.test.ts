import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const idOf = (answer: { readonly body: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(answer.body).id

const refusal = (message: string) => ({ message, type: "invalid_request_error" })

const apiKey = "SG.0123456789abcdef"

describe("Providers", () => {
  it.effect("the catalogue is listed and filtered, before any id", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const keys = Effect.fnUntraced(function*(query: string) {
        const { body } = yield* call("GET", `/providers/catalog${query}`)
        const { results } = Schema.decodeUnknownSync(
          Schema.Struct({ results: Schema.Array(Schema.Struct({ provider: Schema.String })) })
        )(body)
        return results.map(({ provider }) => provider)
      })
      assert.deepStrictEqual(yield* keys(""), ["sendgrid", "aws-ses", "twilio"])
      assert.deepStrictEqual(yield* keys("?channel=SMS"), ["twilio"])
      assert.deepStrictEqual(yield* keys("?keys=ses,twilio"), ["aws-ses", "twilio"])
      assert.deepStrictEqual(yield* keys("?name=GRID&channel=email"), ["sendgrid"])
      assert.deepStrictEqual(yield* keys("?name=x&keys="), [])
      assert.deepStrictEqual((yield* call("GET", "/providers/catalog?keys=sendgrid")).body, {
        paging: { more: false },
        results: [{
          provider: "sendgrid",
          name: "SendGrid",
          description: "A double",
          channel: "email",
          settings: {
            api_key: { type: "string", required: true, secret: true },
            base_url: { type: "string", required: false, secret: false },
            region: { type: "enum", required: false, secret: false, values: ["us", "eu"] },
            verbose: { type: "boolean", required: false, secret: false },
            dkim: { type: "object", required: false, secret: true }
          }
        }]
      })
    }))

  it.effect("secrets are shown masked, and a mask sent back keeps them", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const settings = { api_key: apiKey, region: null, unknown: 1, dkim: { domain: "x", private_key: "p" } }
      const made = yield* call("POST", "/providers", { body: { provider: "sendgrid", alias: "main", settings } })
      const id = idOf(made)
      const masked = { api_key: "••••cdef", dkim: "••••" }
      assert.deepStrictEqual([made.status, made.body], [201, {
        id,
        provider: "sendgrid",
        title: "Default Configuration",
        alias: "main",
        settings: masked,
        created: 0
      }])
      const put = (settings: object) =>
        call("PUT", `/providers/${id}`, { body: { provider: "sendgrid", title: "T", settings } })
      const kept = yield* put({ ...masked, region: "eu" })
      assert.deepStrictEqual([kept.status, kept.body], [200, {
        id,
        provider: "sendgrid",
        title: "T",
        settings: { ...masked, region: "eu" },
        created: 0,
        updated: 0
      }])
      assert.deepStrictEqual(
        (yield* put({ api_key: "••••ffff" })).body,
        refusal(
          "settings.api_key: Expected the secret itself, or the mask that was shown"
        )
      )
      assert.deepInclude((yield* put({ api_key: "short" })).body, { settings: { api_key: "••••" } })
      const listed = yield* call("GET", "/providers")
      assert.notInclude(listed.text, "short")
      assert.deepInclude((yield* call("GET", `/providers/${id}`)).body, { settings: { api_key: "••••" } })
    }))

  it.effect("a mask moves no secret to another host: who names one knows the secret", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const base_url = "https://own.example"
      const made = yield* call("POST", "/providers", {
        body: { provider: "sendgrid", settings: { api_key: apiKey, base_url, dkim: { domain: "x", private_key: "p" } } }
      })
      const put = Effect.fnUntraced(function*(settings: object) {
        const { body, status } = yield* call("PUT", `/providers/${idOf(made)}`, {
          body: { provider: "sendgrid", settings }
        })
        return [status, body]
      })
      const moved = refusal("settings.api_key: Expected the secret itself, since base_url is another than before")
      for (const other of ["https://evil.example", `${base_url}/`, null, undefined]) {
        assert.deepStrictEqual(yield* put({ api_key: "••••cdef", base_url: other }), [400, moved])
      }
      assert.deepInclude((yield* put({ dkim: "••••", api_key: apiKey, base_url: "https://evil.example" }))[1], {
        message: "settings.dkim: Expected the secret itself, since base_url is another than before"
      })
      assert.strictEqual((yield* put({ api_key: "••••cdef", base_url, region: "eu" }))[0], 200)
      assert.strictEqual((yield* put({ api_key: apiKey, base_url: "https://new.example" }))[0], 200)
    }))

  it.effect("what does not fit the catalogue is 400 and names its field, never a value", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const refused = (body: object) =>
        Effect.map(call("POST", "/providers", { body }), ({ body, status }) => [status, body])
      const settings = (settings: object) => refused({ provider: "sendgrid", settings })
      assert.deepStrictEqual(yield* refused({ provider: "carrier-pigeon" }), [
        400,
        refusal("provider: Expected a key of GET /providers/catalog")
      ])
      assert.deepStrictEqual(yield* refused({}), [400, refusal("provider: Required")])
      assert.deepStrictEqual(yield* settings({}), [400, refusal("settings.api_key: Required")])
      const [status, body] = yield* settings({ api_key: 1234567, base_url: "ftp://hidden", region: "mars" })
      assert.strictEqual(status, 400)
      const message = String(Reflect.get(Object(body), "message"))
      for (const path of ["settings.api_key: ", "settings.base_url: ", "settings.region: "]) {
        assert.include(message, path)
      }
      assert.notMatch(message, /1234567|hidden|mars/)
      // Also channels that nothing has to be configured for, and a vendor's older key.
      for (const alias of ["email", "inbox", "webhook", "banner", "twilio", "ses"]) {
        assert.deepStrictEqual(yield* refused({ provider: "sendgrid", alias }), [
          400,
          refusal("alias: Expected no key of a provider and no channel")
        ])
      }
    }))

  it.effect("one may be made without settings, and under an older key", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const made = yield* call("POST", "/providers", { body: { provider: "ses" } })
      assert.strictEqual(made.status, 201)
      assert.deepInclude(made.body, { provider: "aws-ses", settings: {} })
      const path = `/providers/${idOf(made)}`
      assert.strictEqual((yield* call("PUT", path, { body: { provider: "ses" } })).status, 200)
      assert.deepStrictEqual(
        (yield* call("PUT", path, { body: { provider: "twilio" } })).body,
        refusal(
          "provider: Expected aws-ses: the provider of a configuration cannot change"
        )
      )
    }))

  it.effect("an alias is one configuration's, and what a strategy needs stays", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const create = (alias: string) => call("POST", "/providers", { body: { provider: "sendgrid", alias } })
      const id = idOf(yield* create("eu"))
      const taken = yield* create("eu")
      assert.deepStrictEqual([taken.status, taken.body], [400, refusal("alias: Another provider has the alias eu")])
      const strategy = { name: "s", routing: { method: "single", channels: ["eu"] } }
      const strategyId = idOf(yield* call("POST", "/routing-strategies", { body: strategy }))
      const refused = yield* call("DELETE", `/providers/${id}`)
      assert.deepStrictEqual([refused.status, refused.headers.get("x-should-retry")], [409, "false"])
      yield* call("DELETE", `/routing-strategies/${strategyId}`)
      assert.strictEqual((yield* call("DELETE", `/providers/${id}`)).status, 204)
      for (const method of ["GET", "DELETE"]) {
        const gone = yield* call(method, `/providers/${id}`)
        assert.deepStrictEqual([gone.status, gone.body], [404, refusal(`Provider ${id} not found`)])
      }
    }))

  it.effect("P10: a test key sees none of production's", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const id = idOf(yield* call("POST", "/providers", { body: { provider: "sendgrid" } }))
      assert.strictEqual((yield* call("GET", `/providers/${id}`, { key: "pk_test_a" })).status, 404)
      assert.deepInclude((yield* call("GET", "/providers", { key: "pk_test_a" })).body, { results: [] })
    }))
})
