import * as Handlebars from "#test/src/content/template/Handlebars.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"
import type { Lookup } from "#src/content/Catalogue.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const data = { name: "Ada", none: null, no: false, zero: 0, user: { name: "Eve", tags: ["x", "y"] } }

const say = (source: string): string => Handlebars.ours(source, { data, set: new Map() })

const strict = (source: string): string => Handlebars.ours(source, { data, set: new Map(), throwing: true })

describe("Data in templates", () => {
  it("var is an empty text where there is nothing, and path is nothing; null is something to both", () => {
    assert.strictEqual(say("[{{var \"nope\"}}] {{concat (var \"name\")}}"), "[] Ada")
    assert.strictEqual(
      say("{{condition (var \"nope\") \"==\" \"\"}} {{condition (path \"nope\") \"==\" \"\"}}"),
      "true false"
    )
    assert.strictEqual(say("{{default (var \"nope\") 1}} {{default (path \"nope\") 1}}"), " 1")
    assert.strictEqual(strict("[{{var \"none\"}}{{path \"none\"}}{{path \"nope\"}}]"), "[]")
    assert.strictEqual(strict("{{var \"user.nope\"}}"), "The variable \"user.nope\" was not found")
  })

  it("var says a list with commas and spaces, and gives a block its items", () => {
    assert.strictEqual(say("{{var \"user.tags\"}} {{user.tags}} {{path \"user.tags\"}}"), "x, y x,y x,y")
    assert.strictEqual(say("{{#each (var \"user.tags\")}}[{{this}}]{{/each}}"), "[x][y]")
    assert.strictEqual(say("[{{{var \"none\"}}}] {{var \"user.tags[0]\"}} {{var \"no\"}}"), "[] x false")
  })

  it("log says nothing, whatever it is told", () =>
    assert.strictEqual(strict("[{{log name}}{{log nope user level=\"warn\"}}]"), "[]"))

  it("a default is for what is not there, and not for what is false", () =>
    assert.strictEqual(
      ["no", "zero", "none", "nope", "\"\""].map((value) => say(`{{default ${value} "d"}}`)).join(),
      "false,0,d,d,"
    ))

  it("a path given as text begins where the template is, or else at the top", () => {
    const inside = (path: string) => say(`{{#with user}}{{path "${path}"}} {{var "${path}"}}{{/with}}`)
    assert.deepStrictEqual(["name", "tags[1]", "user.name", "data.name", "zero"].map(inside), [
      "Eve Eve",
      "y y",
      "Eve Eve",
      "Ada Ada",
      "0 0"
    ])
    assert.strictEqual(say("{{#each user.tags}}{{path \"length\"}}{{/each}}{{path \"user.tags.length\"}}"), "112")
  })

  it("what is set has its value from then on, and says nothing itself", () => {
    assert.strictEqual(say("[{{set \"a\" name}}] {{a}} {{concat (set \"a\" 2) \"-\"}} {{a}}"), "[] Ada - 2")
    assert.strictEqual(
      say("{{set \"u\" user}}{{u.name}} {{#each u.tags}}{{this}}{{/each}} {{path \"u.tags[0]\"}}"),
      "Eve xy x"
    )
  })

  it("a parameter without a value is null, not a variable that is missing", () => {
    assert.strictEqual(strict("{{#params a=nope b=name}}[{{a}}]{{b}}{{/params}}"), "[]Ada")
    assert.strictEqual(strict("{{#params a=name}}{{b}}{{/params}}"), "The variable \"b\" was not found")
  })

  it("a block's text is what it is given as text, rather than that of its parameters", () => {
    assert.strictEqual(
      say("{{text-block \"a\"}} {{text-block text=\"b\"}} {{text-block (params text=\"c\")}}"),
      "a b c"
    )
    assert.strictEqual(say("{{text-block (params text=\"c\") text=\"b\"}} {{text-block \"a\" text=\"b\"}}"), "b b")
    assert.strictEqual(say("[{{text-block (params other=\"c\")}}]"), "[]")
  })
})

describe("Numbers in templates", () => {
  it("are numbers, or texts that are one, with a sign, a fraction and an exponent", () => {
    const texts: ReadonlyArray<readonly [string, number]> = [
      ["7", 7],
      [" +7 ", 7],
      ["-7.", -7],
      [".5", 0.5],
      ["1e3", 1_000],
      ["1E+3", 1_000],
      ["15e-1", 1.5],
      ["0".repeat(62) + "7", 7]
    ]
    for (const [text, number] of texts) assert.strictEqual(numberOf(text), number, text)
    for (const text of ["", " ", ".", "e3", "1e", "0x10", "1,5", "1 2", "--1", "Infinity", "NaN", "0".repeat(63) + "7"])
      assert.isUndefined(numberOf(text), text)
    for (const value of [true, null, undefined, [], ["1"], {}]) assert.isUndefined(numberOf(value))
  })

  it("that are too large to be one fail the rendering", () => {
    for (
      const source of [
        "{{multiply \"1e300\" \"1e300\"}}",
        "{{add \"1e999\" 1}}",
        "{{inc \"-1e999\"}}",
        "{{divide 0 0}}"
      ]
    )
      assert.match(say(source), /^[a-z]+: there is no such number$/, source)
  })
})

