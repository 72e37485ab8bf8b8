import { Profile } from "#schemas/Profile.ts"
import { PatchOperation } from "#schemas/PatchOperation.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import * as Turns from "#test/support/Turns.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, JsonPatch, Schema } from "effect"

const json = (text: string) => Schema.decodeUnknownEffect(Schema.fromJsonString(Profile))(text)

const patched = (stored: Profile, operations: ReadonlyArray<unknown>) =>
  Effect.flatMap(
    Schema.decodeUnknownEffect(Schema.Array(PatchOperation))(operations),
    (decoded) => ProfileChange.patch(stored, decoded)
  )

const cases: ReadonlyArray<readonly [string, Profile, ReadonlyArray<unknown>, Profile]> = [
  ["A.1 adds a member", { foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { foo: "bar", baz: "qux" }],
  ["A.2 adds an element", { foo: ["bar", "baz"] }, [{ op: "add", path: "/foo/1", value: "qux" }], {
    foo: ["bar", "qux", "baz"]
  }],
  ["A.3 removes a member", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
  ["A.4 removes an element", { foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], {
    foo: ["bar", "baz"]
  }],
  ["A.5 replaces a value", { baz: "qux" }, [{ op: "replace", path: "/baz", value: "boo" }], { baz: "boo" }],
  [
    "A.6 moves a value",
    { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
    [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
    { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } }
  ],
  ["A.7 moves an element", { foo: ["all", "grass", "cows", "eat"] }, [{ op: "move", from: "/foo/1", path: "/foo/3" }], {
    foo: ["all", "cows", "eat", "grass"]
  }],
  [
    "A.8 tests values",
    { baz: "qux", foo: ["a", 2, "c"] },
    [{ op: "test", path: "/baz", value: "qux" }, { op: "test", path: "/foo/1", value: 2 }],
    { baz: "qux", foo: ["a", 2, "c"] }
  ],
  ["A.14 escapes", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
  ["A.16 appends", { foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["abc"] }], { foo: ["bar", ["abc"]] }],
  ["copies", { a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
  ["moves a value onto itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
  ["moves the whole profile onto itself", { a: 1 }, [{ op: "move", from: "", path: "" }], { a: 1 }],
  ["tests objects whatever the order of keys", { a: { b: 1, c: [{}] } }, [{
    op: "test",
    path: "/a",
    value: { c: [{}], b: 1 }
  }], { a: { b: 1, c: [{}] } }],
  ["tolerates a missing leading slash", { email: "a" }, [{ op: "replace", path: "email", value: "b" }], { email: "b" }],
  [
    "keeps a key named __proto__ a key",
    {},
    [{ op: "add", path: "/__proto__", value: { admin: true } }],
    Object.fromEntries([[
      "__proto__",
      { admin: true }
    ]])
  ]
]

const refusals: ReadonlyArray<readonly [string, Profile, ReadonlyArray<unknown>]> = [
  ["A.9 a test that fails", { baz: "qux" }, [{ op: "test", path: "/baz", value: "bar" }]],
  ["A.12 a target whose parent is absent", { foo: "bar" }, [{ op: "add", path: "/baz/bat", value: "qux" }]],
  ["A.15 a string for a number", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: "10" }]],
  ["a test of nothing", {}, [{ op: "test", path: "/a", value: null }]],
  ["a removal of nothing", {}, [{ op: "remove", path: "/a" }]],
  ["a replacement of nothing", {}, [{ op: "replace", path: "/a", value: 1 }]],
  ["a move of nothing", {}, [{ op: "move", from: "/a", path: "/b" }]],
  ["a move into itself", { a: [{}, {}] }, [{ op: "move", from: "/a/0", path: "/a/0/b" }]],
  ["an index out of bounds", { a: [1] }, [{ op: "add", path: "/a/3", value: 1 }]],
  ["an index with a leading zero", { a: [1, 2] }, [{ op: "test", path: "/a/01", value: 2 }]],
  ["an inherited member", {}, [{ op: "copy", from: "/toString", path: "/b" }]],
  ["a profile that is no object", {}, [{ op: "replace", path: "", value: [] }]],
  [
    "copies that double without end",
    { a: "x".repeat(1_000) },
    Array.from({ length: 40 }, (_, n) => ({ op: "copy", from: "", path: `/b${n}` }))
  ]
]

describe("ProfileChange.patch (RFC 6902)", () => {
  for (const [name, stored, operations, expected] of cases) {
    it.effect(
      name,
      () =>
        Effect.map(
          patched(stored, operations),
          (actual) => assert.strictEqual(JSON.stringify(actual), JSON.stringify(expected))
        )
    )
  }
  for (const [name, stored, operations] of refusals) {
    it.effect(`refuses ${name}`, () =>
      Effect.map(Effect.flip(patched(stored, operations)), (error) => {
        assert.strictEqual(error._tag, "PatchRefused")
      }))
  }

  it.effect.prop(
    "the difference of two profiles, applied to the one, is the other",
    { a: Profile, b: Profile },
    ({ a, b }) => Effect.map(ProfileChange.patch(a, JsonPatch.get(a, b)), (actual) => assert.deepStrictEqual(actual, b))
  )

  it.effect("has a thousand operations at most", () =>
    Effect.gen(function*() {
      const operations = (length: number) => Array.from({ length }, (_, value) => ({ op: "add", path: "/a", value }))
      assert.deepStrictEqual(yield* patched({}, operations(1_000)), { a: 999 })
      assert.strictEqual((yield* Effect.flip(patched({}, operations(1_001))))._tag, "PatchRefused")
    }))

  it.effect("makes a profile 64 levels deep at most, as a request body may be", () =>
    Effect.gen(function*() {
      const nested = (levels: number): Profile => ({ a: levels === 1 ? null : nested(levels - 1) })
      const deepened = (levels: number) => patched({}, [{ op: "add", path: "/a", value: nested(levels - 1) }])
      assert.deepStrictEqual(yield* deepened(64), nested(64))
      assert.strictEqual((yield* Effect.flip(deepened(65)))._tag, "PatchRefused")
    }))

  it.effect("gives others their turn between its operations", () =>
    Effect.gen(function*() {
      const operations = Array.from({ length: 50 }, (_, n) => ({ op: "replace", path: "/a", value: n }))
      const [, turns] = yield* Turns.during(patched({ a: 0 }, operations))
      assert.isAtLeast(turns, 20)
    }))

  it.effect("changes nothing in the stored value", () =>
    Effect.gen(function*() {
      const stored = yield* json(`{"a":{"b":[1]}}`)
      yield* patched(stored, [{ op: "add", path: "/a/b/0", value: 0 }, { op: "remove", path: "/a" }])
      assert.strictEqual(JSON.stringify(stored), `{"a":{"b":[1]}}`)
    }))
})

describe("ProfileChange.merge", () => {
  it.effect("objects deeply, arrays and scalars replaced", () =>
    Effect.gen(function*() {
      const merged = ProfileChange.merge(
        yield* json(`{"a":{"b":1,"c":[1,2]},"d":{"e":1}}`),
        yield* json(
          `{"a":{"c":[3],"f":null},"d":"x"}`
        )
      )
      assert.strictEqual(JSON.stringify(merged), `{"a":{"b":1,"c":[3],"f":null},"d":"x"}`)
    }))

  it.effect("keeps a key named __proto__ a key", () =>
    Effect.gen(function*() {
      const merged = ProfileChange.merge(yield* json(`{"__proto__":{"a":1}}`), yield* json(`{"__proto__":{"b":2}}`))
      assert.strictEqual(JSON.stringify(merged), `{"__proto__":{"a":1,"b":2}}`)
      assert.notProperty({}, "b")
    }))

  it.effect("a null says nothing where profiles are laid over each other, whatever its key", () =>
    Effect.gen(function*() {
      const over = yield* json(`{"a":null,"b":{"c":null,"d":2},"constructor":null}`)
      const merged = ProfileChange.overlay(yield* json(`{"a":1,"b":{"c":1}}`), over)
      assert.strictEqual(JSON.stringify(merged), `{"a":1,"b":{"c":1,"d":2},"constructor":null}`)
    }))

  it.prop("twice is once", { a: Profile, b: Profile }, ({ a, b }) => {
    const once = ProfileChange.merge(a, b)
    assert.deepStrictEqual(ProfileChange.merge(once, b), once)
  })
})
