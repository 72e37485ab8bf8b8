import * as Content from "#src/content/Content.ts"
import type { Brand } from "#schemas/Brand.ts"
import { nothing } from "#test/src/content/Scopes.ts"
import * as Written from "#test/src/content/template/Handlebars.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import Handlebars from "handlebars"

const data = { name: "Ada <3", user: { name: "Eve" }, list: ["x", "y"] }

const say = (source: string, snippets: Readonly<Record<string, string>>): string =>
  Written.ours(source, { data, snippet: (name) => Object.hasOwn(snippets, name) ? snippets[name] : undefined })

/** What Handlebars says, with the snippets as its partials. */
const theirs = (source: string, partials: Readonly<Record<string, string>>): string => {
  const handlebars = Handlebars.create()
  handlebars.registerPartial(partials)
  return handlebars.compile(source, { noEscape: true })(data)
}

describe("Snippets of a brand in templates", () => {
  it.effect.prop(
    "say what partials say: where they stand, of their context, with their arguments",
    {
      source: Schema.Array(Schema.Literals([
        "{{> a}}",
        "{{>b}}",
        "{{~> [a b] ~}}",
        "{{> \"a b\"}}",
        "{{> a user}}",
        "{{> b name=\"own\"}}",
        "{{> a user name=name}}",
        "{{#each list}}{{> c}}{{/each}}",
        "{{#with user}}{{> a}}{{> b this}}{{/with}}",
        "{{#if list}}\n{{> a}}\n{{/if}}\n",
        "{{> d/e-f.g}}",
        "\n",
        " ",
        "text"
      ]))
    },
    ({ source }) =>
      Effect.sync(() => {
        const snippets = {
          "a": "<i>{{name}}</i>",
          "b": "{{#if name}}[{{name}}]{{/if}}{{> c}}",
          "c": "{{this.length}}-{{@index}}",
          "a b": " spaced ",
          "d/e-f.g": "{{@root.name}}\n"
        }
        const whole = source.join("")
        // Indentation that Handlebars repeats on every line of a partial stands before the first one here.
        if (/^[ \t]+\{\{> d/m.test(whole)) return
        assert.strictEqual(say(whole, snippets), theirs(whole, snippets), whole)
      })
  )

  it("that are not there, or no template, fail with their name", () => {
    assert.strictEqual(say("{{> none}}", {}), "partial: \"none\" is not a snippet of the brand")
    assert.strictEqual(say("{{> constructor}}", {}), "partial: \"constructor\" is not a snippet of the brand")
    assert.match(say("{{> a}}", { a: "{{#if b}}" }), /^The snippet "a": The template is malformed: "if" is not closed$/)
    assert.strictEqual(say("{{#if none}}{{> none}}{{/if}}", {}), "")
  })

  it("that name themselves end with a sentence, at once, however deep their blocks are", () => {
    const blocks = (inside: string) => `${"{{#with this}}".repeat(32)}${inside}${"{{/with}}".repeat(32)}`
    const said = /^Snippets are nested more than 8 deep: "a"$/
    for (const a of ["{{> a}}", blocks("{{> a}}"), "{{> a}}{{> a}}{{> a}}", "{{#each @root.list}}{{> a}}{{/each}}"])
      assert.match(say(blocks("{{> a}}"), { a }), said, a)
    assert.match(say("{{> b}}", { b: "{{> a}}", a: "{{> b}}" }), /^Snippets are nested more than 8 deep: "b"$/)
    const chain = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`s${n}`, n === 7 ? "end" : `{{> s${n + 1}}}`])
    )
    assert.strictEqual(say("{{> s0}}{{> s0}}", chain), "endend")
  })

  it("take what they set, and missing variables fail in them as around them", () => {
    assert.strictEqual(say("{{> a}}{{who}}", { a: "{{set \"who\" name}}" }), data.name)
    const scope = { ...nothing, throwing: true, snippet: () => "{{nope}}" }
    assert.strictEqual(Written.ours("{{> a}}", scope), "The variable \"nope\" was not found")
  })

  it("are written as their place is: values are escaped in HTML, and never become markdown", () => {
    const brand: Brand = {
      id: "acme",
      name: "Acme",
      settings: {},
      snippets: {
        items: [{ name: "hi", value: "first" }, {
          name: "hi",
          format: "handlebars",
          value: "<b>{{name}}</b> **{{v}}**"
        }]
      }
    }
    const said = (content: Content.Input["content"], channel: string) =>
      Result.getOrThrow(Content.render({
        content,
        channel,
        provider: channel,
        data: { name: "<i>", v: "*x*" },
        profile: {},
        brand,
        context: () => ({ messageId: "1", recipient: "ada", tenantId: undefined, environment: "test" })
      }))
    const elements = (element: { readonly type: string; readonly content: string }) => ({
      version: "2022-01-01",
      elements: [element]
    })
    const html = said(elements({ type: "html", content: "{{> hi}}" }), "email").html
    assert.include(html, "<b>&lt;i&gt;</b> ***x***")
    assert.match(
      said(elements({ type: "text", content: "{{> hi}}" }), "email").html,
      /&lt;b&gt;&lt;i&gt;&lt;\/b&gt; <strong[^>]*>\*x\*<\/strong>/
    )
    assert.strictEqual(said({ title: "{{> hi}}", body: "t" }, "inbox").title, "<b><i></b> ***x***")
  })
})