describe("Translations in templates", () => {
  const asked: Array<readonly [string, Lookup]> = []
  const spoken = (source: string): string =>
    Handlebars.ours(source, {
      data,
      translate: (key, lookup) => {
        asked.push([key, lookup])
        return key.startsWith("unknown") ? undefined : `${key}! {name} {a-b} {2} {other} {}`
      }
    })

  it("replace in braces the names of their arguments, and no others", () => {
    const others = "{2} {other} {}"
    assert.strictEqual(spoken("{{t \"k\" name=name a-b=1 2=3}}"), `k! Ada 1 ${others}`)
    assert.strictEqual(spoken("{{translate \"k\" name=none}}"), `k!  {a-b} ${others}`)
    assert.strictEqual(spoken("{{t \"unknown {name}\" name=name}}"), "unknown Ada")
    assert.strictEqual(spoken("{{t \"unknown {name}\"}}"), "unknown {name}")
    assert.strictEqual(spoken("{{t \"unknown {n} {A1} {_} {A1\" n=1 A1=2 _=3}}"), "unknown 1 2 3 {A1")
    assert.strictEqual(spoken("{{t \"k\" name=\"{other}\" other=1}}"), "k! {other} {a-b} {2} 1 {}")
  })

  it("have their arguments without names at %s, %1$s and {0}, in their order or by number", () => {
    const said: ReadonlyArray<readonly [string, string, string]> = [
      ["Welcome, %s %s", "name user.name", "Welcome, Ada Eve"],
      ["%2$s, %1$s", "name user.name", "Eve, Ada"],
      ["{1}, {0} {name}", "name user.name name=1", "Eve, Ada 1"],
      ["%d of %.2f", "2.7 3", "2 of 3.00"],
      ["100%% of %s", "name", "100% of Ada"],
      ["%s %s %3$s {2}", "name", "Ada %s %3$s {2}"],
      ["%d", "name", "%d"],
      ["%s|%s", "\"%s{0}{n}\" none n=1", "%s{0}{n}|"]
    ]
    for (const [translation, args, filled] of said) {
      const translate = () => translation
      assert.strictEqual(Handlebars.ours(`{{t "k" ${args}}}`, { data, translate }), filled, translation)
      assert.strictEqual(Handlebars.ours(`{{t "${translation}" ${args}}}`, { data }), filled, translation)
    }
  })

  it.effect.prop(
    "are what they are where they name no argument, or have none",
    { text: Schema.Array(Schema.Literals(["%", "%%", "% s", "{", "}", "$", "100%", "é", " ", "%x"])) },
    ({ text }) =>
      Effect.sync(() => {
        const said = text.join("")
        const of = (translation: string, args: string) =>
          Handlebars.ours(`{{t "k"${args}}}`, { data, translate: () => translation })
        assert.strictEqual(of(said, " name 1"), said)
        assert.strictEqual(of(`${said}%s%1$s{0}`, ""), `${said}%s%1$s{0}`)
      })
  )

  it("of many places or long arguments end at the limits", () => {
    const long = "x".repeat(10_000)
    const of = (translation: string) =>
      Handlebars.ours("{{t \"k\" long}}", { data: { long }, translate: () => translation })
    for (const place of ["{0}", "%1$s", "%1$999s"])
      assert.match(of(place.repeat(2_000)), /more than \d+ characters/, place)
  })

  it("are looked up by key, and by context and count where they are given", () => {
    asked.length = 0
    const tags = [
      "",
      " context=\"c\"",
      " context=\"\"",
      " context=none",
      " count=2",
      " count=\"2\"",
      " count=\"two\"",
      " count=none"
    ]
    for (const more of tags) spoken(`{{t "k"${more}}}`)
    assert.deepStrictEqual(asked.map(([, lookup]) => lookup), [
      {},
      { context: "c" },
      {},
      {},
      { count: 2 },
      { count: 2 },
      {},
      {}
    ])
    assert.strictEqual(spoken("{{t \"k\" count=2 name=name}}").slice(0, 6), "k! Ada")
  })
})
