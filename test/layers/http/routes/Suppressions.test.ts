import { dry } from "#test/layers/http/Rehearsals.ts"
import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const List = Schema.decodeUnknownSync(Schema.Struct({
  paging: Schema.Struct({ more: Schema.Boolean, cursor: Schema.optionalKey(Schema.String) }),
  results: Schema.Array(Schema.Struct({ address: Schema.String, reason: Schema.String }))
}))
const Ended = Schema.decodeUnknownSync(Schema.Struct({ results: Schema.Array(Schema.JsonObject) }))
const Id = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))
const Events = Schema.decodeUnknownSync(
  Schema.Struct({ results: Schema.Array(Schema.Struct({ type: Schema.String, target: Schema.String })) })
)

const ada = "/suppressions/email/ada@example.com"
const phone = "/suppressions/sms/+4915112345678"

describe("/suppressions", () => {
  it.effect("an address is suppressed, read in any spelling, listed and freed", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      assert.strictEqual((yield* call("GET", ada)).status, 404)
      assert.strictEqual((yield* call("PUT", "/suppressions/email/Ada%40EXAMPLE.com")).status, 204)
      assert.strictEqual((yield* call("PUT", "/suppressions/sms/%2B49%20151%2012345678")).status, 204)
      const suppressed = { channel: "email", address: "ada@example.com", reason: "MANUAL", created: 0 }
      for (const path of [ada, "/suppressions/email/ADA@example.com"]) {
        assert.deepStrictEqual((yield* call("GET", path)).body, suppressed)
      }
      assert.strictEqual((yield* call("GET", phone)).status, 200)
      const list = (query = "") => Effect.map(call("GET", `/suppressions${query}`), ({ body }) => List(body))
      const addresses = (query?: string) =>
        Effect.map(list(query), ({ results }) => results.map(({ address }) => address))
      assert.deepStrictEqual(yield* addresses(), ["ada@example.com", "+4915112345678"])
      assert.deepStrictEqual(yield* addresses("?channel=sms"), ["+4915112345678"])
      assert.deepStrictEqual(yield* addresses("?reason=BOUNCED"), [])
      const { paging } = yield* list("?limit=1")
      assert.deepStrictEqual(yield* addresses(`?limit=1&cursor=${paging.cursor}`), ["+4915112345678"])
      assert.strictEqual((yield* call("GET", ada, { key: "pk_test_a" })).status, 404)
      assert.deepStrictEqual([(yield* call("DELETE", ada)).status, (yield* call("DELETE", ada)).status], [204, 404])
      assert.deepStrictEqual((yield* call("GET", ada)).body, {
        message: "ada@example.com is not suppressed",
        type: "invalid_request_error"
      })
    }))

  it.effect("what is no address, channel, reason or cursor is 400, in a sentence", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const refused = {
        "GET /suppressions/email/ada": "address: Expected an e-mail address",
        "PUT /suppressions/email/ada": "address: Expected an e-mail address",
        "DELETE /suppressions/email/a%20b@example.com": "address: Expected an e-mail address",
        "PUT /suppressions/sms/015112345678": "address: Expected a phone number in E.164, such as +14155552671",
        "PUT /suppressions/push/token": "channel: Expected \"email\" | \"sms\"",
        "GET /suppressions?cursor=bad": "Invalid cursor format"
      }
      for (const [asked, message] of Object.entries(refused)) {
        const [method = "", path = ""] = asked.split(" ")
        const { body, status } = yield* call(method, path)
        assert.deepStrictEqual([status, body], [400, { message, type: "invalid_request_error" }], asked)
      }
      assert.strictEqual((yield* call("GET", "/suppressions?reason=bounced")).status, 400)
    }))

  it.effect("who suppressed and freed an address is audited, once for each change", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      for (const method of ["PUT", "PUT", "DELETE", "DELETE"]) yield* call(method, ada)
      const { results } = Events((yield* call("GET", "/audit-events")).body)
      assert.sameMembers(results.map(({ target, type }) => `${type} ${target}`), [
        "suppression.updated suppressions/email/ada@example.com",
        "suppression.deleted suppressions/email/ada@example.com"
      ])
    }))

  it.effect("a dry run and an explanation say that a channel is left out, and why", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const explain = Effect.fnUntraced(function*(profile: object | undefined, channels = ["email", "sms"]) {
        const strategy = { name: "Mail", routing: { method: "single", channels } }
        const { id } = Id((yield* call("POST", "/routing-strategies", { body: strategy })).body)
        return (yield* call("POST", `/routing-strategies/${id}/explain`, { body: { profile } })).body
      })
      const profile = { email: "ada@example.com", phone_number: "+4915112345678" }
      const rehearse = (to: object, channels = ["email", "sms"]) =>
        Effect.map(
          call("POST", "/send", { headers: dry, body: message(to, { routing: { method: "single", channels } }) }),
          ({ body }) => Ended(body).results[0]
        )
      assert.notProperty(yield* explain(profile), "suppressed")
      assert.notProperty(yield* rehearse(profile), "suppressed")
      yield* call("PUT", ada)
      const suppressed = [{ channel: "email", reason: "MANUAL" }]
      assert.deepInclude(yield* explain(profile), { suppressed, status: "SENT" })
      assert.notProperty(yield* explain(undefined), "suppressed")
      assert.deepInclude(yield* rehearse(profile), { suppressed, status: "SENT" })
      const end = { suppressed, status: "UNDELIVERABLE", reason: "UNSUBSCRIBED" }
      const told = "The recipient's address for email is suppressed"
      assert.deepInclude(yield* explain(profile, ["email"]), { ...end, detail: told })
      assert.deepInclude(yield* rehearse(profile, ["email"]), { ...end, error: told, outputs: [] })
    }))
})
