import { all } from "#test/src/content/template/helpers/Fixture.ts"
import { body, failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

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
          ..."contains log line-break product range split text-direction formatDate formatNumber formatTime t".split(
            " "
          ),
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
