import { attempt, body, elements, json } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

describe("Injection", () => {
  it("P9 no template reaches anything but its data", () => {
    const names = [
      "constructor",
      "__proto__",
      "prototype",
      "toString",
      "valueOf",
      "hasOwnProperty",
      "__defineGetter__",
      "__lookupGetter__",
      "__defineSetter__",
      "isPrototypeOf",
      "process",
      "global",
      "globalThis",
      "require",
      "module",
      "this.constructor",
      "env",
      "Function",
      "eval",
      "length",
      "push",
      "split",
      "sub",
      "helperMissing",
      "blockHelperMissing",
      "@root.constructor",
      "@root.__proto__",
      "data.constructor.constructor",
      "profile.__proto__.x",
      "text.constructor",
      "text.length.constructor",
      "list.constructor",
      "list.0.constructor",
      "$.constructor",
      "$.__proto__",
      "refs.constructor",
      "tenant.constructor",
      "courier.__proto__"
    ]
    const shapes = [
      "{{NAME}}",
      "{{{NAME}}}",
      "{{&NAME}}",
      "{{lookup this \"NAME\"}}",
      "{{lookup (lookup this \"constructor\") \"NAME\"}}",
      "{{#with NAME}}{{this}}{{constructor}}{{/with}}",
      "{{#each NAME}}{{@key}}{{this}}{{/each}}",
      "{{#NAME}}{{this}}{{/NAME}}",
      "{{#if NAME}}leak{{/if}}",
      "{{#with (lookup \"\" \"NAME\")}}{{this}}{{/with}}",
      "{{NAME \"return process.env\"}}",
      "{{#with \"s\" as |s|}}{{#with (s.sub.apply 0 \"NAME\")}}{{this}}{{/with}}{{/with}}",
      "{{> NAME}}",
      "{{> (lookup . \"NAME\")}}",
      "{{NAME.call this}}",
      "{{#NAME as |x|}}{{x}}{{/NAME}}",
      "{{path \"NAME\"}}{{var \"NAME\"}}{{lookup (params a=NAME) \"NAME\"}}",
      "{{set \"x\" NAME}}{{x}}{{set \"NAME\" \"\"}}",
      "{{concat NAME}}{{#params a=NAME}}{{a}}{{/params}}{{text-block (params text=NAME)}}",
      "{{default NAME \"\"}}{{format \"%s\" (default NAME \"\")}}{{trim NAME}}{{#with (params b=NAME)}}{{b}}{{/with}}",
      "{{#if (filter \"data\" \"NAME\" \"NOT_EMPTY\")}}{{path \"data.NAME\"}}{{/if}}",
      "{{#each (json-parse \"{}\")}}{{NAME}}{{/each}}{{lookup (json-parse \"{}\") \"NAME\"}}"
    ]
    const others = [
      "${7*7}",
      "#{7*7}",
      "<%= 7*7 %>",
      "{%print(7*7)%}",
      "{{7*7}}",
      "{{[].constructor}}",
      "{{''.constructor}}",
      "[[${7*7}]]",
      "{{range.constructor(\"return 1\")()}}"
    ]
    const data = json("{\"text\":\"hello\",\"list\":[\"a\"]}")
    const before = Object.getOwnPropertyNames(Object.prototype).length
    for (const name of names) {
      for (const shape of shapes) {
        const source = shape.replaceAll("NAME", name)
        const texts = [{ type: "text", content: source }, { type: "text", format: "markdown", content: source }]
        for (const content of [{ body: source }, ...texts.map((text) => elements(text))]) {
          const said = attempt(content, { data })
          if (Result.isSuccess(said))
            assert.match(said.success.body, /^(?:hello|a|0|1|5)*$/, `${source} → ${said.success.body}`)
        }
        const html = elements({ type: "html", content: `<p>${source}</p>` })
        const seen = attempt(html, { data, channel: "email" })
        if (Result.isSuccess(seen)) assert.match(seen.success.text, /^(?:hello|a|0|1|5)*$/, source)
        else assert.match(seen.failure.detail, /malformed|: "[^"]*" is not a/)
      }
    }
    for (const source of others) assert.notInclude(JSON.stringify(attempt({ body: source }, { data })), "49")
    assert.strictEqual(Object.getOwnPropertyNames(Object.prototype).length, before)
  })

  it("P9 names of behaviour are only keys in data", () => {
    const data = json(
      "{\"__proto__\":{\"polluted\":\"P\"},\"constructor\":\"c\",\"toString\":\"s\",\"o\":{\"toString\":1,\"toHTML\":\"h\",\"__proto__\":{\"x\":\"X\"}}}"
    )
    assert.strictEqual(
      body("{{constructor}} {{toString}} {{polluted}} {{o}} {{o.toHTML}} {{o.x}}", { data }),
      "c s  [object Object] h "
    )
    assert.strictEqual(body("{{#each o}}{{@key}} {{/each}}", { data }).includes("toHTML"), true)
    assert.notProperty({}, "polluted")
  })
})
