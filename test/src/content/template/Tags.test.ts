import * as Handlebars from "#test/src/content/template/Handlebars.ts"
import { assert, describe, it } from "@effect/vitest"

const data = {
  name: "Ada",
  else: "E",
  elsewhere: "W",
  yes: true,
  zero: 0,
  list: ["a", "b"],
  user: { name: "Eve", k: "x" },
  "a b": ["x", "y"],
  "k": 1,
  "k\\": 2,
  "k\\l": 3,
  "]": 4,
  "\\": 5,
  "c": { "d ]e": "z", "e ]}}f": "y", "g]\"h": "x" }
}

/** Each is what Handlebars says, too. */
const all = (examples: ReadonlyArray<readonly [string, string]>): void => {
  for (const [source, said] of examples) {
    assert.strictEqual(Handlebars.theirs(source, data), said, source)
    assert.strictEqual(Handlebars.ours(source, { data }), said, source)
  }
}

const refused = (...sources: ReadonlyArray<string>): void => {
  for (const source of sources) {
    assert.isFalse(Handlebars.reads(source), source)
    assert.match(Handlebars.ours(source, { data }), /^The template is malformed/, source)
  }
}

describe("Tags of templates", () => {
  it("quotes and brackets hold braces, and backslashes hold quotes", () =>
    all([
      ["{{concat \"a\\\"}}\" \"b\"}}", "a\"}}b"],
      ["{{concat 'a\\'}}' \"b\"}}", "a'}}b"],
      ["{{concat [a}}b] \"c\"}}", "c"],
      ["{{c.[e \\]}}f]}} {{c.[g\\]\"h]}}", "y x"],
      ["{{concat 'C:\\'}} {{concat \"C:\\\"}}", "C:\\ C:\\"],
      ["{{{concat \"}}}\"}}}", "}}}"]
    ]))

  it("a key in brackets is read without the backslashes before brackets and backslashes, the last ones too", () =>
    all([
      ["{{[k\\]}}", "1"],
      ["{{[k\\\\]}}", "2"],
      ["{{[k\\\\l]}} {{[k\\l]}}", "3 3"],
      ["{{[\\]]}} {{[\\\\]}}", "4 5"],
      ["{{concat this.[k\\] \".\"}}", "1."]
    ]))

  it("the names of a block are words between bars, and no bars are empty", () => {
    all([
      ["{{#each list as |it at|}}{{it}}{{at}}{{/each}}", "a0b1"],
      ["{{#each list as\n                    | it\tat | }}{{it}}{{at}}{{/each}}", "a0b1"],
      ["{{#each list as |1|}}{{this}}{{/each}}", "ab"]
    ])
    const wrong = ["", " ", "1 ", "true it", "it.at", "it/at", "\"it\"", "it=1", "@it", "it,at", "(it)", "it!"]
    refused(...wrong.map((names) => `{{#each list as |${names}|}}{{/each}}`))
    refused("{{#each list as |it}}{{/each}}", "{{#each list as |it| at}}{{/each}}", "{{#each list as |}}{{/each}}")
  })

  it("a comment ends at the first braces, or else at those after its two dashes", () => {
    all([
      ["{{! a }} b}}", " b}}"],
      ["{{!-- a }} b --}}c", "c"],
      ["{{!--}}x--}}y", "x--}}y"],
      ["{{!---}}x--}}y", "x--}}y"],
      ["{{! a ~}}  x", "x"],
      ["{{!-- a --~}}  x", "x"],
      ["x  {{~! a}} y", "x y"],
      ["x  {{~!-- a }} --}} y", "x y"]
    ])
    refused("{{!-- a }}", "{{!-- a --", "{{! a }")
  })

  it("braces come in threes, with the tilde between the second and the third", () => {
    all([
      [" {{{name}}} ", " Ada "],
      [" {{~{name}~}} ", "Ada"],
      [" {{{ concat name }~}} ", " Ada"],
      [" {{~{ concat name }}} ", "Ada "]
    ])
    refused("{{{name}}", "{{{name~}}}", "{{{name~}}", "{{ {name}}}")
  })

  it("else is a branch where it stands alone, and elsewhere a name", () => {
    all([
      ["{{#if yes}}a{{ else }}b{{/if}}{{#if zero}}a{{else}}b{{/if}}{{#if zero}}a{{^}}b{{/if}}", "abb"],
      ["{{&else}} {{{else}}} {{elsewhere}} {{concat else}} {{this.else}}", "E E W E E"],
      ["{{#if zero}}a{{else if name}}b{{else}}c{{/if}}", "b"]
    ])
    refused("{{else}}", "{{^}}")
  })

  it("a tag that is alone on its line takes the line with it, whatever blanks are beside it", () =>
    all([
      ["a\n \t{{#if yes}}\t \nb\n\t{{/if}}\nc", "a\nb\nc"],
      ["\r\n  {{#if yes}}\r\n a \r\n {{/if}} \r\nb", "\r\n a \r\nb"],
      [" {{! a }} \n\n x", "\n x"],
      [" {{name}} \n {{! a }} \nx", " Ada \nx"],
      ["x {{! a }}\n y", "x \n y"],
      ["x\n {{! a }} y", "x\n  y"]
    ]))

  it("a backslash makes text of a tag, and two are one before a tag", () =>
    all([
      ["\\{{name}} {{name}}", "{{name}} Ada"],
      ["a\\{{name}}b", "a{{name}}b"],
      ["a\\\\{{name}}b", "a\\Adab"],
      ["{{name}}\\{{name}}", "Ada{{name}}"],
      ["{{name}}\\\\{{name}}", "Ada\\Ada"]
    ]))

  it("a block is closed by the name that it was opened by, whatever that has of spaces", () => {
    all([
      ["{{#[a b]}}{{this}}{{/[a b]}}{{^[a b]}}n{{/[a b]}}", "xy"],
      ["{{#\"a b\"}}{{this}}{{/\"a b\"}}{{#'a b'}}{{this}}{{/ 'a b' }}", "xyxy"],
      ["{{#[a b] as |it at|}}{{it}}{{at}}{{/[a b]}}", "x0y1"],
      ["{{# this.[a b] }}{{this}}{{/this.[a b]}}{{#@root.[a b]}}{{this}}{{/@root.[a b]}}", "xyxy"],
      ["{{#c.[d \\]e]}}{{this}}{{/c.[d \\]e]}}", "z"]
    ])
    refused("{{#[a b]}}{{/[a}}", "{{#[a b]}}{{/[a c]}}", "{{#name}}{{/name k}}")
  })

  it("a loop has its place, its key, and those of the loops around it", () =>
    all([
      ["{{#each list}}{{@index}} {{@key}} {{@first}} {{@last}} {{/each}}", "0 0 true false 1 1 false true "],
      ["{{#each user}}{{@index}} {{@key}} {{@first}} {{@last}} {{/each}}", "0 name true false 1 k false true "],
      ["{{#each list}}{{#each ../list}}{{@../index}}-{{@index}} {{/each}}{{/each}}", "0-0 0-1 1-0 1-1 "],
      ["{{#each list}}{{#with ../user}}{{@index}} {{@last}} {{/with}}{{/each}}", "0 false 1 true "],
      ["{{#each list}}{{#if @key}}y{{else}}n{{/if}}{{/each}}{{#each user}}{{@key.length}}{{/each}}", "ny41"],
      ["{{#each user as |value key|}}{{key}}={{value}} {{/each}}", "name=Eve k=x "],
      ["{{#each list}}{{@root.user.name}}{{@root.[name]}} {{/each}}", "EveAda EveAda "],
      ["{{#each name}}a{{else}}b{{/each}}{{#each zero}}a{{else}}b{{/each}}{{#with zero}}{{this}}{{/with}}", "bb0"]
    ]))

  it("a step up leaves a context, and a block that stays in its own has none to leave", () =>
    all([
      ["{{#with user}}{{name}} {{../name}} [{{../../name}}]{{/with}}", "Eve Ada []"],
      ["{{#with this}}{{name}} [{{../name}}]{{/with}}", "Ada []"],
      ["{{#with user}}{{#with this}}{{name}} {{../name}}{{/with}}{{/with}}", "Eve Ada"],
      [
        "{{#with user}}{{#if k}}{{../name}} {{#each ../list}}{{../name}}{{../../name}} {{/each}}{{/if}}{{/with}}",
        "Ada EveAda EveAda "
      ]
    ]))

  it("the root by its short name is the same wherever it stands, for helpers too", () => {
    const scope = { data: { ...data, odd: { $: { name: "own" } } }, system: () => ({ tenant: { name: "Acme" } }) }
    const said = (source: string) => Handlebars.ours(source, { ...scope, throwing: true })
    const forms = [
      "{$.tenant.name}",
      "{{$.tenant.name}}",
      "{{lookup $.tenant \"name\"}}",
      "{{var \"$.tenant.name\"}}",
      "{{path \"$.tenant.name\"}}",
      "{{concat $.tenant.name}}"
    ]
    const around: ReadonlyArray<readonly [string, string]> = [
      ["", ""],
      ["{{#each list}}{{#if @first}}", "{{/if}}{{/each}}"],
      ["{{#with user}}", "{{/with}}"],
      ["{{#user}}{{#with k}}", "{{/with}}{{/user}}"],
      ["{{#with odd}}", "{{/with}}"],
      ["{{#params a=1}}", "{{/params}}"]
    ]
    for (const form of forms) {
      for (const [before, after] of around)
        assert.strictEqual(said(before + form + after), "Acme", before + form + after)
    }
    assert.strictEqual(said("{{#each list}}{{this}} at {$.tenant.name};{{/each}}"), "a at Acme;b at Acme;")
    assert.strictEqual(said("{{#with $.tenant}}{{name}}{{/with}}{{#$.data.list}}{{this}}{{/$.data.list}}"), "Acmeab")
    // What goes by that name otherwise says so: a name of the block, or the context's own data.
    assert.strictEqual(said("{{#with user as |$|}}{{$.name}}{{/with}}"), "Eve")
    assert.strictEqual(
      said("{{#with odd}}{{this.$.name}} {{./$.name}}{{#with $}}{{../$.name}}{{/with}}{{/with}}"),
      "own ownown"
    )
  })

  it("the root has all that a template may name, not its data alone", () => {
    const scope = { data, profile: { email: "a@x.io" }, system: () => ({ messageId: "m1" }) }
    const source =
      "{{#each list}}{{@root.profile.email}} {{@root.messageId}} {{@root.$.profile.email}} {{@root.name}};{{/each}}"
    assert.strictEqual(Handlebars.ours(source, scope), "a@x.io m1 a@x.io Ada;".repeat(2))
  })
})
