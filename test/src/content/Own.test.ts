import { keysOf, member, textOf } from "#src/content/Own.ts"
import type { Value } from "#schemas/Json.ts"
import { body, json } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const inherited = ["constructor", "__proto__", "toString", "at", "push", "-1", "01", "1.0", " 1", "1e0", "3"]

describe("What data has of its own", () => {
  it("of a text: its length and its characters", () => {
    assert.deepStrictEqual(["length", "0", "2"].map((key) => member("abc", key)), [3, "a", "c"])
    for (const key of inherited) assert.isUndefined(member("abc", key), key)
  })

  it("of a list: its length and its items", () => {
    assert.deepStrictEqual(["length", "0", "2"].map((key) => member(["a", "b", null], key)), [3, "a", null])
    for (const key of inherited) assert.isUndefined(member(["a", "b", null], key), key)
  })

  it("of an object: what it says, whatever the key", () => {
    for (const key of [...inherited, "length", ""]) {
      assert.strictEqual(member(json(`{${JSON.stringify(key)}:"own"}`), key), "own", key)
      assert.isUndefined(member({ other: 1 }, key), key)
    }
  })

  it("of anything else: nothing", () => {
    for (const nothing of [null, undefined, true, 0, 12.5])
      for (const key of ["length", "0", "toFixed", "x"]) assert.isUndefined(member(nothing, key), `${nothing} ${key}`)
    assert.strictEqual(body("[{{data.n.x}}{{data.missing.x}}{{data.t.x.y}}]", { data: { n: null, t: true } }), "[]")
  })
})

describe("A path", () => {
  it("has keys between dots or in brackets, with quotes of either kind or none", () => {
    const examples: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["a.b.c", ["a", "b", "c"]],
      ["a[0][1].b", ["a", "0", "1", "b"]],
      ["a['b c'][\"d-e\"]", ["a", "b c", "d-e"]],
      ["a.[b c].$", ["a", "b c", "$"]],
      ["..a..", ["a"]],
      ["", []]
    ]
    for (const [path, keys] of examples) assert.deepStrictEqual(keysOf(path), keys, path)
  })
})

describe("Data as text", () => {
  const nested = (depth: number): Schema.Json => depth === 0 ? "x" : [nested(depth - 1)]

  it("is what it says: lists by their items, objects by what they are, nothing by nothing", () => {
    const examples: ReadonlyArray<readonly [Value, string]> = [
      ["a,b", "a,b"],
      [0, "0"],
      [false, "false"],
      [null, ""],
      [undefined, ""],
      [["a", 1, null, ["b", []]], "a,1,,b,"],
      [json("{\"toString\":\"x\"}"), "[object Object]"]
    ]
    for (const [value, text] of examples) assert.strictEqual(textOf(value), text, JSON.stringify(value))
  })

  it("is that of lists in lists, up to 65 of them", () => {
    assert.deepStrictEqual([65, 66].map((depth) => textOf(nested(depth))), ["x", ""])
  })

  it.prop("is paid for by the items of all its lists, before they are looked at", {
    lists: Schema.Array(Schema.Array(Schema.String)),
    least: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))
  }, ({ least, lists }) => {
    let left = least
    const look = (characters: number): boolean => (left -= characters) >= 0
    const total = 8 * (lists.length + lists.reduce((sum, { length }) => sum + length, 0))
    const said = textOf(lists, look)
    if (total <= least) {
      assert.strictEqual(said, lists.map((list) => list.join(",")).join(","))
      assert.strictEqual(left, least - total)
    } else {
      assert.isBelow(left, 0)
      if (lists.length * 8 > least) assert.strictEqual(said, "")
    }
  })
})
