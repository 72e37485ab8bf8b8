import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const groups = [
  { list_id: "eng.all" },
  { list_id: "eng.all", filters: [{ operator: "MEMBER_OF", path: "account_id", value: "acme" }] },
  { list_pattern: "eng.**", data: { a: 1 } },
  { audience_id: "staff", filters: [] },
  { tenant_id: "acme" },
  { tenant_id: "acme", include_children: true },
  { account_id: "acme" },
  [{ list_id: "eng.all" }, { user_id: "ada" }],
  Array.from({ length: 101 }, (_, n) => ({ user_id: `u${n}` }))
]

describe("requests to many", () => {
  it.effect.each(groups.map((to) => ({ to })))(
    "POST /send to many is one row and no message yet: %j",
    ({ to }) =>
      Effect.gen(function*() {
        const { call, state } = yield* serve
        const answer = yield* call("POST", "/send", { body: message(to) })
        assert.strictEqual(answer.status, 202)
        assert.strictEqual(state.messages.size, 0)
        const [expansion] = state.expansions.values()
        assert.deepStrictEqual(answer.body, { requestId: expansion?.id })
        assert.sameDeepMembers(Object.values(expansion?.recipients ?? {}), Array.isArray(to) ? to : [to])
        assert.strictEqual((yield* call("GET", `/messages/${expansion?.id}`)).status, 404)
      })
  )

  it.effect("one recipient, and up to 100 of them, are messages at once", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      for (const count of [1, 2, 100]) {
        state.messages.clear()
        const to = Array.from({ length: count }, (_, n) => ({ user_id: `u${n}`, tenant_id: "acme" }))
        yield* call("POST", "/send", { body: message(count === 1 ? to[0] : to) })
        const lanes = [...state.messages.values()].map((found) => found.message.lane)
        assert.deepStrictEqual([lanes.length, [...new Set(lanes)]], [count, [count === 1 ? "transactional" : "bulk"]])
      }
      assert.strictEqual(state.expansions.size, 0)
    }))

  it.effect("who is named twice is one message, as first named: as among more than 100", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const ada = { user_id: "ada", data: { n: 1 } }
      const to = [ada, { user_id: "ada", email: "second@example.com", data: { n: 2 } }]
      assert.strictEqual((yield* call("POST", "/send", { body: message(to) })).status, 202)
      assert.deepStrictEqual([...state.messages.values()].map(({ message: { recipient } }) => recipient), [ada])
    }))

  it.effect("who is named comes before those in groups: a list's opt-out says nothing of somebody whom the send names", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const [list, ada, audience, bob] = [
        { list_id: "eng.all" },
        { user_id: "ada" },
        { audience_id: "eng" },
        { user_id: "bob" }
      ] as const
      assert.strictEqual((yield* call("POST", "/send", { body: message([list, ada, audience, bob]) })).status, 202)
      const [expansion] = state.expansions.values()
      assert.deepStrictEqual(expansion?.recipients, [ada, bob, list, audience])
    }))

  it.effect("what no store can be asked for, or take later, is 400 at once: of one and of many", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const nul = "a\u0000"
      const named = [
        { preferences: { subscription_topic_id: nul } },
        { brand_id: nul },
        { channels: { inbox: { brand_id: nul } } }
      ]
      const columns = [{ metadata: { event: nul } }, { metadata: { tags: [nul] } }, { tenant_id: nul }]
      const sent = (to: unknown) => (more: object) =>
        Effect.map(call("POST", "/send", { body: message(to, more) }), ({ status }) => status)
      assert.deepStrictEqual(yield* Effect.forEach(named, sent({ user_id: "ada" })), [400, 400, 400])
      const many = [...named, ...columns]
      assert.deepStrictEqual(yield* Effect.forEach(many, sent({ list_id: "eng.all" })), many.map(() => 400))
      assert.deepStrictEqual([state.messages.size, state.expansions.size], [0, 0])
    }))

  it.effect("who could not be found by it, since no index takes the name, is 400 at once", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const sent = (to: unknown, more: object = {}) =>
        Effect.map(call("POST", "/send", { body: message(to, more) }), ({ status }) => status)
      const told = (to: unknown, more: object = {}) =>
        Effect.map(call("POST", "/send", { body: message(to, more) }), ({ text }) => text)
      const long = "é".repeat(1_300)
      const webhook = (url: string) => ({ webhook: { url: `https://example.com/${url}` } })
      const ada = { user_id: "ada" }
      const refused = yield* Effect.all([
        sent(webhook(long)),
        sent([webhook(long), ada]),
        sent([webhook(long), { list_id: "eng.all" }]),
        sent(ada, { tenant_id: long }),
        sent({ list_id: "eng.all" }, { context: { tenant_id: long } })
      ])
      assert.deepStrictEqual(refused, [400, 400, 400, 400, 400])
      assert.include(yield* told(webhook(long)), "message.to: Expected at most 2400 bytes")
      assert.include(yield* told([ada, webhook(long)]), "message.to[1]: Expected at most 2400 bytes")
      assert.include(yield* told(ada, { tenant_id: long }), "message.tenant_id: Expected at most 512 characters")
      assert.deepStrictEqual([state.messages.size, state.expansions.size], [0, 0])
      assert.strictEqual(yield* sent(webhook("x".repeat(2_000))), 202)
      assert.strictEqual(yield* sent({ user_id: "é".repeat(512) }), 202)
    }))

  it.effect.each(
    [
      [{ list_pattern: "**" }, "message.to.list_pattern: The pattern "],
      [[{ user_id: "ada" }, { list_pattern: "a.*b" }], "message.to[1].list_pattern: "],
      [{ list_id: "a", filters: [{ operator: "EQ", path: "x", value: "y" }] }, "message.to.filters: "],
      [[{ list_id: "a" }, {}], "message.to[1]: "],
      [[{ list_id: "a" }, { email: "\ud800@b.example" }], "message.to[1].email: "],
      [{ email: null, webhook: { url: "https://b.example/\ud800" } }, "message.to.webhook: "]
    ].map(([to, path]) => ({ to, path }))
  )("what no page could be made of is 400 at once: %j", ({ path, to }) =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const { body, status } = yield* call("POST", "/send", { body: message(to) })
      assert.strictEqual(status, 400)
      assert.match(JSON.stringify(body), /"type":"invalid_request_error"/)
      assert.include(JSON.stringify(body), String(path))
      assert.strictEqual(state.expansions.size, 0)
    }))

  it.effect("P5: a replay answers the first request's id and stores no second one", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      const options = { body: message({ list_id: "a" }), headers: { "idempotency-key": "once" } }
      const first = yield* call("POST", "/send", options)
      const second = yield* call("POST", "/send", options)
      assert.deepStrictEqual([second.status, second.body], [202, first.body])
      assert.strictEqual(state.expansions.size, 1)
    }))

  it.effect("GET /requests lists those that stand so; POST /requests/:id/resume answers how it stands then", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      yield* call("POST", "/send", { body: message({ list_id: "a" }) })
      const [id] = state.expansions.keys()
      const failed = { requestId: id, state: "FAILED", messages: 7, enqueued: 5, completed: 9, error: "Quarantined" }
      assert.deepStrictEqual((yield* call("GET", "/requests?state=FAILED&cursor=")).body, {
        paging: { more: false },
        results: [{ ...failed, archived: false }]
      })
      const answers = yield* Effect.forEach(
        ["/requests?state=LOST", "/requests?cursor=bad"],
        (path) => call("GET", path)
      )
      assert.deepStrictEqual(answers.map(({ status }) => status), [400, 400])
      const resumed = yield* call("POST", `/requests/${id}/resume`)
      assert.deepStrictEqual(
        [resumed.status, resumed.body],
        [200, { requestId: id, state: "RUNNING", messages: 7, enqueued: 5, archived: false }]
      )
      assert.strictEqual((yield* call("POST", `/requests/${id}/resume`, { key: "pk_test_a" })).status, 404)
    }))

  it.effect("GET /requests/:id tells how far it is; another environment's is not found (P10)", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      yield* call("POST", "/send", { body: message({ list_id: "a" }) })
      const [id] = state.expansions.keys()
      const answer = yield* call("GET", `/requests/${id}`)
      assert.deepStrictEqual(
        [answer.status, answer.body],
        [200, { requestId: id, state: "RUNNING", messages: 7, enqueued: 5, archived: false }]
      )
      const elsewhere = yield* call("GET", `/requests/${id}`, { key: "pk_test_a" })
      assert.deepStrictEqual(
        [elsewhere.status, elsewhere.body],
        [404, { message: `Request ${id} not found`, type: "invalid_request_error" }]
      )
      assert.strictEqual((yield* call("GET", "/requests/x")).status, 404)
    }))
})
