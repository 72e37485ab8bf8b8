import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const success = { status: "SUCCESS" }

/** What a URL can carry: `.` and `..` are steps of the path to every client. */
const Id = Schema.NonEmptyString.check(
  Schema.isMaxLength(60),
  Schema.makeFilter((id: string) => id.isWellFormed() && !id.includes("\0") && id !== "." && id !== "..")
)

const odd = [
  "a/b",
  "a//b",
  "ada@example.com",
  "a b",
  "Ünï/çødé 🦄",
  "a%2Fb",
  "100%",
  "a;b=c",
  "a?b#c",
  "*",
  "+1 555",
  "İ",
  "__proto__",
  "a:b",
  "(x)",
  "$&"
]

/** What the published client leaves as it is. */
const sdk = (id: string) =>
  encodeURIComponent(id).replaceAll(/%(40|3A|2B|2C|3B|3D|24|26)/g, (code) => decodeURIComponent(code))

const ok = (answer: { readonly status: number; readonly body: unknown }) =>
  assert.deepStrictEqual([answer.status, answer.body], [200, success])

describe("Profiles", () => {
  it.effect("are replaced, merged, patched, read and removed", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const read = Effect.map(call("GET", "/profiles/ada"), ({ body, status }) => [status, body])
      assert.deepStrictEqual(yield* read, [404, { message: "User ada not found", type: "invalid_request_error" }])
      ok(
        yield* call("PUT", "/profiles/ada", {
          body: { profile: { email: "a@x", address: { street: "1", city: "b" } } }
        })
      )
      ok(yield* call("POST", "/profiles/ada", { body: { profile: { name: "Ada", address: { city: "c" } } } }))
      assert.deepStrictEqual(yield* read, [200, {
        profile: { email: "a@x", address: { street: "1", city: "c" }, name: "Ada" }
      }])
      const patch = [{ op: "replace", path: "name", value: "Ada L." }, { op: "remove", path: "/address" }]
      const patched = yield* call("PATCH", "/profiles/ada", { body: { patch } })
      assert.deepStrictEqual([patched.status, patched.text, patched.headers.get("content-type")], [204, "", null])
      assert.deepStrictEqual(yield* read, [200, { profile: { email: "a@x", name: "Ada L." } }])
      ok(yield* call("PUT", "/profiles/ada", { body: { profile: {} } }))
      assert.deepStrictEqual(yield* read, [200, { profile: {} }])
      for (const _ of [1, 2]) {
        const removed = yield* call("DELETE", "/profiles/ada")
        assert.deepStrictEqual([removed.status, removed.text, removed.headers.get("content-type")], [204, "", null])
      }
      assert.strictEqual((yield* read)[0], 404)
    }))

  it.effect("a patch that does not fit is 400, one of nobody 404", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const patch = (path: string) => call("PATCH", "/profiles/ada", { body: { patch: [{ op: "remove", path }] } })
      assert.strictEqual((yield* patch("/email")).status, 404)
      yield* call("PUT", "/profiles/ada", { body: { profile: {} } })
      assert.strictEqual((yield* patch("/email")).status, 400)
    }))

  it.effect("an operation that is none is told of by its own name alone", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const message = (operation: unknown) =>
        Effect.map(
          call("PATCH", "/profiles/ada", { body: { patch: [operation] } }),
          ({ body }) => Reflect.get(Object(body), "message")
        )
      assert.strictEqual(yield* message({ op: "replace", path: "/email" }), "patch[0].value: Required")
      assert.strictEqual(yield* message({ op: "move", path: "/email" }), "patch[0].from: Required")
      assert.strictEqual(
        yield* message({ op: "put", path: "/email", value: 1 }),
        "patch[0]: Expected an operation whose op is add, replace, test, remove, move or copy"
      )
    }))

  it.effect.each([{}, { profile: null }, { profile: [] }, { profile: "x" }])(
    "%j is 400",
    (body) =>
      Effect.gen(function*() {
        const { call, state } = yield* serve
        assert.strictEqual((yield* call("PUT", "/profiles/ada", { body })).status, 400)
        assert.strictEqual((yield* call("POST", "/profiles/ada", { body })).status, 400)
        assert.strictEqual(state.profiles.size, 0)
      })
  )

  it.effect.each(odd)("the id %s is one id, in the client's spelling and in ours", (id) =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      yield* call("PUT", `/profiles/${sdk(id)}`, { body: { profile: { id } } })
      assert.deepStrictEqual([...state.profiles.keys()], [`1 ${id}`])
      assert.deepStrictEqual((yield* call("GET", `/profiles/${encodeURIComponent(id)}`)).body, { profile: { id } })
      assert.deepStrictEqual((yield* call("GET", `/profiles/${sdk(id)}/?x=;`)).body, { profile: { id } })
    }))

  it.effect.prop("any id is decoded once", { id: Id }, ({ id }) =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      yield* call("PUT", `/profiles/${encodeURIComponent(id)}`, { body: { profile: {} } })
      assert.deepStrictEqual([...state.profiles.keys()], [`1 ${id}`])
    }), { arbitrary: { runs: 30 } })

  it.effect("an id of 512 characters is taken, a longer one and one with NUL are 400", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const put = (id: string) =>
        Effect.map(
          call("PUT", `/profiles/${encodeURIComponent(id)}`, { body: { profile: {} } }),
          ({ status }) => status
        )
      assert.deepStrictEqual(
        yield* Effect.all([put("é".repeat(512)), put("é".repeat(513)), put("a".repeat(8_000)), put("a\0b")]),
        [200, 400, 400, 400]
      )
    }))

  it.effect("`__proto__` is a key like any other, and unknown keys of a profile are kept", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const profile = `{"profile":{"__proto__":{"x":1},"constructor":{"prototype":1},"own":{"deep":[null,1.5,"é"]}}}`
      yield* call("PUT", "/profiles/ada", { body: profile })
      assert.strictEqual((yield* call("GET", "/profiles/ada")).text, profile)
      yield* call("POST", "/profiles/ada", { body: `{"profile":{"__proto__":{"y":2}}}` })
      assert.include((yield* call("GET", "/profiles/ada")).text, `"__proto__":{"x":1,"y":2}`)
      assert.strictEqual(Reflect.get({}, "x"), undefined)
    }))
})