describe("replace-all", () => {
  const replaced = (args: string, inside: string, given: Schema.JsonObject = {}) =>
    Written.ours(`{{#replace-all ${args}}}${inside}{{/replace-all}}`, { data: { ...data, ...given } })

  it("puts one text in the place of another, in what its block says", () => {
    assert.strictEqual(replaced("\"l\" \"L\"", "hello {{concat \"well\"}}{{#each list}}l{{/each}}"), "heLLo weLLLL")
    assert.strictEqual(replaced("name \"you\"", "Hi {{name}}"), "Hi you")
    assert.strictEqual(replaced("\"\\n\" \"|\"", "{{v}}", { v: "a\nb\n" }), "a|b|")
    assert.strictEqual(replaced("\"\\.\" \"$&\"", "a.b"), "a$&b")
    assert.strictEqual(replaced("\".\" \"\"", "a.b."), "ab")
    assert.strictEqual(
      replaced("\"a\" \"b\"", "{{#replace-all \"c\" \"a\"}}abc{{/replace-all}}") + replaced("\"a\" none", "ba"),
      "bbbb"
    )
    assert.strictEqual(replaced("none \"a\"", "b"), "replace-all: there is nothing to replace")
    assert.strictEqual(replaced("\"a\" \"b\"", "a{{else}}c") + Written.ours("a", {}), "ba")
  })

  it("puts the author's text in as markup, and a value as a value", () => {
    const said = (args: string) =>
      Result.getOrThrow(Content.render({
        content: {
          version: "2022-01-01",
          elements: [{ type: "html", content: `<p>{{#replace-all ${args}}}{{v}}<u>,</u>{{/replace-all}}</p>` }]
        },
        channel: "email",
        provider: "email",
        data: { v: "a,<b>", put: "<script>" },
        profile: {},
        context: () => ({ messageId: "1", recipient: "ada", tenantId: undefined, environment: "test" })
      })).html
    assert.include(said("\",\" \"<br>\""), "<p>a<br>&lt;b&gt;<u><br></u></p>")
    assert.include(said("\",\" put"), "<p>a&lt;script&gt;&lt;b&gt;<u>&lt;script&gt;</u></p>")
  })

  it("ends at the limits", () => {
    const given = { long: "a".repeat(100_000), put: "b".repeat(10_000) }
    assert.match(replaced("\"a\" \"\"", "{{long}}", given), /more than 50000 steps/)
    assert.match(replaced("\"a\" put", "{{long}}", given), /more than 1048576 characters/)
    const nested = `${"{{#replace-all \"a\" \"aa\"}}".repeat(31)}a${"{{/replace-all}}".repeat(31)}`
    assert.match(replaced("\"a\" \"aa\"", nested), /more than 50000 steps/)
  })
})
