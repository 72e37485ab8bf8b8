import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { AudienceNotFound, Audiences } from "#src/people/Audiences.ts"
import { serve, serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const epoch = "1970-01-01T00:00:00.000Z"
const title = { operator: "EQ", path: "title", value: "Engineer" }
const refusal = (message: string) => ({ message, type: "invalid_request_error" })

describe("Audiences", () => {
  it.effect("are put, read, listed and deleted", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const read = (path: string) => Effect.map(call("GET", path), ({ body, status }) => [status, body])
      const put = (body: unknown) =>
        Effect.map(call("PUT", "/audiences/eng@x", { body }), ({ body, status }) => [status, body])
      const bare = { id: "eng@x", name: "eng@x", description: "", created_at: epoch, updated_at: epoch }
      assert.deepStrictEqual(yield* read("/audiences/eng@x"), [404, refusal("Audience eng@x not found")])
      assert.deepStrictEqual(yield* put({}), [200, { audience: bare }])
      assert.deepStrictEqual(yield* put({ name: null, description: null, filter: null, operator: null }), [200, {
        audience: bare
      }])
      const whole = {
        name: "Engineers",
        description: "d",
        filter: {
          operator: "OR",
          filters: [title, { operator: "AND", filters: [{ operator: "EXISTS", path: "a.b" }] }]
        },
        operator: "AND"
      }
      assert.deepStrictEqual(yield* put(whole), [200, { audience: { ...bare, ...whole } }])
      assert.deepStrictEqual(yield* read("/audiences/eng@x"), [200, { ...bare, ...whole }])
      assert.deepStrictEqual(yield* read("/audiences?cursor="), [200, {
        paging: { more: false },
        items: [{ ...bare, ...whole }]
      }])
      assert.deepStrictEqual(yield* put({ filter: title }), [200, {
        audience: { ...bare, filter: { filters: [title] } }
      }])
      assert.deepStrictEqual(yield* read("/audiences/eng@x/members"), [200, { paging: { more: false }, items: [] }])
      for (const _ of [1, 2]) {
        const removed = yield* call("DELETE", "/audiences/eng@x")
        assert.deepStrictEqual([removed.status, removed.text, removed.headers.get("content-type")], [204, "", null])
      }
      assert.strictEqual((yield* read("/audiences/eng@x/members"))[0], 404)
    }))

  it.effect("members carry why and since when, and their cursor goes back", () =>
    Effect.gen(function*() {
      const asked: Array<string | undefined> = []
      const audiences = Layer.mock(Audiences, {
        members: (_, id, { cursor }) => {
          if (id !== "eng") return Effect.fail(new AudienceNotFound({ id }))
          if (cursor === "down") return Effect.fail(new StoreUnavailable({ cause: "planted" }))
          asked.push(cursor)
          const item = { userId: "ada", version: 3, added: 7, reason: "EQ('title', 'Engineer') => true" }
          return Effect.succeed({ items: [item], cursor: cursor === undefined ? "next" : undefined })
        }
      })
      const { call } = yield* serveWith(audiences)
      const first = yield* call("GET", "/audiences/eng/members?cursor=")
      assert.deepStrictEqual([first.status, first.body], [200, {
        paging: { more: true, cursor: "next" },
        items: [{
          member_id: "ada",
          audience_id: "eng",
          audience_version: 3,
          added_at: "1970-01-01T00:00:00.007Z",
          reason: "EQ('title', 'Engineer') => true"
        }]
      }])
      yield* call("GET", "/audiences/eng/members?cursor=next")
      assert.deepStrictEqual(asked, [undefined, "next"])
      assert.strictEqual((yield* call("GET", "/audiences/none/members")).status, 404)
      assert.strictEqual((yield* call("GET", "/audiences/eng/members?cursor=down")).status, 503)
    }))

  it.effect.each([
    { filter: {} },
    { filter: { filters: [title, title] } },
    { filter: { filters: [{ ...title, operator: "LIKE" }] } },
    { filter: { filters: [{ ...title, value: {} }] } },
    { filter: { filters: "x" } },
    { operator: "XOR" },
    { name: "" },
    { name: "a\u0000" },
    { description: "\ud800" }
  ])("%j is 400", (body) =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const answer = yield* call("PUT", "/audiences/eng", { body })
      assert.strictEqual(answer.status, 400)
      assert.include(answer.text, "\"type\":\"invalid_request_error\"")
      assert.strictEqual((yield* call("GET", "/audiences/eng")).status, 404)
    }))

  it.effect("a bad cursor is 400, and P10: a test key sees no production audience", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      yield* call("PUT", "/audiences/eng", { body: {} })
      assert.strictEqual((yield* call("GET", "/audiences?cursor=bad")).status, 400)
      assert.strictEqual((yield* call("GET", "/audiences/eng/members?cursor=bad")).status, 400)
      assert.strictEqual((yield* call("GET", "/audiences/eng", { key: "pk_test_a" })).status, 404)
    }))
})
