import { Idempotency, StillRunning } from "#src/access/Idempotency.ts"
import { bodies, bodyOf, endpoints, filled, nobody, notification, strategy } from "#test/layers/http/Bodies.ts"
import { message, serve, serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const posts = endpoints.filter(({ method }) => method === "POST").map(({ path }) => path)
const others = endpoints.filter(({ method }) => method !== "POST").map(({ method, path }) => ({ method, path }))

/** A body that is refused where an empty one is not. */
const wrong: Record<string, unknown> = {
  "/routing-strategies/:id/explain": { faults: 5 },
  "/preferences/publish": { heading: 1 },
  "/notifications/:id/preview": { to: 1 },
  "/webhooks/:id/secret": { secret: 1 }
}

const requestId = (answer: { readonly body: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ requestId: Schema.String }))(answer.body).requestId

const idOf = (answer: { readonly body: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(answer.body).id

const jobOf = (answer: { readonly body: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ jobId: Schema.String }))(answer.body).jobId

const withMessage = Effect.gen(function*() {
  const server = yield* serve
  const many = requestId(yield* server.call("POST", "/send", { body: message({ list_id: "news" }) }))
  const job = jobOf(yield* server.call("POST", "/bulk", { body: bodies["/bulk"] }))
  const id = requestId(yield* server.call("POST", "/send", { body: message() }))
  const template = idOf(yield* server.call("POST", "/notifications", { body: { notification } }))
  const made = idOf(yield* server.call("POST", "/routing-strategies", { body: strategy }))
  const section = idOf(yield* server.call("POST", "/preferences/sections", { body: { name: "Account" } }))
  const webhook = idOf(yield* server.call("POST", "/webhooks", { body: bodies["/webhooks"] }))
  yield* server.call("PUT", "/tenants/acme", { body: { name: "Acme" } })
  yield* server.call("PUT", "/tenants/acme/templates/t", { body: { template: { content: { elements: [] } } } })
  return { ...server, ids: { id, job, made, many, section, template, tenant: "acme", webhook } }
})

describe("P5: once per key", () => {
  it("the route table has posts of both kinds", () => assert.includeMembers(posts, ["/send", "/profiles/:user_id"]))

  it.effect.each(posts)("POST %s replays its answer and runs nothing", (path) =>
    Effect.gen(function*() {
      const { call, ids, state } = yield* withMessage
      const post = call("POST", filled(path, ids), { body: bodies[path], headers: { "idempotency-key": "one" } })
      const first = yield* post
      const [messages, profiles] = [[...state.messages], [...state.profiles]]
      const second = yield* post
      assert.isBelow(first.status, 300)
      assert.deepStrictEqual([second.status, second.text], [first.status, first.text])
      assert.deepStrictEqual(
        [first.headers.get("idempotent-replayed"), second.headers.get("idempotent-replayed")],
        [null, "true"]
      )
      assert.deepStrictEqual([[...state.messages], [...state.profiles]], [messages, profiles])
      assert.deepStrictEqual([...state.keys.keys()], [`1 ${filled(path, ids)} one`])
    }))

  it.effect.each(posts)(
    "POST %s stores what it refused, and the refusal wins over a later good request",
    (path) =>
      Effect.gen(function*() {
        const { call, ids } = yield* withMessage
        const refusal = {
          headers: { "idempotency-key": "one" },
          ...(path in bodies ? { body: wrong[path] ?? {} } : {})
        }
        const target = path in bodies ? filled(path, ids) : filled(path, nobody)
        const first = yield* call("POST", target, refusal)
        const second = yield* call("POST", target, { ...refusal, body: bodies[path] })
        assert.include([400, 404], first.status)
        assert.deepStrictEqual([second.status, second.text], [first.status, first.text])
        assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      })
  )

  it.effect.each(posts)("POST %s stores a crash", (path) =>
    Effect.gen(function*() {
      const { call, ids, state } = yield* withMessage
      state.crash = true
      const post = call("POST", filled(path, ids), { body: bodies[path], headers: { "idempotency-key": "one" } })
      const first = yield* post
      state.crash = false
      const second = yield* post
      assert.deepStrictEqual([first.status, second.status], [500, 500])
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
    }))

  it.effect.each(posts)(
    "POST %s stores nothing for 401, 413, 415, 503, malformed JSON and bad headers",
    (path) =>
      Effect.gen(function*() {
        const { call, ids, state } = yield* withMessage
        const target = filled(path, ids)
        const key = { "idempotency-key": "one" }
        yield* call("POST", target, { key: null, body: bodies[path], headers: key })
        yield* call("POST", target, { body: "x".repeat(7 * 1024 * 1024), headers: key })
        yield* call("POST", target, { body: "{}", headers: { ...key, "content-encoding": "gzip" } })
        yield* call("POST", target, { body: bodies[path], headers: { "idempotency-key": "a, b" } })
        yield* call("POST", target, { body: bodies[path], headers: { "idempotency-key": "x".repeat(256) } })
        yield* call("POST", target, { body: bodies[path], headers: { "idempotency-key": "" } })
        yield* call("POST", target, { body: bodies[path], headers: { ...key, "x-idempotency-expiration": "soon" } })
        if (path in bodies) {
          yield* call("POST", target, { body: "{", headers: key })
          yield* call("POST", target, { body: "<a/>", headers: { ...key, "content-type": "text/xml" } })
          state.down = true
          assert.strictEqual((yield* call("POST", target, { body: bodies[path], headers: key })).status, 503)
          state.down = false
        }
        assert.strictEqual(state.keys.size, 0)
        assert.isBelow((yield* call("POST", target, { body: bodies[path], headers: key })).status, 300)
      })
  )

  it.effect.each(others)("$method $path takes the header and ignores it", ({ method, path }) =>
    Effect.gen(function*() {
      const { call, ids, state } = yield* withMessage
      yield* call(method, filled(path, ids), {
        body: bodyOf(method, path),
        headers: { "idempotency-key": "a, b", "x-idempotency-expiration": "soon" }
      }).pipe(Effect.map(({ status }) => assert.include([200, 204, 404], status)))
      assert.strictEqual(state.keys.size, 0)
    }))

  it.effect("a user's token is not kept in clear (P9); what an earlier version kept so is replayed", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const path = "/auth/issue-token"
      const post = call("POST", path, { body: bodies[path], headers: { "idempotency-key": "one" } })
      const first = yield* post
      const [name, kept] = [...state.keys][0] ?? []
      assert.strictEqual(kept?.response.status, 200)
      const { token } = Schema.decodeUnknownSync(Schema.Struct({ token: Schema.NonEmptyString }))(first.body)
      assert.notInclude(JSON.stringify(kept), token)
      if (name === undefined || kept === undefined) return assert.fail("nothing is kept")
      state.keys.set(name, { ...kept, response: { ...kept.response, body: "{\"token\":\"old\"}" } })
      assert.deepStrictEqual((yield* post).body, { token: "old" })
    }))

  it.effect("an expiration that is no date is refused also of a POST without a key", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const post = (expiration: string) =>
        call("POST", "/profiles/ada", { body: { profile: {} }, headers: { "x-idempotency-expiration": expiration } })
      const refused = yield* post("soon")
      assert.deepStrictEqual([refused.status, refused.body], [
        400,
        { message: "Expiration is not a valid date", type: "invalid_request_error" }
      ])
      assert.strictEqual((yield* post("1785312000")).status, 200)
      assert.strictEqual(state.keys.size, 0)
    }))

  it.effect("a key belongs to one path, in any spelling and without the query, and to one environment", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const post = (path: string, key: string) =>
        call("POST", path, { key, body: { profile: {} }, headers: { "idempotency-key": "k" } })
      const replayed = Effect.map(({ headers }: { readonly headers: Headers }) => headers.has("idempotent-replayed"))
      assert.deepStrictEqual(
        yield* Effect.all([
          replayed(post("/profiles/a%2Fb", "pk_prod_a")),
          replayed(post("/profiles/a%2Fb", "dk_prod_a")),
          replayed(post("/profiles/%61%2fb/?x=1", "pk_prod_a")),
          replayed(post("/profiles/a%2Fc", "pk_prod_a")),
          replayed(post("/profiles/a%2Fb", "pk_test_a"))
        ]),
        [false, true, true, false, false]
      )
      assert.deepStrictEqual([...state.keys.keys()], [
        "1 /profiles/a%2Fb k",
        "1 /profiles/a%2Fc k",
        "2 /profiles/a%2Fb k"
      ])
    }))

  it.effect("who waited in vain for an earlier call with the same key is told when to ask again", () =>
    Effect.gen(function*() {
      const { call } = yield* serveWith(Layer.mock(Idempotency, { once: () => Effect.fail(new StillRunning()) }))
      const { body, headers, status } = yield* call("POST", "/profiles/ada", {
        body: { profile: {} },
        headers: { "idempotency-key": "one" }
      })
      assert.deepStrictEqual([status, headers.get("retry-after"), headers.get("idempotent-replayed")], [409, "1", null])
      assert.deepStrictEqual(body, {
        message: "A request with this Idempotency-Key is still running",
        type: "invalid_request_error"
      })
    }))

  it.effect("P5: a refusal that cannot be kept under its key is 503, since a later call with the key would run", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      state.down = true
      assert.strictEqual((yield* call("POST", "/send", { body: {}, headers: { "idempotency-key": "k" } })).status, 503)
    }))

  it.effect("P5: what runs apart does not run where an answer is kept", () =>
    Effect.gen(function*() {
      const kept = { status: 200, body: "{\"kept\":true}", headers: {} }
      const { call } = yield* serveWith(
        Layer.mock(Idempotency, { find: () => Effect.succeedSome(kept), once: () => Effect.die("it ran") })
      )
      const asked = { body: { to: { user_id: "ada" } }, headers: { "idempotency-key": "one" } }
      const { body, headers } = yield* call("POST", "/notifications/nt_none/preview", asked)
      assert.deepStrictEqual([body, headers.get("idempotent-replayed")], [{ kept: true }, "true"])
    }))
})
