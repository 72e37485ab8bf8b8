import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const epoch = "1970-01-01T00:00:00.000Z"
const preferences = {
  notifications: {
    nt_1: { status: "OPTED_OUT", rules: [{ until: "2026-01-01T00:00:00Z" }], channel_preferences: null }
  },
  categories: null
}
const kept = {
  notifications: { nt_1: { status: "OPTED_OUT", rules: [{ type: "snooze", until: "2026-01-01T00:00:00Z" }] } }
}

const refusal = (message: string) => ({ message, type: "invalid_request_error" })
const recipients = (...ids: ReadonlyArray<string>) => ({ recipients: ids.map((recipientId) => ({ recipientId })) })

const Page = Schema.Struct({
  paging: Schema.Struct({ more: Schema.Boolean, cursor: Schema.optionalKey(Schema.String) }),
  items: Schema.Array(Schema.Struct({ recipientId: Schema.String }))
})

const start = Effect.gen(function*() {
  const { call } = yield* serve
  const empty = Effect.fnUntraced(function*(method: string, path: string, body?: unknown) {
    const answer = yield* call(method, path, body === undefined ? {} : { body })
    assert.deepStrictEqual([answer.status, answer.text, answer.headers.get("content-type")], [204, "", null])
  })
  const read = (path: string) => Effect.map(call("GET", path), ({ body, status }) => [status, body])
  const status = (method: string, path: string, body?: unknown) =>
    Effect.map(call(method, path, body === undefined ? {} : { body }), (answer) => answer.status)
  return { call, empty, read, status }
})

