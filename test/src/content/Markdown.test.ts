import { assertQuick, body, elements, render } from "#test/src/content/Rendering.ts"
import type { Block } from "#src/content/Block.ts"
import { Budget, limits } from "#src/content/Budget.ts"
import { shieldLines } from "#src/content/Inline.ts"
import { markdown } from "#src/content/Markdown.ts"
import * as Plain from "#src/content/Plain.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** Blocks as a line: what they are and what they say. */
const sketch = (blocks: ReadonlyArray<Block>): string =>
  blocks.map((block) => {
    switch (block._tag) {
      case "Paragraph":
        return `${block.style}(${Plain.flow(block.inlines)})`
      case "Code":
        return `code(${block.text})`
      case "List":
        return `${block.ordered ? `ol${block.start}` : "ul"}(${sketch(block.blocks)})`
      default:
        return `${block._tag.toLowerCase()}(${"blocks" in block ? sketch(block.blocks) : ""})`
    }
  }).join(" ")

const read = (source: string): string => sketch(markdown(source, new Budget()))

describe("Markdown", () => {
  it("reads blocks as CommonMark does", () => {
    const texts: ReadonlyArray<readonly [string, string]> = [
      ["# One\n## Two ##\n#### Four\n#no", "h1(One) h2(Two) h3(Four) text(#no)"],
      ["a\nb  \nc\\\nd\n\ne", "text(a b\nc\nd) text(e)"],
      ["- a\n- b\n\n  more\n\n- c\n\nend", "ul(item(text(a)) item(text(b) text(more)) item(text(c))) text(end)"],
      ["3. a\n4. b\n   - x\n   - y", "ol3(item(text(a)) item(text(b) ul(item(text(x)) item(text(y)))))"],
      ["- a\n* b\n1. c\n1) d", "ul(item(text(a))) ul(item(text(b))) ol1(item(text(c))) ol1(item(text(d)))"],
      ["> a\n> - b\n\nc", "quote(text(a) ul(item(text(b)))) text(c)"],
      ["```js\n# a\n\n- b\n```\nc", "code(# a\n\n- b) text(c)"],
      ["~~~~ js ~\na\n~~~\nb\n~~~~\nc", "code(a\n~~~\nb) text(c)"],
      ["~~~ `a`", "text(~~~ a)"],
      ["***\n- - -\n___\na", "divider() divider() divider() text(a)"],
      ["1986\\. A year\n\\# no", "text(1986. A year # no)"],
      ["[a](https://x.io/(b) \"t\") ![i](https://x.io/i.png)", "text(a (https://x.io/(b)) i)"]
    ]
    for (const [source, said] of texts) assert.strictEqual(read(source), said, JSON.stringify(source))
  })

  it("knows each mark to its edge", () => {
    const texts: ReadonlyArray<readonly [string, string]> = [
      ["###### a", "h3(a)"],
      ["####### a", "text(####### a)"],
      ["   # a", "h1(a)"],
      ["    # a", "text(# a)"],
      ["#\n#\ta\n# #\n# a #b #\n# a#\n# a ##\t", "h1() h1(a) h1() h1(a #b) h1(a#) h1(a)"],
      ["   ```\na\n   ```\nb", "code(a) text(b)"],
      ["    ```\na", "text(``` a)"],
      ["````\na\n```\nb\n````\nc", "code(a\n```\nb) text(c)"],
      ["``\na", "text(`` a)"],
      ["~~\na", "text(~~ a)"],
      ["```\na ``` b\n```\nc", "code(a ``` b) text(c)"],
      ["```\na", "code(a)"],
      ["---------\n-\t-\t-\n   ***", "divider() divider() divider()"],
      ["    ---", "text(---)"],
      ["--", "text(--)"],
      ["**", "text(**)"],
      ["__", "text(__)"],
      ["--- a", "text(--- a)"],
      ["   > a\n>b", "quote(text(a b))"],
      ["    > a", "text(> a)"],
      ["> ```\n>   a\n> ```", "quote(code(  a))"],
      ["+ a\n+\tb\n+", "ul(item(text(a)) item(text(b)) item())"],
      ["    - a", "text(- a)"],
      ["123456789. a", "ol123456789(item(text(a)))"],
      ["1234567890. a", "text(1234567890. a)"],
      ["-a 1.b", "text(-a 1.b)"],
      [". a\n) b", "text(. a ) b)"]
    ]
    for (const [source, said] of texts) assert.strictEqual(read(source), said, JSON.stringify(source))
  })

  it("a paragraph goes on in the next line, unless something else begins there", () => {
    const texts: ReadonlyArray<readonly [string, string]> = [
      ["a\n```\nb\n```\nc", "text(a) code(b) text(c)"],
      ["a\n# b\nc", "text(a) h1(b) text(c)"],
      ["a\n---\nb", "text(a) divider() text(b)"],
      ["a\n> b", "text(a) quote(text(b))"],
      ["a\n1. b", "text(a) ol1(item(text(b)))"],
      ["a\rb\r\nc\n    d", "text(a b c d)"],
      ["a\r\rb", "text(a) text(b)"],
      ["a \nb  \nc     \nd  ", "text(a b\nc\nd)"]
    ]
    for (const [source, said] of texts) assert.strictEqual(read(source), said, JSON.stringify(source))
  })

  it("what stands below an item, as far in as its text, is part of it, and so is the rest of a paragraph", () => {
    const texts: ReadonlyArray<readonly [string, string]> = [
      ["- a\nb\n  c", "ul(item(text(a b c)))"],
      ["- a\n - b", "ul(item(text(a)) item(text(b)))"],
      ["- a\n  - b\n    - c\n  - d", "ul(item(text(a) ul(item(text(b) ul(item(text(c)))) item(text(d)))))"],
      ["  - a\n  - b\n    - c", "ul(item(text(a)) item(text(b) ul(item(text(c)))))"],
      ["   1. a\n   2. b\n     - c", "ol1(item(text(a)) item(text(b) ul(item(text(c)))))"],
      ["10. a\n  - b\n11. c", "ol10(item(text(a) ul(item(text(b)))) item(text(c)))"],
      ["- a\n\n  b\n\n c", "ul(item(text(a) text(b))) text(c)"],
      ["- ```\n    a\n  ```\n- b", "ul(item(code(  a)) item(text(b)))"],
      ["  - ```\n      a\n    ```\n  - b", "ul(item(code(  a)) item(text(b)))"],
      ["* a\n* * *\n* b", "ul(item(text(a))) divider() ul(item(text(b)))"]
    ]
    for (const [source, said] of texts) assert.strictEqual(read(source), said, JSON.stringify(source))
  })

  it("no blank lines end an item or a list, however many and whatever blanks they have", () => {
    for (const blank of ["\n", " \n", "\n\n", "\n \n\t\n", "\n".repeat(50)]) {
      const texts: ReadonlyArray<readonly [string, string]> = [
        ["- a#- b#- c", "ul(item(text(a)) item(text(b)) item(text(c)))"],
        ["1. a#2. b#c", "ol1(item(text(a)) item(text(b))) text(c)"],
        ["- a#  b#  - c#  - d#- e", "ul(item(text(a) text(b) ul(item(text(c)) item(text(d)))) item(text(e)))"],
        ["- a# b", "ul(item(text(a))) text(b)"],
        ["- a#* b#1. c", "ul(item(text(a))) ul(item(text(b))) ol1(item(text(c)))"],
        ["* a#* * *#* b", "ul(item(text(a))) divider() ul(item(text(b)))"],
        ["- a#", "ul(item(text(a)))"],
        ["> - a\n>#> - b", "quote(ul(item(text(a)))) quote(ul(item(text(b))))"]
      ]
      for (const [source, said] of texts)
        assert.strictEqual(read(source.replaceAll("#", `\n${blank}`)), said, JSON.stringify(source + blank))
    }
    assert.strictEqual(read("- ```\n  a\n\n\n  b\n  ```\n- c"), "ul(item(code(a\n\n\nb)) item(text(c)))")
  })

  it("reads lists and quotes in five others at most, and what is deeper as text", () => {
    assert.strictEqual(read(">".repeat(6)), `${"quote(".repeat(5)}text(>)${")".repeat(5)}`)
    assert.strictEqual(read(`${"- ".repeat(6)}a`), `${"ul(item(".repeat(5)}text(- a)${"))".repeat(5)}`)
    const deep = `${">".repeat(5)} a`
    assert.strictEqual(
      read(`${deep}\n${deep.replace("a", "> b")}`),
      `${"quote(".repeat(5)}text(a) text(> b)${")".repeat(5)}`
    )
    assert.strictEqual(read("> - > - > - > a"), "quote(ul(item(quote(ul(item(quote(text(- > a))))))))")
  })

  it("what data says in code is as it is", () => {
    const value = shieldLines("*a*\n```\r\nb", new Budget())
    assert.strictEqual(read(`\`\`\`\n${value}\n\`\`\``), "code(*a*\n```\nb)")
  })

  it("is paid for, line by line", () => {
    for (const [before, line] of [["", ""], ["", "a"], ["", "- a"], ["", "> a"], ["```\n", "a"]] as const) {
      const budget = new Budget()
      markdown(`${before}${`${line}\n`.repeat(limits.steps)}a`, budget)
      assert.isDefined(budget.failure, line)
    }
  })

  it.effect.prop(
    "what data says is never markdown, in lines of its own too",
    { value: Schema.String },
    ({ value }) =>
      Effect.sync(() => {
        const kept = value.replaceAll(/[\uFDD0-\uFDEF]/g, "").replaceAll(/\r\n?/g, "\n").trim()
        for (const v of [value, `# h\n- ${value}\n> q`, `${value}\n\n1. a\n***\n\`\`\``]) {
          const { text } = render(elements({ type: "text", format: "markdown", content: "x {{v}} y" }), {
            channel: "push",
            data: { v }
          })
          const said = v === value ? kept : v.replaceAll(/[\uFDD0-\uFDEF]/g, "").replaceAll(/\r\n?/g, "\n").trim()
          assert.include(text, said === "" ? "x" : said)
          assert.isTrue(text.startsWith("x ") && text.endsWith(" y"))
        }
      })
  )

  it.effect.prop("any text is answered", {
    text: Schema.String,
    lines: Schema.Array(Schema.Literals(["- a", "> b", "  c", "", "# d", "1. e", "```", "---", "\t"]))
  }, ({ lines, text }) => Effect.sync(() => assert.isString(read([...lines, text].join("\n")))))

  it("ends bombs within the budget, quickly", () => {
    const bombs = [
      "[".repeat(50_000),
      "*a ".repeat(33_000),
      "*_".repeat(50_000),
      "a__".repeat(33_000),
      ">".repeat(100_000),
      "- ".repeat(50_000),
      "![".repeat(50_000),
      "[a](".repeat(30_000),
      "[a](b \"".repeat(20_000),
      `# ${" ".repeat(100_000)}x`,
      `- ${" ".repeat(100_000)}\u2028x`,
      `${"- ".repeat(20)}\n`.repeat(5_000),
      `${"> ".repeat(20)}\n`.repeat(5_000),
      Array.from({ length: 600 }, (_, n) => `${" ".repeat(n)}- a`).join("\n"),
      "- a\n\n".repeat(20_000),
      `- a${"\n".repeat(40_000)}`.repeat(5),
      `- - a${"\n".repeat(20_000)}${" ".repeat(100_000)}b`,
      "`".repeat(100_000),
      "#".repeat(100_000),
      `${"~".repeat(150_000)}\``,
      "- - - - - -x\n".repeat(8_000)
    ]
    for (const source of bombs) assertQuick(() => markdown(source, new Budget()), source.slice(0, 20))
  })

  it("reads only what stands in a line where no format is given", () => {
    assert.strictEqual(body("# a\n- **b**"), "# a\n- b")
  })
})
