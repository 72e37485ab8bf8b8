import { body, elements, failure, json } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const many = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => of(n)).join("")

const blocks = (count: number): string => `${"{{#if a}}".repeat(count)}x${"{{/if}}".repeat(count)}`

const chained = (count: number): string => `{{#if no}}${"{{else if no}}".repeat(count - 1)}{{else}}x{{/if}}`

const parens = (count: number): string => `{{concat ${"(concat ".repeat(count)}"x"${")".repeat(count)}}}`

/** A path of so many steps, and data in which it leads to "x". */
const path = (count: number) => ({
  source: `a${".a".repeat(count - 1)}`,
  data: json(`${"{\"a\":".repeat(count)}"x"${"}".repeat(count)}`)
})

/** A tag with so many characters inside. */
const tag = (count: number): string => `{{concat "${"x".repeat(count - "concat \"\"".length)}"}}`

describe("The limits of a template, to their edge", () => {
  const data = { a: true }

  it("32 blocks in each other, those of an `else if` too", () => {
    assert.strictEqual(body(blocks(32), { data }), "x")
    assert.strictEqual(body(chained(32), { data }), "x")
    for (const source of [blocks(33), chained(33)])
      assert.match(failure({ body: source }, { data }), /malformed at .*: blocks are nested more than 32 deep/)
  })

  it("two names of a block, of whatever kind: a path looks through all that are around it", () => {
    const heads = ["each list", "with list", "if a", "unless a", "list", "not a", "params a=1", "trim", "text-block"]
    for (const head of heads) {
      const [kind = ""] = head.split(" ")
      const block = (names: string) => `{{#${head} as |${names}|}}x{{/${kind}}}`
      assert.strictEqual(failure({ body: block("it at") }, { data: { list: [1], a: true } }), "rendered", head)
      assert.match(failure({ body: block("it at more") }), /malformed at .*: a block has more than 2 names$/, head)
    }
    const { data } = path(40)
    const content = (names: string) =>
      `{{#with a as |${names}|}}`.repeat(30) + "{{x}}".repeat(9_900) + "{{/with}}".repeat(30)
    const said = (names: string) =>
      failure(elements({ type: "text", loop: "two", content: content(names) }), {
        data: { ...data, two: [1, 1, 1, 1, 1] }
      })
    assert.match(said("A ".repeat(2_035).trim()), /malformed at character 1: a block has more than 2 names/)
    assert.strictEqual(said("A A"), "rendered")
  })

  it("32 helpers in each other's parentheses", () => {
    assert.strictEqual(body(parens(32)), "x")
    assert.match(failure({ body: parens(33) }), /is not understood/)
  })

  it("32 that name a helper that is not there: to refuse them takes no time that doubles with each", () => {
    for (const call of ["params a=", "concat \"a\" a=", "not "])
      assert.match(
        failure({ body: `{{concat ${`(${call}`.repeat(31)}(nobody 1)${")".repeat(31)}}}` }),
        /is not understood/
      )
  })

  it("32 steps of a path, in its short form too", () => {
    const { data, source } = path(32)
    assert.strictEqual(body(`{{${source}}}`, { data }), "x")
    assert.match(failure({ body: `{{${path(33).source}}}` }), /is not understood/)
    assert.strictEqual(body(`{$.data.${path(30).source}}`, { data: path(30).data }), "x")
    assert.strictEqual(body(`{$.data.${path(31).source}}`, { data: path(31).data }), `{$.data.${path(31).source}}`)
  })

  it("4,096 characters in a tag, and 10,000 tags", () => {
    assert.lengthOf(body(tag(4_096)), 4_096 - "concat \"\"".length)
    assert.match(failure({ body: tag(4_097) }), /a tag does not end/)
    assert.strictEqual(body(many(10_000, () => "{{!}}")), "")
    assert.match(failure({ body: many(10_001, () => "{{!}}") }), /it has more than 10000 tags/)
  })

  it("262,144 characters inside all tags; those of comments and of the text between do not count", () => {
    const full = (more: string) => `{{#if no}}${tag(4_096).repeat(63)}${more}${"x".repeat(300_000)}{{/if}}`
    const left = 4_096 - "if no".length - "if".length
    assert.strictEqual(failure({ body: full(`${tag(left)}{{!${"x".repeat(300_000)}}}`) }, { data }), "rendered")
    assert.match(
      failure({ body: full(tag(left + 1)) }, { data }),
      /malformed at .*: it has more than 262144 characters inside its tags$/
    )
  })

  it("what is malformed is named by no more than its first 80 characters", () => {
    const long = "x".repeat(500)
    for (const source of [`{{${long} ${long}}}`, `{{#${long}}}{{/if}}`, `{{#if a}}{{/${long}}}`, `{{#${long}}}`])
      assert.match(failure({ body: source }), /"x{80}"/)
    const named: ReadonlyArray<readonly [string, RegExp]> = [
      [many(257, (n) => `{{set "${long}${n}" 1}}`), /^"x{80}" is not a name that a template may set$/],
      [`{{var "${long}"}}`, /^The variable "x{80}" was not found$/],
      [`{{${long}}}`, /^The variable "x{80}" was not found$/]
    ]
    for (const [source, detail] of named) assert.match(failure({ body: source }, { throwing: true }), detail)
  })
})
