import * as JsonKeys from "#layers/JsonKeys.ts"
import { failure, made, outcome } from "#test/src/content/jsonnet/Evaluation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"

// As every server does: keys with escapes come back as they were.
JsonKeys.install()

const Vectors = Schema.fromJsonString(Schema.Struct({
  values: Schema.Array(Schema.Struct({ program: Schema.String, value: Schema.Json })),
  refused: Schema.Array(Schema.String)
}))

/** Programs of ours with what the reference implementation makes of them; the file says which. */
const { refused, values } = Schema.decodeSync(Vectors)(
  readFileSync(new URL("Vectors.json", import.meta.url), "utf8")
)

const Letters = Schema.Array(Schema.Literals(["a", "b", "é", "😀", " ", ",", "\"", "\n"]))
const Numbers = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -50, maximum: 50 })))
/** A bound of a slice, or none. */
const Bound = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: -6, maximum: 6 })))
const Step = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })))
const Fields = Schema.Record(Schema.Literals(["a", "b", "__proto__", "constructor"]), Schema.Int)

const said = (value: unknown): string => JSON.stringify(value)

/** A value as JSON has it: without negative zeros. */
const plain = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

describe("Jsonnet", () => {
  it("makes what the reference implementation makes", () => {
    assert.isAbove(values.length, 150)
    for (const { program, value } of values) assert.deepStrictEqual(outcome(program), { value }, program)
  })

  it("refuses what the reference implementation refuses", () => {
    assert.isAbove(refused.length, 70)
    for (const program of refused)
      assert.match(failure(program), /^The jsonnet (?:is malformed|fails) at \d+:\d+: /, program)
  })

  it.effect.prop(
    "a JSON text is a program that makes itself",
    { value: Schema.Json },
    ({ value }) =>
      Effect.sync(() => {
        const found = outcome(said(value))
        if ("failure" in found)
          assert.match(found.failure, /half of a character|more than \d+ deep|too large|no number/)
        else if (!said(value).includes("\\u0000"))
          assert.deepEqual(found.value, plain(said(value)))
      })
  )

  it("says where a program is wrong, and which name is missing", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["local a = 1;\n  a + nme", "is malformed at 2:7: there is nothing of the name \"nme\""],
      ["[1, nme,\nnme]", "is malformed at 1:5: there is nothing of the name \"nme\""],
      ["{ a: 1\n  b: 2 }", "is malformed at 2:3: expected \"}\" instead of \"b\""],
      ["[1, 2", "is malformed at 1:6: expected \"]\" instead of the end"],
      ["{ a: $.b }.a", "fails at 1:7: there is no field \"b\""],
      ["self.a", "is malformed at 1:1: self is only inside of an object"],
      ["import \"a.libsonnet\"", "is malformed at 1:1: a program here is one text and imports nothing"],
      ["std.md5(\"a\")", "fails at 1:4: std.md5 is not there"],
      ["error \"no \" + 1", "fails at 1:1: no 1"],
      ["{ assert self.n > 0 : \"n is \" + self.n, n: 0 }", "fails at 1:10: n is 0"],
      ["{ a: 1 }[0:1]", "fails at 1:9: an object has no slices"],
      ["[1]['a':]", "fails at 1:4: a bound of a slice is a whole number, and not a string"],
      ["[1][0.5:]", "fails at 1:4: a bound of a slice is a whole number, and not a number"],
      ["[1][::0]", "fails at 1:4: the step of a slice is a whole number above zero"],
      ["[1][::1.5]", "fails at 1:4: the step of a slice is a whole number above zero"],
      ["[1][::'a']", "fails at 1:4: the step of a slice is a whole number above zero"],
      ["std.join(1, [])", "fails at 1:9: std.join: needs an array, and not a number"]
    ]
    for (const [program, detail] of cases) assert.strictEqual(failure(program), `The jsonnet ${detail}`)
  })

  it("formats a number with as many digits as a format may ask for, however small it is", () => {
    for (const format of ["%.100e", "%.100f", "%.100g", "%#.100g"]) {
      for (const value of [0.0001, 0.00123, 0.5, 0, 1, 1_234.5, 1e22])
        assert.strictEqual(Number(made(`"${format}" % ${value}`)), value, `${format} of ${value}`)
    }
  })

  it("parses no JSON that is nested too deep, whatever its texts say", () => {
    const [open, close] = ["[".repeat(200), "]".repeat(200)]
    assert.strictEqual(made(`std.parseJson('"${open}"')`), open)
    assert.match(failure(`std.parseJson('["${close}", ${open}${close}]')`), /too long or too deep$/)
  })

  it.effect.prop(
    "objects are added as layers: the right one overrides, null objects change nothing, and self is the whole",
    { a: Fields, b: Fields, c: Fields },
    ({ a, b, c }) =>
      Effect.sync(() => {
        const [x, y, z] = [said(a), said(b), said(c)]
        assert.deepEqual(made(`${x} + ${y}`), plain(said({ ...a, ...b })))
        assert.deepEqual(made(`(${x} + ${y}) + ${z}`), made(`${x} + (${y} + ${z})`))
        assert.deepEqual(made(`{} + ${x} + {}`), made(x))
        assert.deepEqual(made(`({ late: self.v } + ${x} + { v: 7 }).late`), 7)
        assert.deepEqual(made(`(${x} + { v: 1 } + { v: super.v + 1 } + { v+: 10 }).v`), 12)
      })
  )

  it("computes what is asked for, once, and nothing else", () => {
    assert.deepStrictEqual(made("local bad = error \"x\"; [if true then 1 else bad, std.length([bad, bad])]"), [1, 2])
    assert.strictEqual(made("{ a: error \"x\", b: 1 }.b"), 1)
    assert.strictEqual(made("(function(x, y) x)(1, error \"y\")"), 1)
    // Each line doubles the work of the one before, if a value were computed at every use.
    const lines = Array.from({ length: 40 }, (_, n) => `local v${n + 1} = v${n} + v${n};`).join("\n")
    assert.strictEqual(made(`local v0 = 1;\n${lines}\nv40`), 2 ** 40)
  })

  it.effect.prop(
    "std does with arrays what JavaScript does",
    { xs: Numbers, ys: Numbers },
    ({ xs, ys }) =>
      Effect.sync(() => {
        const [x, y] = [said(xs), said(ys)]
        const set = (of: ReadonlyArray<number>) => [...new Set(of)].toSorted((one, other) => one - other)
        assert.deepEqual(made(`std.map(function(n) n * 2, ${x})`), xs.map((n) => n * 2))
        assert.deepEqual(made(`std.filter(function(n) n > 0, ${x})`), xs.filter((n) => n > 0))
        assert.deepEqual(made(`[n for n in ${x} if n > 0]`), xs.filter((n) => n > 0))
        assert.deepEqual(made(`std.foldl(function(a, n) a - n, ${x}, 0)`), xs.reduce((a, n) => a - n, 0))
        assert.deepEqual(made(`std.foldr(function(n, a) n - a, ${x}, 0)`), xs.reduceRight((a, n) => n - a, 0))
        assert.deepEqual(made(`std.sort(${x})`), xs.toSorted((one, other) => one - other))
        assert.deepEqual(made(`std.reverse(${x}) + ${y}`), [...xs.toReversed(), ...ys])
        assert.deepEqual(made(`std.set(${x})`), set(xs))
        assert.deepEqual(made(`std.setUnion(std.set(${x}), std.set(${y}))`), set([...xs, ...ys]))
        assert.deepEqual(made(`std.setInter(std.set(${x}), std.set(${y}))`), set(xs.filter((n) => ys.includes(n))))
        assert.deepEqual(made(`std.setDiff(std.set(${x}), std.set(${y}))`), set(xs.filter((n) => !ys.includes(n))))
        assert.deepEqual(made(`std.member(${x}, 3)`), xs.includes(3))
        assert.deepEqual(made(`std.join(", ", std.map(std.toString, ${x}))`), xs.join(", "))
        assert.deepEqual(made(`${x} == ${y}`), said(xs) === said(ys))
        assert.deepEqual(made(`std.flatMap(function(n) [n, n], ${x})`), xs.flatMap((n) => [n, n]))
        assert.deepEqual(made(`std.parseJson(std.manifestJson(${x}))`), xs)
      })
  )

  it.effect.prop(
    "std does with texts what JavaScript does, by characters",
    { one: Letters, two: Letters },
    ({ one, two }) =>
      Effect.sync(() => {
        const [a, b] = [one.join(""), two.join("")]
        const [x, y] = [said(a), said(b)]
        assert.deepEqual(made(`std.length(${x})`), one.length)
        assert.deepEqual(made(`std.substr(${x}, 1, 2)`), one.slice(1, 3).join(""))
        assert.deepEqual(made(`${x}[1:]`), one.slice(1).join(""))
        assert.deepEqual(made(`std.split(${x}, ",")`), a.split(","))
        assert.deepEqual(made(`std.startsWith(${x}, ${y})`), a.startsWith(b))
        assert.deepEqual(made(`std.asciiUpper(${x})`), a.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()))
        assert.deepEqual(made(`std.strReplace(${x}, "a", ${y})`), a.replaceAll("a", () => b))
        assert.deepEqual(made(`std.stringChars(${x})`), [...one])
        assert.deepEqual(made(`std.parseJson(std.escapeStringJson(${x}))`), a)
        assert.deepEqual(made(`"%s|%5s" % [${x}, ${y}]`), `${a}|${" ".repeat(Math.max(0, 5 - two.length))}${b}`)
        assert.deepEqual(made(`std.decodeUTF8(std.encodeUTF8(${x}))`), a)
      })
  )

  it.effect.prop(
    "a slice takes what JavaScript's takes, and every nth of it",
    { list: Letters, from: Bound, to: Bound, by: Step },
    ({ by, from, list, to }) =>
      Effect.sync(() => {
        const bounds = `[${from ?? ""}:${to ?? ""}:${by ?? ""}]`
        const taken = list.slice(from ?? 0, to ?? list.length).filter((_, n) => n % (by ?? 1) === 0)
        assert.deepEqual(made(`${said(list)}${bounds}`), taken)
        assert.deepEqual(made(`${said(list.join(""))}${bounds}`), taken.join(""))
      }),
    { arbitrary: { runs: 500 } }
  )

  it.effect.prop(
    "texts are ordered by characters, not by their halves",
    { one: Letters, two: Letters, low: Schema.Literals(["\ue000", "\uffff", "z"]) },
    ({ low, one, two }) =>
      Effect.sync(() => {
        const codes = (of: ReadonlyArray<string>) => of.map((text) => text.codePointAt(0) ?? 0)
        const [a, b] = [[...one, low], [...one, ...two]]
        const at = codes(a).findIndex((code, n) => code !== codes(b)[n])
        const isLess = at < 0 ? a.length < b.length : (codes(a)[at] ?? 0) < (codes(b)[at] ?? -1)
        assert.strictEqual(made(`${said(a.join(""))} < ${said(b.join(""))}`), isLess)
        assert.strictEqual(made(`${said(b.join(""))} > ${said(a.join(""))}`), isLess)
        assert.strictEqual(made(`${said(a.join(""))} >= ${said(b.join(""))}`), !isLess)
      })
  )

  it("numbers in texts are as short as they can be", () => {
    assert.strictEqual(made("\"Total: \" + 19.99"), "Total: 19.99")
    assert.strictEqual(made("\"\" + 1e21"), "1000000000000000000000")
    assert.strictEqual(made("\"%.2f\" % 1234.5"), "1234.50")
  })

  it("knows the data, the profile and the message by the documented names", () => {
    const given = {
      data: { order: { total: 5, items: [{ n: 1 }] }, nothing: null, __proto__: 1 },
      profile: { name: "Ann" },
      system: () => ({ messageId: "m", recipient: "r", event: "e", template: "t", brand: { id: "b", name: "Acme" } }),
      loop: { item: { n: 2 }, index: 4 }
    }
    const cases: ReadonlyArray<readonly [string, Schema.Json]> = [
      ["data(\"order.total\")", 5],
      ["data(\"order.items[0].n\")", 1],
      ["data(\"order\").items[0].n", 1],
      ["data(\"missing\")", null],
      ["data(\"missing\", \"else\")", "else"],
      ["data(\"nothing\", \"else\")", "else"],
      ["data(\"order.constructor\")", null],
      ["profile(\"name\")", "Ann"],
      ["request(\"profile.name\")", "Ann"],
      ["[brand, message, recipient, event, template]", ["b", "m", "r", "e", "t"]],
      ["[std.extVar(\"item\").n, std.extVar(\"index\"), std.extVar(\"data\").order.total]", [2, 4, 5]],
      ["chunk(\"abcde\", 2)", ["ab", "cd", "e"]],
      ["local data = 1; data", 1]
    ]
    for (const [program, value] of cases) assert.deepStrictEqual(made(program, given), value, program)
    assert.isNull(made("std.extVar(\"item\")", { loop: { item: null, index: 0 } }))
    assert.match(failure("data(\"missing\")", { throwing: true }), /"missing" was not found$/)
    assert.strictEqual(made("data(\"missing\", 1)", { throwing: true }), 1)
  })
})
