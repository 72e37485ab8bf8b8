import * as Webhook from "#layers/providers/Webhook.ts"
import {
  Outbound,
  type OutboundError,
  OutboundNotSent,
  OutboundRefused,
  type OutboundRequest,
  type OutboundResponse,
  OutboundUnknown
} from "#src/delivery/Outbound.ts"
import { delivery, outcomeOf, rendered } from "#test/contracts/VendorRow.ts"
import { resend } from "#test/layers/providers/rows/Resend.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result, type Schema } from "effect"

const address = { url: "https://hooks.example/a", method: "POST", headers: { "x-one": "1", "x-two": "2" } }

const answered = (status: number, headers: OutboundResponse["headers"] = {}) =>
  Effect.succeed({ status, headers, body: "", truncated: false })

/** The webhook, and what it asks for; every request gets this answer. */
const start = Effect.fnUntraced(
  function*(answer: Effect.Effect<OutboundResponse, OutboundError> = answered(200)) {
    const seen: Array<OutboundRequest> = []
    const webhook = yield* Webhook.make.pipe(Effect.provideService(Outbound, {
      request: (request) => {
        seen.push(request)
        return answer
      }
    }))
    return { webhook, seen }
  }
)

/** The request that a webhook with this override becomes, with this address and beside these fields of the profile. */
const posted = Effect.fnUntraced(
  function*(override: Schema.JsonObject, own: Schema.JsonObject = {}, fields: Schema.JsonObject = {}) {
    const { seen, webhook } = yield* start()
    const profile = { ...fields, webhook: { ...address, ...own } }
    const sent = yield* Effect.exit(webhook.send(delivery(resend, { profile, override })))
    return { sent, request: seen[0] }
  }
)

