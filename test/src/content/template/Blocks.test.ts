import { body, failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const data = { name: "Ada", zero: 0, none: null, no: false, yes: true, empty: [], blank: "", user: { name: "Eve" } }

const say = (source: string): string => body(source, { data })

describe("Blocks of templates", () => {
  it("a helper that decides shows its block or the other, and no other helper is a block", () => {
    const held = [
      "and name yes",
      "or no name",
      "not no",
      "condition name \"==\" \"Ada\"",
      "conditional name yes behavior=\"show\"",
      "contains name \"d\"",
      "filter \"data\" \"name\" \"NOT_EMPTY\""
    ]
    for (const head of held) {
      const [name = ""] = head.split(" ")
      assert.strictEqual(say(`{{#${head}}}{{user.name}}{{else}}no{{/${name}}}`), "Eve", head)
      assert.strictEqual(say(`{{^${head}}}no{{else}}{{user.name}}{{/${name}}}`), "Eve", head)
    }
    for (const head of ["concat name yes", "default no yes", "add 1 1", "set \"a\" 1", "trim name", "trim name yes"]) {
      const [name = ""] = head.split(" ")
      assert.match(failure({ body: `{{#${head}}}a{{/${name}}}` }, { data }), /malformed.*is not understood/, head)
    }
  })

  it("conditional hides its block when its condition holds, unless its behavior is to show it", () => {
    const seen = (args: string) =>
      say(`{{#conditional ${args}}}a{{else}}b{{/conditional}}{{^conditional ${args}}}a{{else}}b{{/conditional}}`)
    const shown = "behavior=\"show\""
    for (const more of ["", " behavior=\"hide\"", " behavior=\"other\"", " behavior=none"])
      assert.deepStrictEqual([seen(`name yes${more}`), seen(`name no${more}`)], ["ba", "ab"], more)
    for (const more of [` ${shown}`, " behavior=(concat \"sh\" \"ow\")"])
      assert.deepStrictEqual([seen(`name yes${more}`), seen(`name no${more}`)], ["ab", "ba"], more)
    assert.deepStrictEqual(
      [seen("no yes logicalOperator=\"or\""), seen(`no yes operator="or" ${shown}`)],
      ["ba", "ab"]
    )
    assert.strictEqual(say("{{#if no}}a{{else conditional no}}b{{else}}c{{/if}}"), "b")
    for (const behavior of ["", ` ${shown}`, " behavior=\"hide\""]) {
      const said = (args: string) =>
        say(`{{conditional ${args}${behavior}}} {{#if (conditional ${args}${behavior})}}y{{/if}}`)
      assert.deepStrictEqual([said("name yes"), said("name no")], ["true y", "false "], behavior)
    }
  })

  it("0 is a value where the author says so, and nothing else that is false", () => {
    const shown = (of: string, more: string) =>
      say(`{{#if ${of}${more}}}some{{else}}none{{/if}} {{#unless ${of}${more}}}none{{else}}some{{/unless}}`)
    for (const falsy of ["zero", "no", "none", "blank", "empty"]) {
      assert.strictEqual(shown(falsy, " includeZero=true"), falsy === "zero" ? "some some" : "none none", falsy)
      for (const more of ["", " includeZero=false", " other=true"])
        assert.strictEqual(shown(falsy, more), "none none", falsy)
    }
    assert.strictEqual(say("{{#with zero includeZero=true}}{{this}}{{/with}}"), "0")
  })

  it("a block has one else, and is closed by its own name", () => {
    const wrong: ReadonlyArray<readonly [string, RegExp]> = [
      ["{{#if yes}}{{else}}{{else}}{{/if}}", /there is no block that this else could belong to/],
      ["{{#if yes}}{{else if no}}{{else}}{{else}}{{/if}}", /there is no block that this else could belong to/],
      ["{{#if yes}}{{/unless}}", /"unless" does not close "if"/],
      ["{{#if yes}}{{else unless no}}{{/unless}}", /"unless" does not close "if"/],
      ["{{#each empty}}{{#if yes}}{{/each}}{{/if}}", /"each" does not close "if"/],
      ["{{#user}}{{#if yes}}", /"if" is not closed/],
      ["{{#if yes}}{{else with user}}", /"if" is not closed/],
      ["{{#if yes no}}{{/if}}", /"if yes no" is not understood/],
      ["{{name as |it|}}", /"name as \|it\|" is not understood/],
      ["{{lookup user \"name\" 1}}", /is not understood/],
      ["{{lookup user key=1}}", /is not understood/],
      ["{{#params a=(nobody 1)}}{{/params}}", /is not understood/],
      ["{{concat (nobody 1)}}", /is not understood/],
      ["{{#each empty as |a.b|}}{{/each}}", /is not understood/],
      ["{{#each empty as |.b|}}{{/each}}", /is not understood/]
    ]
    for (const [source, detail] of wrong) assert.match(failure({ body: source }, { data }), detail, source)
  })

  it("parameters are a context of their own, from which the one around is one step up", () => {
    assert.strictEqual(say("{{#params who=name}}{{who}} [{{name}}] {{../name}}{{/params}}"), "Ada [] Ada")
    assert.strictEqual(
      say("{{#with user as |it|}}{{#params name=it.name}}{{name}} {{../../name}}{{/params}}{{/with}}"),
      "Eve Ada"
    )
  })
})
