import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { message, serve, serveWith } from "#test/layers/http/Server.ts"
import { exchange } from "#test/layers/http/body/Wire.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const wire = Schema.Struct({
  message: Schema.NonEmptyString.check(Schema.isMaxLength(1_100)),
  type: Schema.Literals(["invalid_request_error", "authentication_error", "rate_limit_error", "api_error"])
})
const isWire = Schema.decodeUnknownSync(wire, { onExcessProperty: "error" })

const unknown = [
  ["GET", "/"],
  ["GET", "/nothing"],
  ["POST", "/nothing"],
  ["GET", "/send"],
  ["DELETE", "/send"],
  ["OPTIONS", "/send"],
  ["PUT", "/messages"],
  ["GET", "/Send"],
  ["POST", "/SEND"],
  ["GET", "/profiles"],
  ["GET", "/profiles/a/b/c"],
  ["POST", "/messages/x"],
  ["PROPFIND", "/messages"]
] as const

const notServed = [
  ["POST", "/automations/invoke", "automations"],
  ["GET", "/automations", "automations"],
  ["POST", "/journeys/a/invoke", "journeys"],
  ["POST", "/broadcasts", "broadcasts"],
  ["POST", "/digests/schedules/sch%2Fa/trigger", "digests"],
  ["POST", "/inbound/courier", "inbound events"],
  ["PUT", "/events/a", "event mappings; a template's alias is one"],
  ["POST", "/client/q", "browser clients' API"],
  ["POST", "/send/list", "sends to a list by this path; POST /send takes a list_id"]
] as const

const refusals: ReadonlyArray<readonly [string, unknown, string]> = [
  ["nothing", {}, "message: Required"],
  ["no object", 5, "body: Expected object"],
  ["no recipient", { message: { content: {} } }, "message.to: Required"],
  ["null for a recipient", message(null), "message.to: Expected array | object"],
  ["one wrong field", message({ user_id: 5 }), "message.to.user_id: Expected string"],
  [
    "several wrong fields",
    message([{ user_id: "a" }, { user_id: 5, email: [] }], { data: 5 }),
    "message.to[1].user_id: Expected string; message.to[1].email: Expected string; message.data: Expected object"
  ],
  [
    "neither template nor content",
    { message: { to: { user_id: "a" } } },
    "message: exactly one of template and content is required"
  ],
  ["both", message(undefined, { template: "t" }), "message: exactly one of template and content is required"],
  [
    "a NUL in an id",
    message({ user_id: "a\u0000" }),
    "message.to.user_id: Expected text without NUL or lone surrogates"
  ],
  [
    "half a character in an address",
    message([{ user_id: "a" }, { email: "a@example.com", slack: {} }, { phone_number: "+1\ud800" }]),
    "message.to[2].phone_number: Expected text without NUL or lone surrogates"
  ],
  [
    "a NUL in a tag",
    message({ list_id: "a" }, { metadata: { tags: ["a", "\u0000"] } }),
    "message.metadata.tags[1]: Expected text without NUL or lone surrogates"
  ],
  ["an empty id", message({ user_id: "" }), "message.to.user_id: Must not be empty"],
  ["a long id", message({ user_id: "a".repeat(513) }), "message.to.user_id: Expected a length of at most 512"],
  [
    "no time at all",
    message(undefined, { timeout: { message: "Infinity" } }),
    "message.timeout.message: Expected number"
  ],
  [
    "a routing of more entries than a message can be looked through for at each attempt",
    message(undefined, {
      routing: {
        method: "single",
        channels: Array.from({ length: 50 }, () => ({ method: "all", channels: ["sms", "email"] }))
      }
    }),
    "message.routing: Expected at most 100 entries, those of nested routings among them"
  ]
]

/** What would be one key of an index with a user's id of 512 ideographs. */
const long = encodeURIComponent("\u4e00".repeat(334))
const groups = [
  [`/lists/${long}`, { name: "Long" }, "list_id"],
  [`/lists/${long}/subscriptions/ada`, {}, "list_id"],
  [`/audiences/${long}`, {}, "audience_id"],
  [`/tenants/${long}`, { name: "Long" }, "tenant_id"],
  [`/users/ada/preferences?tenant_id=${long}`, { topics: [] }, "tenant_id"],
  [`/users/ada/tokens/${long}`, { provider_key: "expo" }, "token"]
] as const

