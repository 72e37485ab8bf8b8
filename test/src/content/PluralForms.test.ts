import * as PluralForms from "#src/content/PluralForms.ts"
import { type Chooser, chooser, Choices } from "#test/src/content/Choices.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** From the GNU gettext manual, "Additional functions for plural forms". */
const rules: ReadonlyArray<readonly [rule: string, of: (n: number) => number]> = [
  ["nplurals=1; plural=0;", () => 0],
  ["nplurals=2; plural=n != 1;", (n) => Number(n !== 1)],
  ["nplurals=2; plural=n>1;", (n) => Number(n > 1)],
  [
    "nplurals=3; plural=n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2;",
    (n) => n % 10 === 1 && n % 100 !== 11 ? 0 : n !== 0 ? 1 : 2
  ],
  ["nplurals=3; plural=n==1 ? 0 : n==2 ? 1 : 2;", (n) => n === 1 ? 0 : n === 2 ? 1 : 2],
  ["nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;", (n) => n === 1 ? 0 : n >= 2 && n <= 4 ? 1 : 2],
  [
    "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
    (n) => n <= 2 ? n : n % 100 >= 3 && n % 100 <= 10 ? 3 : n % 100 >= 11 ? 4 : 5
  ]
]

/** C's binary operators, each with how tightly it binds. */
const operators: readonly [Operator, ...ReadonlyArray<Operator>] = [
  ["||", 1, (a, b) => Number(a !== 0 || b !== 0)],
  ["&&", 2, (a, b) => Number(a !== 0 && b !== 0)],
  ["==", 3, (a, b) => Number(a === b)],
  ["!=", 3, (a, b) => Number(a !== b)],
  ["<", 4, (a, b) => Number(a < b)],
  ["<=", 4, (a, b) => Number(a <= b)],
  [">", 4, (a, b) => Number(a > b)],
  [">=", 4, (a, b) => Number(a >= b)],
  ["+", 5, (a, b) => a + b],
  ["-", 5, (a, b) => a - b],
  ["*", 6, (a, b) => a * b],
  ["/", 6, (a, b) => b === 0 ? 0 : Math.trunc(a / b)],
  ["%", 6, (a, b) => b === 0 ? 0 : a % b]
]
type Operator = readonly [sign: string, binds: number, of: (a: number, b: number) => number]

interface Expression {
  readonly text: string
  readonly binds: number
  readonly of: (n: number) => number
}

/** An expression as text, in no more parentheses than C needs, and what it is worth. */
const expressionOf = (choice: Chooser, depth: number): Expression => {
  const { below, from } = choice
  const within = (least: number): Expression => {
    const inner = expressionOf(choice, depth - 1)
    return inner.binds >= least ? inner : { ...inner, text: `(${inner.text})` }
  }
  switch (below(depth > 0 ? 8 : 2)) {
    case 0:
      return { text: "n", binds: 8, of: (n) => n }
    case 1: {
      const number = below(6)
      return { text: String(number), binds: 8, of: () => number }
    }
    case 2: {
      const inner = within(7)
      return { text: `!${inner.text}`, binds: 7, of: (n) => Number(inner.of(n) === 0) }
    }
    case 3: {
      const [condition, yes, no] = [within(1), within(0), within(0)]
      return {
        text: `${condition.text} ? ${yes.text} : ${no.text}`,
        binds: 0,
        of: (n) => condition.of(n) === 0 ? no.of(n) : yes.of(n)
      }
    }
    default: {
      const [sign, binds, of] = from(operators)
      const [left, right] = [within(binds), within(binds + 1)]
      const gap = from(["", " "])
      return {
        text: `${left.text}${gap}${sign}${gap}${right.text}`,
        binds,
        of: (n) => of(left.of(n), right.of(n))
      }
    }
  }
}

describe("PluralForms", () => {
  it("reads the rules of the manual", () => {
    for (const [rule, of] of rules) {
      const form = PluralForms.parse(rule)
      for (let n = 0; n < 220; n++) assert.strictEqual(form(n), of(n), `${rule} ${n}`)
    }
  })

  it("what is no rule is one and many", () => {
    for (
      const rule of [undefined, "", "nplurals=2;", "plural=alert(1);", "plural=n ==;", "plural=(n;", "plural=n n;"]
    ) {
      const form = PluralForms.parse(rule)
      assert.deepStrictEqual([form(0), form(1), form(2)], [1, 0, 1], String(rule))
    }
    assert.strictEqual(PluralForms.parse("plural=n%0;")(5), 0)
  })

  it.effect.prop("any expression is worth what it is in C", { choices: Choices }, ({ choices }) =>
    Effect.sync(() => {
      const { of, text } = expressionOf(chooser(choices), 4)
      const form = PluralForms.parse(`nplurals=6; plural=${text};`)
      // A longer one is not accepted.
      for (let n = 0; n < 8 && text.length <= 1_000; n++) assert.strictEqual(form(n), of(n), `${text} ${n}`)
    }), { arbitrary: { runs: 500 } })

  it("chooses by the whole number without its sign", () => {
    const form = PluralForms.parse("nplurals=3; plural=n==1 ? 0 : n==2 ? 1 : 2;")
    assert.deepStrictEqual([-1, 1.9, -2, -2.5, 0.5].map(form), [0, 0, 1, 1, 2])
  })

  it("a rule longer than any language needs is one and many", () => {
    const rule = (length: number) => PluralForms.parse(`plural=0${"+0".repeat((length - 1) / 2)};`)
    assert.deepStrictEqual([999, 1_001].map((length) => rule(length)(5)), [0, 1])
  })
})
