import * as Conditions from "#src/delivery/Conditions.ts"
import { type Chooser, chooser, Choices } from "#test/src/content/Choices.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const data = {
  "n": 3,
  "zero": 0,
  "half": 0.5,
  "text": "hello",
  "digits": "3",
  "empty": "",
  "yes": true,
  "no": false,
  "nothing": null,
  "list": [1, "a", null, true],
  "user": { "name": "Ada", "tags": ["x", "y"], "key with space": 7 }
}
const profile = { "email": "ada@example.com", "locale": "en", "age": 36 }

const holds = (expression: string, over: Schema.JsonObject = data): boolean | string =>
  Result.match(Conditions.evaluate(expression, { data: over, profile }), {
    onSuccess: (held) => held,
    onFailure: (error) => error.detail
  })

const scalars = [
  "data.n",
  "data.zero",
  "data['half']",
  "data.text",
  "data.digits",
  "data.empty",
  "data.yes",
  "data.no",
  "data.nothing",
  "data.missing",
  "data.user.name",
  "data.user['key with space']",
  "data.user.tags[1]",
  "data.list[0]",
  "data.list[9]",
  "data.user?.missing?.deeper",
  "data.text.length",
  "data.list.length",
  "data.text[1]",
  "profile.email",
  "profile[\"age\"]",
  "true",
  "false",
  "null",
  "undefined",
  "0",
  "1",
  "3",
  ".5",
  "3e0",
  "3.",
  "30e-1",
  ".3e+1",
  "''",
  "\"a\"",
  "'hello'",
  "'\\u0061\\x62\\n\\'\"'",
  "\"\"",
  "'3'",
  "' 3 '"
] as const

/** The last six are none in strict mode. */
const escapes = [
  "a",
  "\\u{1f600}",
  "\\u{10ffff}",
  "\\u{0}",
  "\\ud83d",
  "\\u00E9",
  "\\x4a",
  "\\n",
  "\\t",
  "\\r",
  "\\b",
  "\\f",
  "\\v",
  "\\q",
  "\\'",
  "\\\\",
  "\\u{110000}",
  "\\u{}",
  "\\u12",
  "\\x4",
  "\\7",
  "\\8"
] as const

/** Source in the language of conditions that JavaScript reads the same way and cannot fail on. */
const sourceOf = ({ below, from }: Chooser, depth: number): string => {
  const again = (): string => sourceOf({ below, from }, depth - 1)
  if (depth <= 0) return from(scalars)
  switch (below(9)) {
    case 0:
      return from(scalars)
    case 1:
      return `${again()} ${from(["==", "!=", "===", "!==", "<", "<=", ">", ">="])} ${again()}`
    case 2:
      return `${again()} && ${again()}`
    case 3:
      return `${again()}||${again()}`
    case 4:
      return `!${again()}`
    case 5:
      return `- ${again()}`
    case 6:
      return `( ${again()} )`
    case 7:
      return `${again()} ? ${again()} : ${again()}`
    default:
      return `${from(["data.text", "profile.email", "'abc'", "data.user.name"])}.${
        from(["includes", "startsWith", "endsWith"])
      }(${again()})`
  }
}

