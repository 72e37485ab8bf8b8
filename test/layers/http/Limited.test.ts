import { message, serve, serveWith } from "#test/layers/http/Server.ts"
import { Api } from "#schemas/api/Api.ts"
import { defaults, parse, RateLimits, RateLimitTable, routes } from "#src/access/RateLimits.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"

const list = { name: "News" }
const recipients = { recipients: [{ recipientId: "ada" }] }

describe("Limited requests", () => {
  it.effect("say what is left, and are 429 above the limit, in both environments of the workspace", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const put = (key = "pk_prod_a") => call("PUT", "/lists/news", { key, body: list })
      for (let n = 1; n <= defaults.lists; n++) {
        const answer = yield* put(n % 2 === 0 ? "pk_prod_a" : "pk_test_a")
        assert.strictEqual(answer.status, 204)
        assert.strictEqual(answer.headers.get("x-ratelimit-limit"), "20")
        assert.strictEqual(answer.headers.get("x-ratelimit-remaining"), String(defaults.lists - n))
        assert.isNull(answer.headers.get("retry-after"))
      }
      for (const key of ["pk_prod_a", "pk_test_a"]) {
        const refused = yield* put(key)
        assert.deepStrictEqual([refused.status, refused.body], [429, {
          message: "At most 20 such requests a minute",
          type: "rate_limit_error"
        }])
        assert.strictEqual(refused.headers.get("x-ratelimit-remaining"), "0")
        const seconds = Number(refused.headers.get("retry-after"))
        assert.isTrue(seconds >= 1 && seconds <= 60)
      }
      const others = yield* call("POST", "/lists/news/subscriptions", { body: recipients })
      assert.deepStrictEqual([others.status, others.headers.get("x-ratelimit-remaining")], [204, "19"])
      const read = yield* call("GET", "/lists/news")
      assert.deepStrictEqual([read.status, read.headers.get("x-ratelimit-limit")], [200, null])
    }))

  it.effect("a replay by its key is not counted twice; a 429 is not stored under a key", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const post = (key: string) =>
        call("POST", "/lists/news/subscriptions", { body: recipients, headers: { "idempotency-key": key } })
      for (let n = 0; n < 30; n++) assert.strictEqual((yield* post("one")).status, 204)
      for (let n = 2; n <= defaults["list-subscriptions"]; n++) {
        assert.strictEqual((yield* post(`key-${n}`)).headers.get("x-ratelimit-remaining"), String(20 - n))
      }
      const refused = yield* post("late")
      assert.strictEqual(refused.status, 429)
      assert.strictEqual((yield* post("late")).headers.get("idempotent-replayed"), null)
      assert.strictEqual((yield* post("one")).status, 204)
    }))

  it.effect("a message is sent again so often a minute, whatever else is; an answer that a key has is given all the same", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      yield* call("POST", "/send", { body: message() })
      yield* call("POST", "/send", { body: message() })
      const [one, two] = state.messages.keys()
      const resend = (id: unknown, key?: string) =>
        call("POST", `/messages/${id}/resend`, key === undefined ? {} : { headers: { "idempotency-key": key } })
      const first = yield* resend(one, "first")
      for (let n = 2; n <= defaults.resends; n++) {
        assert.deepStrictEqual((yield* resend(one, "first")).body, first.body)
        const again = yield* resend(one)
        assert.deepStrictEqual([again.status, again.headers.get("x-ratelimit-remaining")], [200, String(10 - n)])
      }
      const refused = yield* resend(one, "late")
      assert.deepStrictEqual([refused.status, refused.body], [429, {
        message: `At most 10 such requests a minute for ${one}`,
        type: "rate_limit_error"
      }])
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.isNull((yield* resend(one, "late")).headers.get("idempotent-replayed"))
      const replayed = yield* resend(one, "first")
      assert.deepStrictEqual([replayed.status, replayed.body], [200, first.body])
      assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true")
      assert.strictEqual((yield* resend(two)).headers.get("x-ratelimit-remaining"), "9")
      assert.strictEqual((yield* resend("x".repeat(600))).status, 404)
      assert.strictEqual(state.messages.size, 2 + defaults.resends + 1)
    }))

  it.effect("what the operator does not limit is not counted", () =>
    Effect.gen(function*() {
      const { call } = yield* serveWith(
        Layer.succeed(RateLimitTable, { ...defaults, lists: 0, "list-subscriptions": 1 })
      )
      for (let n = 0; n <= defaults.lists; n++) {
        const answer = yield* call("PUT", "/lists/news", { body: list })
        assert.deepStrictEqual([answer.status, answer.headers.get("x-ratelimit-limit")], [204, null])
      }
      const subscribe = call("POST", "/lists/news/subscriptions", { body: recipients })
      assert.deepStrictEqual([(yield* subscribe).status, (yield* subscribe).status], [204, 429])
    }))

  it.effect("a request that cannot be counted is 503 and changes nothing", () =>
    Effect.gen(function*() {
      const down = { take: () => Effect.fail(new StoreUnavailable({ cause: "planted" })) }
      const { call, state } = yield* serveWith(Layer.succeed(RateLimits, down))
      assert.strictEqual((yield* call("PUT", "/lists/news", { body: list })).status, 503)
      const headers = { "idempotency-key": "one" }
      const keyed = yield* call("POST", "/lists/news/subscriptions", { body: recipients, headers })
      assert.strictEqual(keyed.status, 503)
      assert.strictEqual(state.keys.size, 0)
      assert.strictEqual((yield* call("GET", "/lists/news")).status, 404)
    }))

  it("the table names routes that there are", () => {
    const found = new Set<string>()
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint: { method, path } }) => found.add(`${method} ${path.replaceAll(/:\w+/g, ":id")}`)
    })
    for (const route of Object.values(routes)) assert.isTrue(found.has(route), route)
  })

  it("the operator's table: what it does not name keeps its default", () => {
    assert.deepStrictEqual(parse(""), defaults)
    assert.deepStrictEqual(defaults, { "list-subscriptions": 20, "lists": 20, "brands": 200, "resends": 10 })
    assert.deepStrictEqual(parse("lists=5, brands=0"), { ...defaults, lists: 5, brands: 0 })
    assert.deepStrictEqual(parse("lists=999999999"), { ...defaults, lists: 999_999_999 })
    const bads = [
      "lists",
      "lists=-1",
      "lists=x",
      "lists=1000000000",
      "lists=1.5",
      "1 lists=5",
      "other=5",
      "constructor=1"
    ]
    for (const bad of bads) assert.isUndefined(parse(bad), bad)
  })
})
