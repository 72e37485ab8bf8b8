import { failure, outcome } from "#test/src/content/jsonnet/Evaluation.ts"
import { Choices, chooser } from "#test/src/content/Choices.ts"
import { assertQuick } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const again = (text: string, times: number): string => text.repeat(times)

/** Functions of `f(n + 1)`: each is one more way to go on without end. */
const wells = [
  "n + f(n + 1)",
  "[f(n + 1)]",
  "\"a\" + [f(n + 1)]",
  "{ a: f(n + 1) }",
  "true && f(n + 1)",
  "f(n + 1)[0:1]",
  "\"%s\" % [f(n + 1)]",
  "\"%(a)s\" % { a: f(n + 1) }",
  "{ assert f(n + 1).a == 1, a: 1 }",
  "{ [f(n + 1)]: 1 }",
  "[x for x in f(n + 1)]",
  "[x for x in [1] if f(n + 1) == x]",
  "{ [k]: 1 for k in [f(n + 1)] }",
  "std.foldl(function(a, x) f(n + 1), [1], 0)",
  "std.sort([n, 1], keyF=function(x) f(n + 1))",
  "std.map(function(x) f(n + 1)[0], [1])[0]",
  "std.filter(function(x) f(n + 1), [1])",
  "std.mapWithKey(function(k, v) f(n + 1), { a: 1 }).a",
  "std.prune([f(n + 1)])",
  "std.mergePatch({ a: f(n + 1) }, { a: f(n + 1) }).a",
  "std.get({ a: f(n + 1) }, \"a\")",
  "std.join(\"\", [f(n + 1)])",
  "std.uniq([f(n + 1), 1])",
  "data(\"x\", f(n + 1))",
  "f(n + 1)"
]

const bombs: ReadonlyArray<string> = [
  ...wells.map((well) => `local f(n) = ${well}; f(0)`),
  ...[
    "[",
    "(",
    "{a:",
    "!",
    "-",
    "f(",
    "if true then ",
    "function(x) ",
    "local x=1;",
    "|||",
    "/*",
    "\"",
    "'",
    "\\",
    "$",
    "&&"
  ].map((text) => again(text, Math.floor(32_768 / text.length))),
  `{}${again("{}", 16_000)}`,
  `local a = { b: a }; a${again(".b", 16_000)}`,
  `local f = function() f; f${again("()", 16_000)}`,
  `${again("local a=1,b=2;", 120)}[${Array.from({ length: 4_000 }, (_, n) => `a${n}`).join()}]`,
  `${again("if false then 1 else ", 1_000)}2`,
  "local f(n, a) = if n == 0 then a else f(n - 1, a + 1); f(3000, 0)",
  "local a = [a]; a == [a]",
  "local a = [a], b = [b]; a < b",
  "local a = { x: a }; \"\" + a",
  "local a = [a]; std.flattenDeepArray(a)",
  "local a = [a]; std.prune(a)",
  "{ a: $ }",
  "std.range(1, 1e15)",
  "std.makeArray(1e9, function(n) n)",
  "std.repeat(\"abc\", 1e12)",
  "std.repeat([1], 1e9)",
  "std.repeat([[]], 900000)",
  "std.foldl(function(a, b) a + a, std.range(1, 200), \"ab\")",
  "std.foldl(function(a, b) a + a, std.range(1, 200), [1])",
  "std.foldl(function(a, b) a + a, std.range(1, 200), { a: 1 })",
  "std.foldl(function(a, b) a + { x: super.x + 1 }, std.range(1, 5000), { x: 1 }).x",
  "std.foldl(function(a, b) a + { x+: 1 }, std.range(1, 5000), { x: 1 }).x",
  "std.foldl(function(a, b) a * a, std.range(1, 2000), 2)",
  "std.pow(10, 1000)",
  "1 << 63",
  "\"%999999999d\" % 1",
  "\"%.99999f\" % 1",
  "\"%*d\" % [1e15, 1]",
  "std.split(std.repeat(\"a\", 400000), \"b\" + std.repeat(\"a\", 40000))",
  "std.member(std.repeat(\"a\", 400000), \"b\" + std.repeat(\"a\", 40000))",
  "std.findSubstr(\"b\" + std.repeat(\"a\", 40000), std.repeat(\"a\", 400000))",
  "std.findSubstr(\"a\", std.repeat(\"a\", 900000))",
  "std.findSubstr(std.repeat(\"a\", 900), std.repeat(\"a\", 60000))",
  "std.strReplace(std.repeat(\"a\", 100000), \"a\", std.repeat(\"b\", 1000))",
  "std.sort(std.range(1, 20000), function(n) -n)",
  "std.manifestJsonEx(std.range(1, 1000), std.repeat(\" \", 100000))",
  "local deep = std.foldl(function(a, b) [a], std.range(1, 300), 0); std.manifestJsonEx(deep, std.repeat(\" \", 10000))",
  "[x for a in std.range(1, 100) for b in std.range(1, 100) for x in std.range(1, 100)]",
  "local s = std.repeat(\"é😀\", 4000); std.foldl(function(a, n) a + std.length(s[n]), std.range(0, 7000), 0)",
  "local s = std.repeat(\"é😀\", 20000); std.foldl(function(n, _) n + std.length(s[1:][0:1]), std.range(1, 5000), 0)",
  "std.parseJson(std.repeat(\"[\", 100000))",
  `local f(${Array.from({ length: 3_000 }, (_, n) => `a${n}=1`).join()}) = f(); f()`,
  "local f(n) = [data(), std.objectValues(std)] + f(n + 1); f(0)",
  "std.parseInt(std.repeat(\"9\", 100000))"
]

