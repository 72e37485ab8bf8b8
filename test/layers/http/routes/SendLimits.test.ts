import { dry } from "#test/layers/http/Rehearsals.ts"
import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const List = Schema.decodeUnknownSync(
  Schema.Struct({ paging: Schema.Struct({ more: Schema.Boolean }), items: Schema.Array(Schema.JsonObject) })
)
const Ended = Schema.decodeUnknownSync(Schema.Struct({ results: Schema.Array(Schema.JsonObject) }))
const Events = Schema.decodeUnknownSync(
  Schema.Struct({ results: Schema.Array(Schema.Struct({ type: Schema.String, target: Schema.String })) })
)

const daily = "/send-limits/user/day"

describe("/send-limits", () => {
  it.effect("a limit is set, read, replaced, listed and deleted", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      assert.strictEqual((yield* call("GET", daily)).status, 404)
      const said = { limit: 3, overrides: { ada: 10 }, excluded_topics: ["pt_otp"] }
      const set = yield* call("PUT", daily, { body: said })
      assert.deepStrictEqual([set.status, set.body], [200, { per: "user", period: "day", ...said, created: 0 }])
      assert.deepStrictEqual((yield* call("GET", daily)).body, set.body)
      const replaced = yield* call("PUT", daily, { body: { limit: 5, overrides: null } })
      assert.deepStrictEqual(replaced.body, { per: "user", period: "day", limit: 5, created: 0, updated: 0 })
      yield* call("PUT", "/send-limits/global/hour", { body: { limit: 0 } })
      const { items, paging } = List((yield* call("GET", "/send-limits")).body)
      assert.isFalse(paging.more)
      assert.deepStrictEqual(items.map(({ per, period }) => `${per}/${period}`), ["global/hour", "user/day"])
      assert.strictEqual((yield* call("GET", daily, { key: "pk_test_a" })).status, 404, "P10")
      assert.deepStrictEqual(
        [(yield* call("DELETE", daily)).status, (yield* call("DELETE", daily)).status],
        [204, 404]
      )
      assert.deepStrictEqual((yield* call("GET", daily)).body, {
        message: "There is no send limit per user and day",
        type: "invalid_request_error"
      })
    }))

  it.effect("what is no limit is 400, in a sentence", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`u${n}`, 1]))
      const refused: ReadonlyArray<readonly [path: string, body: unknown, message: string]> = [
        [
          "/send-limits/list/day",
          { limit: 1 },
          "per: Expected \"global\" | \"user\" | \"topic\" | \"user_topic\" | \"tenant\""
        ],
        ["/send-limits/user/year", { limit: 1 }, "period: Expected \"hour\" | \"day\" | \"week\" | \"month\""],
        [daily, {}, "body: Expected a limit, or overrides"],
        [daily, { limit: null, overrides: {} }, "body: Expected a limit, or overrides"],
        [daily, { overrides: many }, "body: Expected at most 1000 overrides and as many excluded topics"],
        [daily, { limit: 1, overrides: { "a\u0000": 2 } }, "overrides: Expected text without NUL or lone surrogates"],
        ["/send-limits/global/day", { limit: 1, overrides: { ada: 2 } }, "overrides: a global limit has none"]
      ]
      for (const [path, body, message] of refused) {
        const answer = yield* call("PUT", path, { body })
        assert.deepStrictEqual([answer.status, answer.body], [400, { message, type: "invalid_request_error" }])
      }
      for (const limit of [-1, 1.5, "3", 1e15])
        assert.strictEqual((yield* call("PUT", daily, { body: { limit } })).status, 400)
      assert.deepStrictEqual(List((yield* call("GET", "/send-limits")).body).items, [])
    }))

  it.effect("a list tells how many count by now, of all and of who is asked for", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      for (const path of ["global/hour", "tenant/day", "topic/day", "user/day", "user_topic/day"])
        yield* call("PUT", `/send-limits/${path}`, { body: { limit: 3 } })
      const used = (query: string) =>
        Effect.map(call("GET", `/send-limits${query}`), ({ body }) => List(body).items.map(({ used }) => used))
      assert.deepStrictEqual(yield* used(""), [0, undefined, undefined, undefined, undefined])
      assert.deepStrictEqual(yield* used("?user_id=ada&tenant_id="), [0, undefined, undefined, 0, undefined])
      assert.deepStrictEqual(yield* used("?user_id=ada&topic_id=pt_a&tenant_id=acme"), [0, 0, 0, 0, 0])
      const { items } = List((yield* call("GET", "/send-limits")).body)
      assert.strictEqual(items[0]?.["resets"], 3_600_000)
    }))

  it.effect("a dry run says that a message would be one too many", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const rehearse = Effect.map(
        call("POST", "/send", {
          headers: dry,
          body: message({ email: "ada@example.com" }, { routing: { method: "single", channels: ["email"] } })
        }),
        ({ body }) => Ended(body).results[0]
      )
      yield* call("PUT", daily, { body: { limit: 1 } })
      for (let n = 0; n < 2; n++) assert.deepInclude(yield* rehearse, { status: "SENT" })
      yield* call("PUT", daily, { body: { limit: 0 } })
      assert.deepInclude(yield* rehearse, {
        status: "THROTTLED",
        error: "The limit of 0 messages a day for its recipient is reached, until 1970-01-02T00:00:00.000Z",
        outputs: []
      })
    }))

  it.effect("who set and deleted a limit is audited", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      yield* call("PUT", daily, { body: { limit: 1 } })
      yield* call("DELETE", daily)
      const { results } = Events((yield* call("GET", "/audit-events")).body)
      assert.sameMembers(results.map(({ target, type }) => `${type} ${target}`), [
        "send-limit.updated send-limits/user/day",
        "send-limit.deleted send-limits/user/day"
      ])
    }))
})