describe("Errors", () => {
  it.effect.each(groups.map(([path, body, field]) => ({ body, field, path })))(
    "an id too long to be stored beside a user's is 400 where it is made: $field",
    ({ body, field, path }) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        const made = yield* call("PUT", path, { body })
        assert.deepStrictEqual([made.status, made.body], [
          400,
          { message: `${field}: Expected at most 1000 bytes in UTF-8`, type: "invalid_request_error" }
        ])
      })
  )

  it.effect.each(unknown)("%s %s is 404 Not Found", ([method, path]) =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const answer = yield* call(method, path)
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(answer.text, `{"message":"Not Found","type":"invalid_request_error"}`)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
    }))

  it.effect("a browser at the root is sent to the reference; whoever takes JSON is told 404", () =>
    Effect.gen(function*() {
      const { origin } = yield* serve
      const open = (accept: string, path = "/", method = "GET") =>
        Effect.promise(() => fetch(`${origin}${path}`, { method, headers: { accept }, redirect: "manual" }))
      for (const method of ["GET", "HEAD"]) {
        const found = yield* open("text/html,application/xhtml+xml,*/*;q=0.8", "/", method)
        assert.deepStrictEqual([found.status, found.headers.get("vary")], [302, "accept"])
        assert.strictEqual(new URL(found.headers.get("location") ?? "", `${origin}/`).pathname, "/docs")
      }
      assert.strictEqual((yield* open("text/html", "/", "POST")).status, 404)
      assert.strictEqual((yield* open("application/json")).status, 404)
      assert.strictEqual((yield* open("text/html", "/nothing")).status, 404)
    }))

  it.effect.each([
    ["without a Host", "GET /health HTTP/1.1", 400],
    ["with two", "GET /health HTTP/1.1\r\nHost: a\r\nhost: b", 400],
    ["with one", "GET /health HTTP/1.1\r\nhost: a", 404],
    ["of HTTP/1.0 without one", "GET /health HTTP/1.0", 404],
    ["that names the server in its target", "GET http://a/health HTTP/1.1\r\nHost: a", 404]
  ])("RFC 9112: a request %s", ([, head, status]) =>
    Effect.gen(function*() {
      const port = Number(new URL((yield* serve).origin).port)
      const answer = yield* exchange(port, [`${head}\r\nConnection: close\r\n\r\n`])
      assert.strictEqual(answer.status, status)
      assert.isTrue(isWire(JSON.parse(answer.body)).message.includes(status === 400 ? "Host" : "Not Found"))
    }))

  it.effect.each(["h2c", "websocket"])(
    "an offer to go on in %s is declined, and the request is served",
    (protocol) =>
      Effect.gen(function*() {
        const { origin } = yield* serve
        const body = JSON.stringify(message())
        const answer = yield* exchange(Number(new URL(origin).port), [
          "POST /send HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer pk_prod_a\r\nContent-Type: application/json\r\n",
          `Connection: Upgrade, close\r\nUpgrade: ${protocol}\r\nContent-Length: ${body.length}\r\n\r\n`,
          body
        ])
        assert.strictEqual(answer.status, 202)
      })
  )

  it.effect.each(notServed)(
    "%s %s is 404 and says what this server has not",
    ([method, path, lacking]) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        const answer = yield* call(method, path)
        assert.deepStrictEqual([answer.status, isWire(answer.body)], [
          404,
          { message: `This server has no ${lacking}`, type: "invalid_request_error" }
        ])
      })
  )

  it.effect.each(["/profiles/%", "/profiles/%zz", "/profiles/%c3%28", "/messages/a%2/history"])(
    "%s is 400",
    (path) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        const answer = yield* call("GET", path)
        assert.strictEqual(answer.status, 400)
        assert.deepStrictEqual(isWire(answer.body).message, "The path is not valid percent-encoding")
      })
  )

  it.effect("an empty list is named where something of it is missed", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const { body } = yield* call("POST", "/bulk/any", { body: { users: [] } })
      assert.deepStrictEqual(body, { message: "users: Expected at least 1 entry", type: "invalid_request_error" })
    }))

  it.effect.each(["limit", "recipient", "archived"])(
    "a query that repeats %s, which has one value, says so",
    (name) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        const { body } = yield* call("GET", `/messages?${name}=1&${name}=2`)
        assert.deepStrictEqual(body, { message: `${name}: Expected one value`, type: "invalid_request_error" })
      })
  )

  it.effect.each(refusals)("a send of %s is 400 and says why", ([, body, sentence]) =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const answer = yield* call("POST", "/send", { body })
      assert.deepStrictEqual([answer.status, isWire(answer.body).message], [400, sentence])
      assert.strictEqual(state.messages.size, 0)
    }))

  it.effect("rules that all hold are told together, and of words that would do any one", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const long = yield* call("PUT", `/users/a/tokens/${"a".repeat(1_100)}`, { body: { provider_key: "apn" } })
      assert.deepStrictEqual(
        isWire(long.body).message,
        "token: Expected a length of at most 512 and at most 1000 bytes in UTF-8"
      )
      const filter = { operator: "NOPE", path: "a", value: "b" }
      const unknown = yield* call("PUT", "/audiences/a", { body: { name: "a", filter } })
      assert.match(isWire(unknown.body).message, /^filter\.operator: Expected "AND" \| "OR" or "EQ" \| "NEQ"/)
    }))

  it.effect("a thousand wrong fields make one bounded sentence", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const answer = yield* call("POST", "/send", {
        body: message(Array.from({ length: 1_000 }, () => ({ user_id: 5 })))
      })
      assert.strictEqual(answer.status, 400)
      assert.isAtMost(isWire(answer.body).message.length, 1_001)
    }))

  it.effect("malformed JSON names the place", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const answer = yield* call("POST", "/send", { body: "{\"message\": {\n  \"to\" 5}}" })
      assert.strictEqual(answer.status, 400)
      assert.include(isWire(answer.body).message, "line 2, column 8")
    }))

  it.effect.prop(
    "any JSON is answered 202 or a 400 of the one shape",
    { body: Schema.Json },
    ({ body }) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        const answer = yield* call("POST", "/send", { body: JSON.stringify({ message: body }) })
        assert.strictEqual(answer.status, 400)
        isWire(answer.body)
      }),
    { arbitrary: { runs: 20 } }
  )

  it.effect("P1: without the database it is 503 with Retry-After from 1 to 10 s", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      state.down = true
      const answers = yield* Effect.all(Array.from({ length: 20 }, () => call("POST", "/send", { body: message() })))
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [503])
      assert.isTrue(answers.every(({ body }) => isWire(body).type === "api_error"))
      const seconds = answers.map(({ headers }) => Number(headers.get("retry-after")))
      assert.isTrue(seconds.every((each) => each >= 1 && each <= 10))
      assert.isAbove(new Set(seconds).size, 1)
    }))

  it.effect("without the database a write is told that nothing is known to be stored, and a read is not", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serveWith(
        Layer.mock(Audiences, { get: () => Effect.fail(new StoreUnavailable({ cause: "planted" })) })
      )
      state.down = true
      const sentence = "The service is not available right now"
      const read = yield* call("GET", "/audiences/a")
      assert.deepStrictEqual([read.status, isWire(read.body).message], [503, sentence])
      const write = yield* call("POST", "/send", { body: message() })
      assert.strictEqual(isWire(write.body).message, `${sentence}; nothing is known to be stored`)
    }))

  it.effect("P9: a defect is 500 and tells nothing", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      state.crash = true
      const answer = yield* call("POST", "/send", { body: message() })
      assert.deepStrictEqual([answer.status, answer.body], [500, {
        message: "An internal error occurred",
        type: "api_error"
      }])
    }))
})
