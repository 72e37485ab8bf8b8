import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Legacy preferences", () => {
  it.effect("are replaced whole, patched, and read with the profile", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const user = "ada%2Flovelace%20@x"
      const entry = {
        status: "OPTED_IN",
        channel_preferences: [{ channel: "push" }],
        rules: [{ start: "2026-01-01T00:00:00+01:00", until: "2026-02-01T00:00:00Z" }]
      }
      const put = yield* call("PUT", `/preferences/${user}`, {
        body: { notifications: { n: entry }, categories: { c: {} } }
      })
      assert.deepStrictEqual([put.status, put.body], [200, { status: "SUCCESS" }])
      const stored = { ...entry, rules: [{ type: "snooze", ...entry.rules[0] }] }
      assert.deepStrictEqual((yield* call("GET", `/preferences/${user}`)).body, {
        notifications: { n: stored },
        categories: { c: {} }
      })
      assert.strictEqual((yield* call("GET", `/profiles/${user}`)).status, 404)
      yield* call("PUT", `/profiles/${user}`, { body: { profile: { a: 1 } } })
      assert.deepStrictEqual((yield* call("GET", `/profiles/${user}`)).body, {
        profile: { a: 1 },
        preferences: { notifications: { n: stored }, categories: { c: {} } }
      })
      const patched = yield* call("PATCH", `/preferences/${user}`, {
        body: { patch: [{ op: "remove", path: "/notifications/n" }] }
      })
      assert.deepStrictEqual([patched.status, patched.body], [200, { status: "SUCCESS" }])
      const refused = yield* call("PATCH", `/preferences/${user}`, {
        body: { patch: [{ op: "replace", path: "/categories/c", value: { status: "YES" } }] }
      })
      assert.deepStrictEqual([refused.status, refused.body], [400, {
        message: "categories.c.status: Expected \"OPTED_IN\" | \"OPTED_OUT\" | \"REQUIRED\"",
        type: "invalid_request_error"
      }])
      yield* call("PUT", `/preferences/${user}`, { body: { notifications: { m: { status: "OPTED_OUT" } } } })
      assert.deepStrictEqual((yield* call("GET", `/preferences/${user}`)).body, {
        notifications: { m: { status: "OPTED_OUT" } },
        categories: {}
      })
    }))

  it.effect("an unknown recipient has none, and no profile shows any", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      assert.deepStrictEqual((yield* call("GET", "/preferences/nobody")).body, { notifications: {}, categories: {} })
      yield* call("PUT", "/profiles/ada", { body: { profile: {} } })
      assert.deepStrictEqual((yield* call("GET", "/profiles/ada")).body, { profile: {} })
    }))

  it.effect("have a bound, however they are written: a patch adds no more than a replacement may have", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const entries = (from: number) =>
        Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`n${from + n}`, { status: "OPTED_OUT" }]))
      const put = (notifications: object) => call("PUT", "/preferences/ada", { body: { notifications } })
      assert.strictEqual((yield* put(entries(0))).status, 200)
      const refused = yield* Effect.all([
        put({ ...entries(0), ...entries(1_500), ...entries(3_000) }),
        call("PATCH", "/preferences/ada", {
          body: { patch: [{ op: "add", path: "/categories", value: { ...entries(0), ...entries(1_500) } }] }
        })
      ])
      for (const { body, status } of refused) {
        const message = "body: Expected at most 100000 characters of JSON"
        assert.deepStrictEqual([status, body], [400, { message, type: "invalid_request_error" }])
      }
    }))

  it.effect("refused fields are named", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const refused = yield* call("PUT", "/preferences/ada", {
        body: { notifications: { n: { status: "MAYBE", channel_preferences: [{ channel: "fax" }] } } }
      })
      assert.strictEqual(refused.status, 400)
      for (const field of ["notifications.n.status: ", "notifications.n.channel_preferences[0].channel: "]) {
        assert.include(refused.text, field)
      }
    }))
})
