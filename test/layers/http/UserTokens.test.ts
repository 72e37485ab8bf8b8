import { catalogue } from "#test/layers/http/PreferenceFixture.ts"
import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { decodeJwt, SignJWT } from "jose"

const decodeToken = Schema.decodeUnknownSync(Schema.Struct({ token: Schema.String }))
const decodeList = Schema.decodeUnknownSync(
  Schema.Struct({ results: Schema.Array(Schema.Struct({ recipient: Schema.String })) })
)

const start = Effect.gen(function*() {
  const { call, state } = yield* serve
  const issue = Effect.fnUntraced(function*(scope: string, expires_in: unknown = "1h", key = "pk_prod_a") {
    const answer = yield* call("POST", "/auth/issue-token", { key, body: { scope, expires_in } })
    assert.strictEqual(answer.status, 200, answer.text)
    return decodeToken(answer.body).token
  })
  const status = (key: string, method: string, path: string, body?: unknown) =>
    Effect.map(call(method, path, body === undefined ? { key } : { key, body }), (answer) => answer.status)
  return { call, state, issue, status }
})

const device = { provider_key: "expo" }

describe("Users' tokens", () => {
  it.effect("are JWTs with their scope, and open what it names and nothing else", () =>
    Effect.gen(function*() {
      const { call, issue, status } = yield* start
      const key = yield* issue("user_id:ada  write:user-tokens read:user-tokens", "2 hours")
      const { exp = 0, iat = 0, scope } = decodeJwt(key)
      assert.deepStrictEqual([scope, exp - iat], ["user_id:ada write:user-tokens read:user-tokens", 7_200])
      assert.strictEqual(yield* status(key, "PUT", "/users/ada/tokens/t", device), 204)
      assert.strictEqual(yield* status(key, "GET", "/users/ada/tokens/t"), 200)
      const refused = yield* call("PUT", "/users/bob/tokens/t", { key, body: device })
      assert.deepStrictEqual([refused.status, refused.body], [403, {
        message: "The scopes of this token do not allow it",
        type: "authorization_error"
      }])
      const others = [
        yield* status(key, "GET", "/users/bob/tokens"),
        yield* status(key, "POST", "/send", message()),
        yield* status(key, "GET", "/messages"),
        yield* status(key, "GET", "/profiles/ada"),
        yield* status(key, "POST", "/auth/issue-token", { scope: "user_id:bob", expires_in: "1h" })
      ]
      assert.deepStrictEqual(others, [403, 403, 403, 403, 403])
    }))

  it.effect("P10: hold in the environment of the key that asked for them", () =>
    Effect.gen(function*() {
      const { issue, status } = yield* start
      const key = yield* issue("user_id:ada write:user-tokens", "1h", "pk_test_a")
      assert.strictEqual(yield* status(key, "PUT", "/users/ada/tokens/t", device), 204)
      assert.strictEqual(yield* status("pk_test_a", "GET", "/users/ada/tokens/t"), 200)
      assert.strictEqual(yield* status("pk_prod_a", "GET", "/users/ada/tokens/t"), 404)
    }))

  it.effect("P9: see no credential of the workspace in the timeline of a message to their user", () =>
    Effect.gen(function*() {
      const { call, issue } = yield* start
      const secret = "xoxb-1-2"
      const to = {
        user_id: "ada",
        email: "ada@example.com",
        slack: { access_token: secret, channel: "C1" },
        webhook: {
          url: `https://example.com/hooks/${secret}?key=${secret}`,
          authentication: { mode: "bearer", token: secret },
          headers: { a: secret }
        },
        pagerduty: { routing_key: secret }
      }
      const { body } = yield* call("POST", "/send", { body: message(to) })
      const path = `/messages/${String(Reflect.get(Object(body), "requestId"))}/history`
      const key = yield* issue("user_id:ada read:messages")
      const { text } = yield* call("GET", path, { key })
      assert.notInclude(text, secret)
      for (const seen of ["ada@example.com", "C1", "https://example.com"]) assert.include(text, seen)
      assert.include((yield* call("GET", path)).text, secret)
    }))

  it.effect("read the messages to their own users", () =>
    Effect.gen(function*() {
      const { call, issue, state, status } = yield* start
      const send = (user: string) =>
        Effect.map(call("POST", "/send", { body: message({ user_id: user }) }), ({ body }) =>
          String(Reflect.get(Object(body), "requestId")))
      const [mine, other] = [yield* send("ada"), yield* send("bob")]
      const key = yield* issue("user_id:ada read:messages")
      const seen = [
        yield* status(key, "GET", `/messages/${mine}`),
        yield* status(key, "GET", `/messages/${mine}/history`),
        yield* status(key, "GET", `/messages/${other}`),
        yield* status(key, "GET", `/messages/${other}/output`),
        yield* status(key, "GET", "/messages/1-00000000-000000000000000000000000"),
        yield* status(key, "GET", "/messages/none"),
        yield* status(key, "POST", `/messages/${mine}/cancel`)
      ]
      assert.deepStrictEqual(seen, [200, 200, 403, 403, 404, 404, 403])
      // What the store cannot tell now may be somebody else's.
      for (const path of [`/messages/${other}`, `/messages/${other}/history`]) {
        state.lost = 1
        assert.strictEqual(yield* status(key, "GET", path), 503)
      }
      assert.strictEqual(yield* status(key, "GET", "/messages?recipient=ada"), 200)
      assert.strictEqual(yield* status(key, "GET", "/messages?recipient=bob"), 403)
      assert.strictEqual(yield* status(key, "GET", "/messages?recipient=ada&recipient=bob"), 403)
      decodeList((yield* call("GET", "/messages", { key })).body)
      const queries = state.queries.map(({ recipient, userId }) => [recipient, userId])
      assert.deepStrictEqual(queries, [[undefined, "ada"], [undefined, "ada"]])
      const both = yield* issue("user_id:ada user_id:bob read:messages")
      assert.strictEqual(yield* status(both, "GET", "/messages"), 403)
      assert.strictEqual(yield* status(both, "GET", "/messages?recipient=bob"), 200)
    }))

  it.effect("read nothing that went to an address which is written as their user's id", () =>
    Effect.gen(function*() {
      const { call, issue, status } = yield* start
      const address = "bob@example.com"
      const send = (to: object) =>
        Effect.map(call("POST", "/send", { body: message(to) }), ({ body }) =>
          String(Reflect.get(Object(body), "requestId")))
      const [mine, other] = [yield* send({ user_id: address }), yield* send({ email: address })]
      const key = yield* issue(`user_id:${address} read:messages`)
      assert.deepStrictEqual([
        yield* status(key, "GET", `/messages/${mine}`),
        yield* status(key, "GET", `/messages/${other}`),
        yield* status(key, "GET", `/messages/${other}/history`)
      ], [200, 403, 403])
    }))

  it.effect("P10: have preferences within the tenants of their users; of others they do not learn whether there are any", () =>
    Effect.gen(function*() {
      const { call, optedIn } = yield* catalogue
      const { token: key } = decodeToken(
        (yield* call("POST", "/auth/issue-token", {
          body: { scope: "user_id:ada read:preferences write:preferences", expires_in: "1h" }
        })).body
      )
      const path = "/users/ada/preferences"
      const topic = { status: "OPTED_OUT" }
      const asked = (query: string) =>
        Effect.forEach(
          [
            ["PUT", `/${optedIn}`, { topic }],
            ["GET", `/${optedIn}`, undefined],
            ["GET", "", undefined],
            ["POST", "", { topics: [{ topic_id: optedIn, ...topic }] }],
            ["DELETE", `/${optedIn}`, undefined]
          ] as const,
          ([method, at, body]) =>
            Effect.map(
              call(method, `${path}${at}${query}`, body === undefined ? { key } : { key, body }),
              ({ status, text }) => status < 300 ? "done" : `${status} ${text}`
            )
        )
      for (const id of ["acme", "others"]) yield* call("PUT", `/tenants/${id}`, { body: { name: id } })
      yield* call("PUT", "/users/ada/tenants/acme", { body: {} })
      for (const query of ["", "?tenant_id=", "?tenant_id=acme"]) {
        assert.deepStrictEqual([...new Set(yield* asked(query))], ["done"], query)
      }
      const [refused, ...more] = new Set([...yield* asked("?tenant_id=others"), ...yield* asked("?tenant_id=none")])
      assert.match(refused ?? "", /^403 /)
      assert.deepStrictEqual(more, [])
    }))

  it.effect("keep answers to repeated calls for 25 hours, whatever they ask for", () =>
    Effect.gen(function*() {
      const { call, optedIn, state } = yield* catalogue
      const { token } = decodeToken(
        (yield* call("POST", "/auth/issue-token", {
          body: { scope: "user_id:ada write:preferences", expires_in: "1h" }
        })).body
      )
      const now = yield* Clock.currentTimeMillis
      const hours = Effect.fnUntraced(function*(key: string) {
        const headers = { "idempotency-key": key.slice(0, 8), "x-idempotency-expiration": "1970-12-01T00:00:00Z" }
        yield* call("POST", "/users/ada/preferences", {
          key,
          body: { topics: [{ topic_id: optedIn, status: "OPTED_OUT" }] },
          headers
        })
        const kept = [...state.keys.values()].find(({ key: { value } }) => value === key.slice(0, 8))
        return Math.round(((kept?.key.expiresAt ?? 0) - now) / 3_600_000)
      })
      assert.deepStrictEqual([yield* hours(token), yield* hours("pk_prod_a")], [25, 334 * 24])
    }))

  it.effect("forged, changed, unsigned and expired ones are 401", () =>
    Effect.gen(function*() {
      const { issue, status } = yield* start
      const key = yield* issue("user_id:ada read:user-tokens", 1)
      const claims = { scope: "user_id:ada read:user-tokens", environment: 1, key_state: "published", iss: "tidings" }
      const [head = "", body = "", tag = ""] = key.split(".")
      const forged = yield* Effect.promise(() =>
        new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setExpirationTime("1h").sign(new Uint8Array(32))
      )
      const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url")
      const changed = Buffer.from(JSON.stringify({ ...decodeJwt(key), scope: "user_id:bob read:user-tokens" }))
        .toString("base64url")
      for (
        const bad of [
          forged,
          `${head}.${changed}.${tag}`,
          `${none}.${body}.`,
          `${none}.${body}.${tag}`,
          `${head}.${body}.${tag.slice(1)}`
        ]
      ) assert.strictEqual(yield* status(bad, "GET", "/users/ada/tokens"), 401, bad)
    }))

  it.effect("400 for unknown scopes and times", () =>
    Effect.gen(function*() {
      const { call } = yield* start
      const ask = (body: object) => Effect.map(call("POST", "/auth/issue-token", { body }), ({ status }) => status)
      const scope = "user_id:ada"
      for (const expires_in of ["2 hours", "1d", "10h", "2.5 hrs", "1m", "5s", "1y", "1 week", 60]) {
        assert.strictEqual(yield* ask({ scope, expires_in }), 200, String(expires_in))
      }
      const times = ["$YOUR_NUMBER days", "", "soon", "-1d", "0s", "1 fortnight", "99999y", 0, -1, null, undefined]
      for (const expires_in of times) assert.strictEqual(yield* ask({ scope, expires_in }), 400, String(expires_in))
      for (const scope of ["", " ", "user_id:", "user_id:ada tenant_id:t", "admin", undefined]) {
        assert.strictEqual(yield* ask({ scope, expires_in: "1h" }), 400, String(scope))
      }
    }))
})