const words = [
  ..."{ } [ ] ( ) , ; : :: ::: +: . + - * / % ! ~ == != < > <= >= && || & | ^ << >> = $ ||| @".split(" "),
  ..."self super local function if then else for in error assert true false null import tailstrict".split(" "),
  ..."std std.map std.length std.range std.repeat std.foldl f g x y 0 1 2 9 1e9 \"a\" 'b' \"%s\" \"%d\" data \"\n\" # //"
    .split(" ")
]

describe("Jsonnet within its bounds", () => {
  it("bombs end as a sentence, soon", () => {
    for (const bomb of bombs) {
      const name = bomb.slice(0, 100)
      const found = outcome(bomb)
      assert.isTrue("failure" in found && /^The (?:jsonnet|content) /.test(found.failure), name)
      assertQuick(() => outcome(bomb), name)
    }
  })

  it("a program that is too long is not read", () => {
    assert.deepStrictEqual(outcome(`[${again(" ", 32_768)}]`), {
      failure: "The jsonnet is longer than 32768 characters"
    })
  })

  it("what nobody may reach is not there", () => {
    for (const name of ["constructor", "__proto__", "hasOwnProperty", "toString", "prototype", "length"]) {
      for (const holder of ["{}", "std", "data()", "[]", "\"a\"", "std.map", "1"]) {
        for (const program of [`${holder}.${name}`, `${holder}["${name}"]`]) {
          if (holder === "std" && (name === "toString" || name === "length")) continue
          assert.isTrue("failure" in outcome(program), program)
        }
      }
      assert.deepStrictEqual(outcome(`{ ${name}: 1 }.${name}`), { value: 1 })
      assert.deepStrictEqual(outcome(`"${name}" in {}`), { value: false })
      assert.deepStrictEqual(outcome(`data("${name}")`), { value: null })
    }
    const { value } = { value: undefined, ...outcome("{ __proto__: { polluted: 1 } }") }
    assert.isTrue(Object.hasOwn(Object(value), "__proto__") && !("polluted" in Object(value)))
  })

  it("a function calls itself at its end as often as the steps allow, and inside of itself more than a hundred times", () => {
    const counted = "local f(n, a) = if n == 0 then a else f(n - 1, a + 1) tailstrict; f(3000, 0)"
    assert.deepStrictEqual(outcome(counted), { value: 3_000 })
    const summed = "local f(n) = if n == 0 then 0 else n + f(n - 1); f(150)"
    assert.deepStrictEqual(outcome(summed), { value: 11_325 })
  })

  it("operators one after the other are no nesting, however many there are, and say what they do in brackets", () => {
    const sum = (term: string, operator: string) => outcome(Array.from({ length: 2_000 }, () => term).join(operator))
    assert.deepStrictEqual(sum("\"a\"", " + "), { value: "a".repeat(2_000) })
    assert.deepStrictEqual(sum("1", " + "), { value: 2_000 })
    assert.match(failure(`[1]${again(" + [1]", 2_000)}`), /looks through|more than \d+ deep/)
    assertQuick(() => assert.deepStrictEqual(outcome(`1${again("+1", 16_000)}`), { value: 16_001 }), "sum")
    assert.deepStrictEqual(sum("true", " && "), { value: true })
    assert.deepStrictEqual(outcome(`false && ${Array.from({ length: 2_000 }, () => "(error \"x\")").join(" && ")}`), {
      value: false
    })
    assert.deepStrictEqual(outcome(`0${" + 1 - 2".repeat(1_000)} < 0 || 1 == 1`), { value: true })
    assert.match(failure(`1${" + 1".repeat(500)} + {}${" + 1".repeat(500)}`), /^The jsonnet fails at 1:2\d{3}: /)
    assert.deepStrictEqual(
      outcome("true && false || true && 1 == 1"),
      outcome("((true && false) || (true && (1 == 1)))")
    )
    assert.match(failure(`${"(".repeat(361)}1${")".repeat(361)}`), /deep/)
  })

  it.effect.prop(
    "any soup of words ends, as JSON or as a sentence",
    { choices: Choices },
    ({ choices }) =>
      Effect.sync(() => {
        const { below, from } = chooser(choices)
        const soup = Array.from({ length: below(60) }, () => words[below(words.length)] ?? "").join(from(["", " "]))
        const found = outcome(soup)
        if ("failure" in found) assert.match(found.failure, /^The (?:jsonnet|content) /)
        else assert.isString(JSON.stringify(found.value))
      })
  )
})