describe("Conditions", () => {
  it.effect.prop("mean what they mean in JavaScript", { choices: Choices }, ({ choices }) =>
    Effect.sync(() => {
      const expression = sourceOf(chooser(choices), 5)
      // oxlint-disable-next-line typescript/no-implied-eval -- the oracle of this test
      const real: unknown = new Function("data", "profile", `return Boolean(${expression})`)(data, profile)
      assert.strictEqual(holds(expression), real, expression)
    }), { arbitrary: { runs: 3_000, size: 150 } })

  it.effect.prop(
    "never crash, whatever the text",
    { text: Schema.String, choices: Choices },
    ({ choices, text }) =>
      Effect.sync(() => {
        const { below, from } = chooser(choices)
        const words = "data . [ ] ( ) ' \" \\ ! && || = == < ? : - 1 ?. includes".split(" ")
        const noise = choices.map(() => from([text, " ", ...words])).join("")
        assert.include(["boolean", "string"], typeof holds(noise))
        assert.include(["boolean", "string"], typeof holds(text.slice(below(3))))
      })
  )

  it.effect.prop("read escapes in a text as JavaScript does", { choices: Choices }, ({ choices }) =>
    Effect.sync(() => {
      const { from } = chooser(choices)
      const literal = `'${choices.slice(0, 4).map(() => from(escapes)).join("")}'`
      const real = Result.try((): unknown => new Function(`"use strict"; return ${literal}`)())
      const held = Result.isSuccess(real) ? holds(`data.x === ${literal}`, { x: String(real.success) }) : holds(literal)
      assert.strictEqual(Result.isSuccess(real) ? held : typeof held, Result.isSuccess(real) ? true : "string", literal)
    }), { arbitrary: { runs: 1_000 } })

  it("see own keys only, and what is missing as undefined", () => {
    const inherited = [
      "data.constructor",
      "data['__proto__']",
      "data.toString",
      "data.text.constructor",
      "data.list.push",
      "data.list.__proto__",
      "profile.hasOwnProperty",
      "constructor",
      "data.constructor.constructor",
      "data.a.b.c.d",
      "process",
      "globalThis",
      "this",
      "refs.any.visible",
      "$.item"
    ]
    for (const expression of inherited) assert.strictEqual(holds(expression), false, expression)
    const hostile: Schema.JsonObject = Schema.decodeUnknownSync(Schema.JsonObject)({
      "constructor": "c",
      "toString": 1,
      "valueOf": "v"
    })
    assert.strictEqual(holds("data.constructor === 'c' && data.toString === 1", hostile), true)
    for (
      const compared of [
        "data == 1",
        "1 == data",
        "data < 1",
        "1 < data",
        "data == 'v'",
        "'v' == data",
        "-data",
        "data[data]",
        "'v'.includes(data)"
      ]
    )
      assert.strictEqual(holds(compared, hostile), false, compared)
    assert.strictEqual(holds("data.missing.includes('x') === false && !data.n.startsWith('3')"), true)
    assert.strictEqual(holds("data.list.startsWith(1) || data.user.tags.endsWith('y')"), false)
    assert.strictEqual(holds("data.list.includes('a') && data.list.includes(null) && !data.list.includes('1')"), true)
    assert.strictEqual(holds("user.name == 'Ada'"), true)
  })

  it("name the place where a text stops being one", () => {
    const faults: ReadonlyArray<readonly [string, string]> = [
      ["", "character 1: it ends where a value is expected"],
      ["data.x ==", "character 10: it ends where a value is expected"],
      ["data.x = 1", "character 8: unexpected \"=\""],
      ["data.x & 1", "character 8: unexpected \"&\""],
      [
        "data.x.replace('a')",
        "character 8: \"replace\" is not a function of conditions (includes, startsWith, endsWith)"
      ],
      ["eval('1')", "character 5: unexpected \"(\""],
      ["data.x 1", "character 8: unexpected 1"],
      ["'open", "character 1: unexpected \"'\""],
      ["data[1", "character 7: expected \"]\" instead of the end"],
      ["3x", "character 2: a number runs into a name"],
      ["010", "character 2: a number runs into a name"],
      ["`a`", "character 1: unexpected \"`\""],
      ["(".repeat(65) + "1" + ")".repeat(65), "character 66: it is nested more than 64 deep"],
      ["!".repeat(65) + "1", "character 66: it is nested more than 64 deep"],
      [`1${"<1".repeat(65)}`, "character 131: more than 64 comparisons in a chain"],
      [`a${".b".repeat(65)}`, "character 132: a path of more than 64 steps"],
      ["x".repeat(4_097), "character 4097: it is longer than 4096 characters"]
    ]
    for (const [expression, detail] of faults) {
      assert.strictEqual(holds(expression), `Invalid condition at ${detail}`, expression.slice(0, 20))
    }
    for (
      const expression of [
        `1${"<1".repeat(64)}`,
        `a${".b".repeat(64)}`,
        "!".repeat(64) + "1",
        `(1)${"&&(1)".repeat(64)}`
      ]
    ) {
      assert.isBoolean(holds(expression), expression)
    }
  })

  it("look for a long text in a longer one, at a cost of less than the product of their lengths", () => {
    const text = { t: "b".repeat(300_000) }
    assert.strictEqual(holds(`data.t.includes('${"a".repeat(30)}')`, text), false)
    const cost = (length: number) => {
      const scan = { left: 1_000_000_000 }
      Conditions.evaluate("data.t.includes(data.s)", { data: { ...text, s: "a".repeat(length) }, profile: {} }, scan)
      return Math.floor((1_000_000_000 - scan.left) / text.t.length)
    }
    assert.deepStrictEqual([0, 1, 2, 3, 7, 8, 30, 400].map(cost), [0, 1, 2, 2, 2, 3, 5, 52])
  })

  it("pay for the characters of a list's texts that are compared with the one they look for", () => {
    const long = "a".repeat(500_000)
    const found = (...list: ReadonlyArray<Schema.Json>) => {
      const sought = Array.from({ length: 10 }, () => "data.list.includes(data.s)").join(" || ")
      return holds(sought, { list, s: `${long}c` })
    }
    assert.strictEqual(found(`${long}b`), "The condition looks through too much data")
    assert.strictEqual(found(long, 1, null, `${long}cc`), false)
    assert.strictEqual(found(`${long}b`, `${long}c`), true)
  })

  it("stop before they look through more data than a moment allows", () => {
    const long = { "hay": "a".repeat(1_000_000), "needle": `b${"a".repeat(400_000)}` }
    assert.strictEqual(holds("data.hay.includes(data.needle)", long), "The condition looks through too much data")
    for (
      const cheap of ["data.hay.includes('ab')", "data.hay.startsWith(data.needle)", "data.hay.endsWith(data.needle)"]
    )
      assert.strictEqual(holds(cheap, long), false, cheap)
    const compared = (by: string) => Array.from({ length: 5 }, () => `data.hay ${by}`).join(" && ")
    for (const by of ["=== data.hay", "== 1 || true", "> 1 || true"]) {
      assert.strictEqual(holds(compared(by), long), "The condition looks through too much data", by)
    }
    assert.strictEqual(holds(compared("!== 'b'"), long), true)
    const many = { list: Array.from({ length: 500_000 }, () => 0) }
    const sought = (times: number) => Array.from({ length: times }, () => "data.list.includes(1)").join(" || ")
    assert.strictEqual(holds(sought(1), many), false)
    assert.strictEqual(holds(sought(20), many), "The condition looks through too much data")
  })
})