describe("Lists", () => {
  it.effect("are put, read, listed, deleted and restored", () =>
    Effect.gen(function*() {
      const { empty, read, status } = yield* start
      assert.deepStrictEqual(yield* read("/lists/news.weekly"), [404, refusal("List news.weekly not found")])
      yield* empty("PUT", "/lists/news.weekly", { name: "News", preferences })
      const list = { id: "news.weekly", name: "News", created: epoch, updated: epoch }
      assert.deepStrictEqual(yield* read("/lists/news.weekly"), [200, { ...list, preferences: kept }])
      yield* empty("PUT", "/lists/news.weekly", { name: "News", preferences: null })
      assert.deepStrictEqual(yield* read("/lists?cursor="), [200, { paging: { more: false }, items: [list] }])
      assert.deepStrictEqual(yield* read("/lists?pattern=news.*&cursor="), [200, {
        paging: { more: false },
        items: [list]
      }])
      assert.deepStrictEqual(yield* read("/lists?pattern=other.**"), [200, { paging: { more: false }, items: [] }])
      yield* empty("DELETE", "/lists/news.weekly")
      assert.deepStrictEqual(yield* read("/lists"), [200, { paging: { more: false }, items: [] }])
      assert.strictEqual(yield* status("DELETE", "/lists/news.weekly"), 404)
      yield* empty("PUT", "/lists/news.weekly/restore", {})
      assert.strictEqual(yield* status("GET", "/lists/news.weekly"), 200)
      assert.strictEqual(yield* status("PUT", "/lists/never/restore", {}), 404)
    }))

  it.effect("subscriptions are added, listed, replaced, put and removed", () =>
    Effect.gen(function*() {
      const { empty, read, status } = yield* start
      assert.strictEqual(yield* status("GET", "/lists/news/subscriptions"), 404)
      yield* empty("POST", "/lists/news/subscriptions", {
        recipients: [{ recipientId: "b@x", preferences }, { recipientId: "a/b", preferences: null }]
      })
      assert.deepStrictEqual(yield* read("/lists/news/subscriptions?cursor="), [200, {
        paging: { more: false },
        items: [{ recipientId: "a/b", created: epoch }, { recipientId: "b@x", created: epoch, preferences: kept }]
      }])
      yield* empty("PUT", "/lists/news/subscriptions", recipients("b@x", "c"))
      yield* empty("PUT", "/lists/news/subscriptions/a%2Fb", { preferences })
      yield* empty("PUT", "/lists/news/subscriptions/c")
      yield* empty("DELETE", "/lists/news/subscriptions/b@x")
      assert.deepStrictEqual(yield* read("/lists/news/subscriptions"), [200, {
        paging: { more: false },
        items: [{ recipientId: "a/b", created: epoch, preferences: kept }, { recipientId: "c", created: epoch }]
      }])
      assert.strictEqual(yield* status("DELETE", "/lists/news/subscriptions/b@x"), 404)
      assert.strictEqual(yield* status("DELETE", "/lists/never/subscriptions/c"), 404)
    }))

  it.effect("pages of subscriptions follow their cursor, and a bad one is 400", () =>
    Effect.gen(function*() {
      const { call, empty, status } = yield* start
      const ids = Array.from({ length: 101 }, (_, n) => `u${String(n).padStart(3, "0")}`)
      yield* empty("POST", "/lists/crowd/subscriptions", recipients(...ids))
      const page = Schema.decodeUnknownSync(Page)
      const first = page((yield* call("GET", "/lists/crowd/subscriptions")).body)
      const second = page((yield* call("GET", `/lists/crowd/subscriptions?cursor=${first.paging.cursor}`)).body)
      assert.deepStrictEqual([first.paging.more, second.paging], [true, { more: false }])
      assert.deepStrictEqual([...first.items, ...second.items].map((item) => item.recipientId), ids)
      for (const path of ["/lists", "/lists/crowd/subscriptions", "/profiles/ada/lists"]) {
        assert.strictEqual(yield* status("GET", `${path}?cursor=bad`), 400)
      }
      assert.strictEqual(yield* status("GET", `/lists?cursor=${first.paging.cursor}`), 400)
    }))

  it.effect("a user joins lists, sees them and leaves them", () =>
    Effect.gen(function*() {
      const { call, read } = yield* start
      const joined = yield* call("POST", "/profiles/ada/lists", {
        body: { lists: [{ listId: "b", preferences }, { listId: "a.one" }] }
      })
      assert.deepStrictEqual([joined.status, joined.body], [200, { status: "SUCCESS" }])
      assert.deepStrictEqual(yield* read("/profiles/ada/lists?cursor="), [200, {
        paging: { more: false },
        results: [
          { id: "a.one", name: "a.one", created: epoch, updated: epoch },
          { id: "b", name: "b", created: epoch, updated: epoch, preferences: kept }
        ]
      }])
      const left = yield* call("DELETE", "/profiles/ada/lists")
      assert.deepStrictEqual([left.status, left.body], [200, { status: "SUCCESS" }])
      assert.deepStrictEqual(yield* read("/profiles/ada/lists"), [200, { paging: { more: false }, results: [] }])
    }))

  it.effect.each(["a..b", ".a", "a.", "a.b.c.d.e", "a*", "a b", "a#b", "a\0"])(
    "%j is no list id: 400",
    (id) =>
      Effect.gen(function*() {
        const { status } = yield* start
        const path = `/lists/${encodeURIComponent(id)}`
        assert.deepStrictEqual([
          yield* status("PUT", path, { name: "n" }),
          yield* status("POST", `${path}/subscriptions`, recipients("ada")),
          yield* status("PUT", `${path}/subscriptions`, recipients("ada")),
          yield* status("PUT", `${path}/subscriptions/ada`, {}),
          yield* status("POST", "/profiles/ada/lists", { lists: [{ listId: id }] })
        ], [400, 400, 400, 400, 400])
      })
  )

  it.effect.each<readonly [string, string, unknown]>([
    ["PUT", "/lists/a", {}],
    ["PUT", "/lists/a", { name: "" }],
    ["PUT", "/lists/a", { name: "n\u0000" }],
    ["PUT", "/lists/a", { name: "n", preferences: { notifications: { x: { status: "MAYBE" } } } }],
    ["POST", "/lists/a/subscriptions", {}],
    ["POST", "/lists/a/subscriptions", { recipients: [{}] }],
    ["POST", "/lists/a/subscriptions", { recipients: [{ recipientId: "" }] }],
    ["PUT", "/lists/a/subscriptions", { recipients: [{ recipientId: "\ud800" }] }],
    ["PUT", "/lists/a/subscriptions", { recipients: "ada" }],
    ["POST", "/profiles/ada/lists", {}],
    ["POST", "/profiles/ada/lists", { lists: [{}] }],
    ["GET", "/lists?pattern=**", undefined],
    ["GET", "/lists?pattern=a..b", undefined]
  ])("%s %s %j is 400", ([method, path, body]) =>
    Effect.gen(function*() {
      const { call } = yield* start
      const answer = yield* call(method, path, body === undefined ? {} : { body })
      assert.strictEqual(answer.status, 400)
      assert.include(answer.text, "\"type\":\"invalid_request_error\"")
    }))

  it.effect("P10: a test key sees no production list", () =>
    Effect.gen(function*() {
      const { call, empty } = yield* start
      yield* empty("PUT", "/lists/a", { name: "n" })
      assert.strictEqual((yield* call("GET", "/lists/a", { key: "pk_test_a" })).status, 404)
    }))
})