describe("Webhook", () => {
  it.effect("a message overrides the url, the method, headers and the body of its call (api.md §3)", () =>
    Effect.gen(function*() {
      const plain = yield* posted({})
      assert.deepInclude(plain.request, { url: address.url, method: "POST" })
      const { request } = yield* posted({
        url: "https://hooks.example/b",
        method: "PUT",
        headers: { "x-two": "3", "x-three": "4" },
        body: { mine: true, content: { title: "mine" } }
      })
      assert.deepInclude(request, { url: "https://hooks.example/b", method: "PUT" })
      assert.deepInclude(request?.headers, { "x-one": "1", "x-two": "3", "x-three": "4" })
      const [before, after] = [plain, { request }].map(({ request }) => JSON.parse(String(request?.body)))
      assert.deepStrictEqual(after, { ...before, mine: true, content: { ...before.content, title: "mine" } })
    }))

  it.effect("half a character, with which a text ends that somebody cut, is replaced, as at the vendors", () =>
    Effect.gen(function*() {
      const { request } = yield* posted({ body: { note: "a\ud83d" } })
      assert.strictEqual(JSON.parse(String(request?.body)).note, "a\ufffd")
    }))

  it.effect("P4: a call brings the token by which its receiver knows it again, and has 15 s", () =>
    Effect.gen(function*() {
      const { request } = yield* posted({})
      assert.deepInclude(request?.headers, {
        "content-type": "application/json",
        "idempotency-key": delivery(resend).idempotencyToken
      })
      assert.strictEqual(request?.deadlineMs, 15_000)
    }))

  it.effect("the address's own method is used, and the content's own payload is sent as it is", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* posted({}, { method: "PUT" })).request?.method, "PUT")
      const { seen, webhook } = yield* start()
      const raw = { payload: { order: { id: 42 } } }
      const profile = { webhook: address }
      yield* webhook.send(delivery(resend, { profile, override: {}, rendered: { ...rendered, raw } }))
      assert.deepStrictEqual(JSON.parse(String(seen[0]?.body)).content, raw.payload)
    }))

  it.effect("an override that is none is the content's fault, and nothing is called", () =>
    Effect.gen(function*() {
      const { request, sent } = yield* posted({ method: "DELETE" })
      assert.isUndefined(request)
      assert.isTrue(Exit.isFailure(sent))
    }))

  it.effect("P9: the profile goes along only if the address asks for it, and never the address with its password", () =>
    Effect.gen(function*() {
      const fields = { user_id: "u1", email: "ann@example.com", phone_number: "+15005550006" }
      const login = { authentication: { mode: "basic", username: "us", password: "sesame" } }
      const profile = (own: Schema.JsonObject) =>
        Effect.map(posted({}, own, fields), ({ request }) => {
          assert.notInclude(request?.body, "sesame")
          return JSON.parse(String(request?.body)).profile
        })
      assert.deepStrictEqual(yield* profile(login), { user_id: "u1", email: "ann@example.com" })
      assert.deepStrictEqual(yield* profile({ ...login, profile: "limited" }), {
        user_id: "u1",
        email: "ann@example.com"
      })
      assert.deepStrictEqual(yield* profile({ ...login, profile: "expanded" }), fields)
      const nobody = yield* posted({})
      assert.deepStrictEqual(JSON.parse(String(nobody.request?.body)).profile, { user_id: null, email: null })
    }))

  it.effect("calls with the address's own login, which a message may override", () =>
    Effect.gen(function*() {
      const login = (authentication: Schema.JsonObject, headers: Schema.JsonObject = {}) =>
        Effect.map(posted({ headers }, { authentication }), ({ request }) => request?.headers["authorization"])
      const basic = { mode: "basic", username: "us", password: "p:w" }
      assert.strictEqual(yield* login(basic), `Basic ${Buffer.from("us:p:w").toString("base64")}`)
      assert.strictEqual(yield* login({ mode: "bearer", token: "t" }), "Bearer t")
      assert.isUndefined(yield* login({ mode: "none" }))
      assert.strictEqual(yield* login(basic, { authorization: "Bearer own" }), "Bearer own")
    }))

  it.effect("a header that a message overrides is the address's own in whatever case", () =>
    Effect.gen(function*() {
      const own = { headers: { "X-One": "1", "Content-Type": "application/vnd.a+json", "IDEMPOTENCY-KEY": "own" } }
      const { request } = yield* posted(
        { headers: { "content-type": "application/cloudevents+json", "x-ONE": "2" } },
        own
      )
      assert.deepStrictEqual(request?.headers, {
        "content-type": "application/cloudevents+json",
        "user-agent": "Tidings",
        "idempotency-key": "own",
        "x-one": "2"
      })
    }))

  it.effect("what a receiver answers means what api.md 26.4 says: only 410 is for good, and a wait is kept", () =>
    Effect.gen(function*() {
      const outcome = (answer: Effect.Effect<OutboundResponse, OutboundError>) =>
        Effect.flatMap(start(answer), ({ webhook }) =>
          Effect.map(
            Effect.result(
              webhook.send(
                delivery(resend, { profile: { webhook: { url: "https://hooks.example/a" } }, override: {} })
              )
            ),
            (result) => {
              const failure = Result.isFailure(result) ? result.failure : undefined
              return [
                outcomeOf(result),
                failure?._tag === "RateLimited" || failure?._tag === "Unavailable" ? failure.retryAfter : undefined,
                failure?._tag === "RecipientRejected" && failure.invalidates === true
              ]
            }
          ))
      const wait = { "retry-after": "30" }
      const expected: ReadonlyArray<readonly [status: number, outcome: string, wait?: number]> = [
        [204, "Accepted"],
        [302, "ContentRejected"],
        [400, "ContentRejected"],
        [401, "Misconfigured"],
        [403, "Misconfigured"],
        [404, "RecipientRejected"],
        [408, "Unavailable", 30_000],
        [410, "RecipientRejected"],
        [429, "RateLimited", 30_000],
        [500, "Unavailable", 30_000],
        [503, "Unavailable", 30_000]
      ]
      for (const [status, told, kept] of expected)
        assert.deepStrictEqual(yield* outcome(answered(status, wait)), [told, kept, status === 410])
      // The status line came, and the rest of the answer never did.
      const broken = (status: number) => Effect.fail(new OutboundUnknown({ reason: "deadline", status, detail: "x" }))
      for (
        const [status, told] of [[101, "Unknown"], [200, "Accepted"], [400, "ContentRejected"], [503, "Unavailable"]]
      )
        assert.deepStrictEqual(yield* outcome(broken(Number(status))), [told, undefined, false])
      const [address, dns, deadline] = [
        new OutboundRefused({ reason: "address", detail: "x" }),
        new OutboundNotSent({ stage: "dns", detail: "x" }),
        new OutboundUnknown({ reason: "deadline", detail: "x" })
      ]
      assert.deepStrictEqual(yield* outcome(Effect.fail(address)), ["RecipientRejected", undefined, false])
      assert.deepStrictEqual(yield* outcome(Effect.fail(dns)), ["Unavailable", undefined, false])
      assert.deepStrictEqual(yield* outcome(Effect.fail(deadline)), ["Unknown", undefined, false])
    }))

  it.effect("P9: two addresses are told apart by a hash and never by themselves; the message's own comes first", () =>
    Effect.gen(function*() {
      const { webhook } = yield* start()
      const at = (url: string, override: Schema.JsonObject = {}) => webhook.serverOf({ webhook: { url } }, override)
      const [one, other] = ["https://hooks.example/secret-a", "https://hooks.example/secret-b"]
      assert.notStrictEqual(at(one), at(other))
      assert.strictEqual(at(one, { url: other }), at(other))
      assert.notInclude(at(one), "secret")
      assert.isUndefined(webhook.serverOf({}, {}))
    }))
})
