import { assertQuick, attempt, body, failure, json, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const data = json(`{
  "name": "ada", "n": 7, "text": "5", "yes": true, "no": false, "none": null, "empty": [], "list": ["a", "b"],
  "people": [{ "name": "Rod", "age": 30 }, { "name": "TK", "age": 17 }], "customer": { "name": "josh", "tags": ["x", "y"] },
  "json": "[{\\"k\\": 1}, {\\"k\\": 2}]", "format": "mine", "params": "own"
}`)
const profile = { "email": "a@x.io", "address": { "city": "Rome" } }

/** Lists in lists, which say nothing. */
const nest = (depth: number): Schema.Json => depth === 0 ? [] : [nest(depth - 1)]

const say = (source: string): string => body(source, { data, profile })

/** Templates and what they say; many are the examples of the published reference. */
const all = (examples: ReadonlyArray<readonly [string, string]>): void => {
  for (const [source, said] of examples) assert.strictEqual(say(source), said, source)
}

describe("Helpers", () => {
  it("logic", () =>
    all([
      ["{{and true 1 \"yay\"}} {{and true false}} {{#if (and)}}none{{/if}} {{and yes empty}}", "true false none false"],
      [
        "{{or no none \"\"}} {{or no n}} {{not true}} {{not \"\"}} {{not undefined}} {{not empty}} {{not 0}}",
        "false true false true true true true"
      ],
      ["{{#if (condition name \"==\" \"ada\")}}yes{{else}}no{{/if}}", "yes"],
      [
        "{{condition 1 \"<\" 2}} {{condition n \">=\" 7}} {{condition n \"!=\" 7}} {{condition yes \"==\" \"true\"}}",
        "true true false true"
      ],
      ["{{condition \"true\" \"==\" yes}} {{condition \"true\" \"!=\" no}}", "true true"],
      ["{{#condition n \">\" 9}}a{{else}}b{{/condition}}", "b"],
      [
        "{{conditional (filter \"data\" \"customer.name\" \"EQUALS\" \"josh\") (filter \"profile\" \"email\" \"CONTAINS\" \"@x.io\")}}",
        "true"
      ],
      ["{{conditional (filter \"data\" \"name\" \"IS_EMPTY\") yes operator=\"or\"}}", "true"],
      ["{{#filter \"data\" \"none\" \"NOT_EMPTY\"}}a{{else}}b{{/filter}}", "b"],
      ["{{#each (json-parse json)}}{{k}},{{/each}}{{json-parse \"3\"}}", "1,2,3"],
      ["{{#if 0 includeZero=true}}zero{{/if}}{{#if 0}}no{{/if}}", "zero"]
    ]))

  it.effect.prop(
    "what a filter and a condition compare, they compare as JavaScript does",
    { l: Schema.Literals([0, 1, 2, 10]), r: Schema.Literals([1, 2, 10]) },
    ({ l, r }) =>
      Effect.sync(() => {
        const signs: ReadonlyArray<readonly [string, string, boolean]> = [
          ["EQUALS", "==", l === r],
          ["NOT_EQUALS", "!=", l !== r],
          ["GREATER_THAN", ">", l > r],
          ["GREATER_THAN_EQUALS", ">=", l >= r],
          ["GREATER_THAN_OR_EQUALS", ">=", l >= r],
          ["LESS_THAN", "<", l < r],
          ["LESS_THAN_EQUALS", "<=", l <= r],
          ["LESS_THAN_OR_EQUALS", "<=", l <= r]
        ]
        const texts: ReadonlyArray<readonly [string, boolean]> = [
          ["CONTAINS", `a${l}b`.includes(`${r}`)],
          ["NOT_CONTAINS", !`a${l}b`.includes(`${r}`)],
          ["STARTS_WITH", `${l}b`.startsWith(`${r}`)],
          ["ENDS_WITH", `a${l}`.endsWith(`${r}`)]
        ]
        const given = {
          data: { l, r, CONTAINS: `a${l}b`, NOT_CONTAINS: `a${l}b`, STARTS_WITH: `${l}b`, ENDS_WITH: `a${l}` }
        }
        for (const [name, sign, held] of signs) {
          const source = `{{filter "data" "l" "${name}" r}} {{condition l "${sign}" r}}`
          assert.strictEqual(body(source, given), `${held} ${held}`, source)
        }
        for (const [name, held] of texts) {
          const source = `{{filter "data" "${name}" "${name}" "${r}"}}`
          assert.strictEqual(body(source, given), `${held}`, source)
        }
      })
  )

  it("data", () =>
    all([
      ["{{default missing \"you\"}} {{default name \"you\"}} {{default \"\" \"you\"}}", "you ada "],
      ["{{path \"profile.address.city\"}} {{var \"name\"}} {{var \"$.customer\"}} [{{var \"nope\"}}]", "Rome ada  []"],
      ["{{path \"customer.tags[1]\"}} {{path \"$.data.customer['name']\"}} {{path \"people[0].age\"}}", "y josh 30"],
      ["{{#each people}}{{var \"name\"}} {{path \"customer.name\"}};{{/each}}", "Rod josh;TK josh;"],
      [
        "{{set \"who\" (default (path \"profile.first\") \"valued\")}}Dear {{who}} {{#if who}}!{{/if}}",
        "Dear valued !"
      ],
      ["{{set \"name\" \"Eve\"}}{{name}} {{data.name}} {{path \"name\"}}", "Eve ada Eve"],
      ["{{#with customer}}{{name}}{{/with}} {{#params a=1 b=\"two\"}}{{a}} {{b}}{{/params}}", "josh 1 two"],
      ["{{text-block text=\"hi\"}} {{text-block (params text=name)}} {{#text-block}}in{{/text-block}}", "hi ada in"],
      [
        "{{format}} {{params}} {{lookup customer \"name\"}} {{datetime.year}} {{brand.name}}",
        "mine own josh 2031 Acme"
      ],
      ["{{tenant.name}} {{$.tenant.id}} {{$.urls.unsubscribe}}", "Acme Ltd acme https://x.io/u"]
    ]))

  it("strings", () =>
    all([
      ["{{capitalize \"try courier\"}} {{capitalize name}} {{capitalize \"\"}}", "Try courier Ada "],
      ["{{concat \"hello\" \" \" name n}} {{concat 1 2 separator=\"-\"}}", "hello ada7 1-2"],
      ["{{format \"%.2f|%5d|%-5s|%05d|%x|%s|%%|%+d\" 1 42 \"ab\" 7 255 name 3}}", "1.00|   42|ab   |00007|ff|ada|%|+3"],
      [
        "{{format \"%05d|%+05d|%-4d|%b|%o|%X|%u|%i|%c|%e|%.1E|%g|%.2g|%f\" -7 3 5 5 8 255 -1 -1.5 65 120 120 0.5 0.123 1.5}}",
        "-0007|+0003|5   |101|10|FF|4294967295|-1|A|1.2e+2|1.2E+2|0.5|0.12|1.5"
      ],
      ["{{format \"%2$s %1$s\" \"a\" \"b\"}} {{format \"%'*6s|%+s\" \"a\" \"b\"}}", "b a *****a|b"],
      ["[{{trim \"  a \"}}] [{{trim-left \"  a \"}}] [{{trim-right \"  a \"}}]", "[a] [a ] [  a]"],
      ["[{{#trim}}  {{name}}  {{/trim}}]", "[ada]"],
      // The white space of values counts as well as the author's.
      ...["trim", "trim-left", "trim-right"].map((kind, at) =>
        [`[{{#${kind}}} {{concat " a "}} {{/${kind}}}]`, ["[a]", "[a  ]", "[  a]"][at] ?? ""] as const
      ),
      ["{{trim-one-char-right \"ends with\\ \"}} {{truncate \"some very long string\" 9}}", "ends with\\ some very"],
      [
        "{{truncate \"some very long string\" 9 \"...\"}} {{truncate \"ab\" 9 \"...\"}} {{truncate \"a😀b\" 2}}",
        "some very... ab a"
      ],
      [
        "{{trim-one-char-right \"a😀\"}}|{{trim-one-char-right \"\"}}|{{format \"%.2s|%.3s\" \"a😀b\"  \"a😀b\"}}",
        "a||a|a😀"
      ]
    ]))

  it("numbers", () =>
    all([
      [
        "{{abs -10}} {{add 5 3}} {{add -1 -3}} {{add text 1}} {{ceil .95}} {{ceil 1.01}} {{ceil -1.01}}",
        "10 8 -4 6 1 2 -1"
      ],
      ["{{divide 3 2}} {{floor .95}} {{floor -1.01}} {{inc n}} {{mod 13 5}} {{mod -13 5}}", "1.5 0 -2 8 3 -3"],
      ["{{multiply -12 2}} {{round 1.5}} {{round 1.4}} {{round -1.4}} {{round -1.5}}", "-24 2 1 -1 -2"],
      ["{{add \" .5\" \"+1e2 \"}} {{sub \"-2.\" 1}}", "100.5 -3"],
      ["{{subtract 3.5 5}} {{sub 5 3}} {{multiply (add 1 2) (sub 9 (inc 1))}}", "-1.5 2 21"]
    ]))

  it("dates", () =>
    all([
      ["{{swu_datetimeformat 1554145200000 \"%a, %B %d\"}}", "Mon, April 01"],
      [
        "{{datetime-format \"2019-04-01T12:00:00.000Z\" \"%a, %B %d %I:%M %p\" \"America/Los_Angeles\"}}",
        "Mon, April 01 5:00 am"
      ],
      ["{{datetime-format 1554145200000 \"%a, %B %d %I:%M %p\"}}", "Mon, April 01 7:00 pm"],
      [
        "{{datetime-format \"2024-02-29\" \"%Y-%m-%d %-d %j %H:%M:%S %z %Z %y %b %A %%\"}}",
        "2024-02-29 29 060 00:00:00 +0000 UTC 24 Feb Thursday %"
      ],
      ["{{datetime-format \"2024-07-01T10:00:00+02:00\" \"%H %z\" \"Asia/Kolkata\"}}", "13 +0530"],
      [
        "{{swu_iso8601_to_time \"2019-04-01T12:00:00.000Z\"}} {{swu_timestamp_to_time 1554145200}}",
        "1554120000000 1554145200000"
      ]
    ]))

  it.effect.prop(
    "a date says what the calendar and the clock of its zone say",
    {
      at: Schema.Int.check(Schema.isBetween({ minimum: Date.UTC(1950, 0, 1), maximum: Date.UTC(2405, 0, 1) })),
      zone: Schema.Literals(["UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Auckland"]),
      isMidnight: Schema.Boolean
    },
    ({ at, isMidnight, zone }) =>
      Effect.sync(() => {
        const when = isMidnight ? at - at % 43_200_000 : at
        const asked = (options: Intl.DateTimeFormatOptions, type: Intl.DateTimeFormatPartTypes): string =>
          new Intl.DateTimeFormat("en-US", { timeZone: zone, ...options }).formatToParts(when)
            .find((part) => part.type === type)?.value ?? ""
        const said = (pattern: string, time = when): string => say(`{{datetime-format ${time} "${pattern}" "${zone}"}}`)
        const [day, month, year] = [
          asked({ day: "2-digit" }, "day"),
          asked({ month: "2-digit" }, "month"),
          asked({ year: "numeric" }, "year")
        ]
        const [short, name] = [asked({ weekday: "short" }, "weekday"), asked({ month: "short" }, "month")]
        const hour = asked({ hour: "2-digit", hourCycle: "h23" }, "hour")
        const half = asked({ hour: "numeric", hour12: true }, "dayPeriod")
        const [minute = "", second = ""] = new Date(when).toISOString().slice(14, 19).split(":")
        const shift = asked({ timeZoneName: "longOffset" }, "timeZoneName").slice(3).replace(":", "") || "+0000"
        const local = `${(Number(minute) + (zone === "Asia/Kolkata" ? 30 : 0)) % 60}`.padStart(2, "0")
        const clock = `${hour}:${local}:${second}`
        const expected: ReadonlyArray<readonly [string, string]> = [
          [
            "%A %a %B %b",
            `${asked({ weekday: "long" }, "weekday")} ${short} ${asked({ month: "long" }, "month")} ${name}`
          ],
          ["%d %-d %m %-m %y %Y", `${day} ${Number(day)} ${month} ${Number(month)} ${year.slice(2)} ${year}`],
          [
            "%H %-H %I %p %P",
            `${hour} ${Number(hour)} ${asked({ hour: "numeric", hour12: true }, "hour")} ${half.toLowerCase()} ${half}`
          ],
          ["%M %S %f", `${local} ${second} ${String(((when % 1_000) + 1_000) % 1_000).padStart(3, "0")}000`],
          ["%x %X", `${month}/${day}/${year.slice(2)} ${clock}`],
          ["%c", `${short} ${name} ${Number(day)} ${clock} ${year}`],
          ["%z", shift],
          ["%w", String(["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].indexOf(short))]
        ]
        for (const [pattern, value] of expected) assert.strictEqual(said(pattern), value, `${pattern} ${when} ${zone}`)
      })
  )

  it("the days of a year are counted from its first, in leap years too", () => {
    for (const [year, days] of [[2023, 365], [2024, 366], [2100, 365], [2000, 366]] as const) {
      const first = Date.UTC(year, 0, 1)
      const said = Array.from({ length: days }, (_, at) => say(`{{datetime-format ${first + at * 86_400_000} "%j"}}`))
      assert.deepStrictEqual(said, Array.from({ length: days }, (_, at) => String(at + 1).padStart(3, "0")))
    }
  })

  it("what a helper cannot do fails the rendering and says why", () => {
    const faults: ReadonlyArray<readonly [string, RegExp]> = [
      ["{{divide 1 0}}", /divide: there is no such number/],
      ["{{mod 1 0}}", /mod: there is no such number/],
      ["{{add name 1}}", /add: "ada" is not a number/],
      ["{{condition 1 \"~\" 2}}", /condition: "~" is not one of/],
      ["{{filter \"data\" \"n\" \"LIKE\" 2}}", /filter: "LIKE" is not an operator/],
      ["{{json-parse \"{\"}}", /json-parse: the text is not JSON/],
      ["{{datetime-format \"soon\" \"%Y\"}}", /datetime-format: "soon" is not a date/],
      ["{{datetime-format 1 \"%Y\" \"Mars/Base\"}}", /"Mars\/Base" is not a time zone/],
      ["{{swu_timestamp_to_time 99999999999999}}", /is not a date/],
      ...["$", "brand", "data", "event", "profile", "recipient", "refs", "urls", ""].map((name) =>
        [
          `{{set "${name}" 1}}`,
          new RegExp(`"${name.replace("$", "\\$")}" is not a name that a template may set`)
        ] as const
      ),
      ["{{format \"%d\" name}}", /format: /],
      ["{{format \"%d\"}}", /format: /],
      ["{{truncate name -1}}", /truncate: the length is not a number of characters/],
      ["{{helper 1}} {{t \"x\"}}", /malformed at character 1: "helper 1" is not understood/]
    ]
    for (const [source, detail] of faults) assert.match(failure({ body: source }, { data }), detail, source)
  })

  it("P9 no helper reaches the environment, and what they answer is data", () => {
    for (
      const key of [
        "constructor",
        "__proto__",
        "toString",
        "constructor.constructor",
        "data.__proto__.x",
        "$.constructor",
        "env"
      ]
    ) {
      for (const helper of ["path", "var"]) assert.strictEqual(say(`[{{${helper} "${key}"}}]`), "[]", key)
      assert.strictEqual(say(`{{filter "data" "${key}" "IS_EMPTY"}} {{lookup (params a=1) "${key}"}}`), "true ")
    }
    assert.strictEqual(say("{{set \"__proto__\" name}}{{__proto__}}{{polluted}}"), "ada")
    const { html, text } = render({ body: "{{concat \"**<b>\" name \"</b>**\"}} {{format \"%s\" \"<i>\"}}" }, {
      data,
      channel: "email"
    })
    assert.include(html, "**&lt;b&gt;ada&lt;/b&gt;** &lt;i&gt;")
    assert.strictEqual(text, "**<b>ada</b>** <i>")
  })

  it("ends bombs of helpers as failures, quickly", () => {
    const big = {
      "big": "x".repeat(1_000_000),
      "deep": "[".repeat(150_000) + "]".repeat(150_000),
      "digits": `${"1".repeat(1_000_000)}x`,
      "quotes": "\"\\".repeat(100_000),
      "nested": Array.from({ length: 3_000 }, () => nest(62)),
      "many": Array.from({ length: 9_000 }, () => 1)
    }
    const bombs: ReadonlyArray<readonly [string, RegExp]> = [
      [`{{set "a" "xxxxxxxxxx"}}${"{{set \"a\" (concat a a)}}".repeat(60)}`, /more than 1048576 characters/],
      [`{{#each many}}{{condition @root.big "==" @root.big}}{{/each}}`, /too much data|looks through more/],
      [`{{#each many}}{{#if (trim @root.big)}}{{/if}}{{/each}}`, /characters/],
      [`{{#each many}}{{datetime-format 1 "%A" "Asia/Kolkata"}}{{/each}}`, /more than 50000 steps/],
      [`{{json-parse deep}}`, /not JSON/],
      [`{{#each many}}{{set (concat "n" @index) 1}}{{/each}}`, /"n256" is not a name that a template may set/],
      [`{{add digits 1}}`, /add: "1{80}" is not a number/],
      [`{{json-parse quotes}}`, /not JSON/],
      [`{{#each many}}{{#if (trim @root.nested)}}{{/if}}{{/each}}`, /looks through more/],
      [`{{#each many}}{{lookup @root.a @root.nested}}{{/each}}`, /looks through more/],
      [`{{#each many}}{{@root.nested}}{{/each}}`, /looks through more|renders to more/],
      [`{{format "${"%1$s".repeat(900)}" big}}`, /malformed|format|characters/],
      [`{{format "${"%999d".repeat(700)}" 1}}`, /format/],
      [`{{concat ${"big ".repeat(900)}}}`, /looks through more/],
      [`{{#each many}}{{lookup @root.a @root.many}}{{/each}}`, /looks through more/],
      [`{{#each many}}{{conditional 1 1 operator=@root.big}}{{/each}}`, /looks through more/],
      [`{{#each many}}{{t "k" context=@root.big}}{{/each}}`, /looks through more/],
      [`{{t "${"{a}".repeat(900)}" a=big}}`, /looks through more/],
      [`{{truncate ${"(concat \"a\" ".repeat(40)}"b"${")".repeat(40)} 1}}`, /malformed/]
    ]
    for (const [source, detail] of bombs) {
      assert.match(failure({ body: source }, { data: big }), detail, source.slice(0, 80))
      assertQuick(() => failure({ body: source }, { data: big }), source.slice(0, 80))
    }
  })

  it.effect.prop(
    "any format is answered, no shorter than it says, or refused",
    {
      flags: Schema.Literals(["", "-", "0", "+", "+0", "'*", "-'*"]),
      width: Schema.Literals(["", "1", "12"]),
      precision: Schema.Literals(["", ".0", ".1", ".99"]),
      kind: Schema.Literals([..."%bcdeEfFgiosuxX"]),
      value: Schema.Union([Schema.Finite, Schema.Int, Schema.String, Schema.Literals([-1, 0, 65, 1_114_112])])
    },
    ({ flags, kind, precision, value, width }) =>
      Effect.sync(() => {
        // Characters that Unicode keeps for a program's inner use are dropped.
        const v = typeof value === "string" ? value.replaceAll(/[\uFDD0-\uFDEF]/g, "") : value
        const source = `{{format "%${flags}${width}${precision}${kind}" v}}`
        const said = attempt({ title: "t", body: source }, { data: { v } })
        const least = "%c".includes(kind) ? 0 : Number(width)
        if (Result.isSuccess(said)) assert.isAtLeast(said.success.body.length, least, source)
        else assert.match(said.failure.detail, /^format: /, source)
      }),
    { arbitrary: { runs: 1_000 } }
  )

  it.effect.prop(
    "any arguments are answered or refused",
    { left: Schema.Json, right: Schema.Json, third: Schema.Json },
    (given) =>
      Effect.sync(() => {
        const names = [
          ..."and condition conditional filter json-parse not or default path set var concat format capitalize params"
            .split(" "),
          ..."datetime-format trim trim-left trim-right trim-one-char-right truncate abs add ceil divide floor inc"
            .split(" "),
          ..."mod multiply round subtract sub swu_datetimeformat swu_iso8601_to_time swu_timestamp_to_time text-block"
            .split(" ")
        ]
        for (const name of names) {
          for (const args of ["left", "left right", "left right third", "third \"%d\" left", "left key=right"])
            assert.isString(failure({ body: `{{${name} ${args}}}` }, { data: given }))
        }
      })
  )
})
