import { Budget, limits } from "#src/content/Budget.ts"
import { inline, type Inline, shield, shieldLines, unshield } from "#src/content/Inline.ts"
import { assertQuick } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

/** What stands in a line, with its marks as tags. */
const sketch = (pieces: ReadonlyArray<Inline>): string =>
  pieces.map((piece) => {
    switch (piece._tag) {
      case "Text":
        return piece.text
      case "Code":
        return `<code>${piece.text}</code>`
      case "Link":
        return `<a ${piece.href}>${piece.label === undefined ? piece.text : sketch(piece.label)}</a>`
      case "Image":
        return `<img ${[piece.src, piece.alt, piece.href].join(" ").trimEnd()}>`
      case "Open":
        return `<${piece.emphasis}>`
      case "Close":
        return `</${piece.emphasis}>`
      default:
        return piece._tag
    }
  }).join("")

const parsed = (source: string): ReadonlyArray<Inline> => inline(source, new Budget())

const read = (source: string): string => sketch(parsed(source))

const value = (text: string): string => shield(text, new Budget())

const written = [
  "*",
  "**",
  "***",
  "_",
  "__",
  "~~",
  "`",
  "[",
  "](x)",
  "](x 'y')",
  "![",
  "![b](c)",
  "\\",
  "a",
  "B1",
  "é",
  " ",
  "\n",
  value("v")
] as const

const said = [
  "*",
  "_",
  "~",
  "`",
  "[",
  "](b)",
  "](<b>)",
  "<https://x>",
  "<",
  ">",
  "\\",
  "a",
  " ",
  "\r",
  "\n",
  "\r\n",
  "\uFDCF",
  "\uFDD0",
  "\uFDD9"
] as const
const more = ["\uFDDA", "\uFDDB", "\uFDDC", "\uFDEF", "\uFDF0"] as const

describe("What an author marks in a line", () => {
  it("is marked by each kind of mark, where nothing else is", () => {
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["*a*", "<em>a</em>"],
      ["_a_", "<em>a</em>"],
      ["**a**", "<strong>a</strong>"],
      ["__a__", "<strong>a</strong>"],
      ["~~a~~", "<del>a</del>"],
      ["`a`", "<code>a</code>"],
      ["[a](b)", "<a b>a</a>"],
      ["![a](b)", "<img b a>"],
      ["a\\_", "a_"],
      ["***a***", "<strong><em>a</em></strong>"],
      ["*a **b***", "<em>a <strong>b</strong></em>"],
      ["***a* b**", "<strong><em>a</em> b</strong>"],
      ["*a *b c* d*", "<em>a <em>b c</em> d</em>"]
    ]
    for (const [source, marked] of examples) assert.strictEqual(read(source), marked, source)
  })

  it("begins before a word and ends after one, and an underscore never stands within one, in any script", () => {
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["* a*", "* a*"],
      ["*a *", "*a *"],
      ["*a * b*", "<em>a * b</em>"],
      ["*a b_ c*", "<em>a b_ c</em>"],
      ["*a ~~ c*", "<em>a ~~ c</em>"],
      ["_a_b_", "<em>a_b</em>"],
      ["a_b_", "a_b_"],
      ["é_b_ 1_b_ я_b_", "é_b_ 1_b_ я_b_"],
      ["_b_é _b_1 _b_я", "_b_é _b_1 _b_я"],
      ["a*b*c", "a<em>b</em>c"],
      ["**a** b**", "<strong>a</strong> b**"],
      ["*a **b* c**", "<em>a **b</em> c**"],
      ["(_b_), \"__b__\"", "(<em>b</em>), \"<strong>b</strong>\""],
      [`${value("v")}_b_`, "v_b_"],
      [`_b_${value("v")}`, "_b_v"]
    ]
    for (const [source, marked] of examples) assert.strictEqual(read(source), marked, source)
  })

  it("is in one line, but for emphasis; an address has no spaces and at most a pair of brackets in it", () => {
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["*a\nb*", "<em>a\nb</em>"],
      ["`a\nb`", "`a\nb`"],
      ["[a\nb](c)", "[a\nb](c)"],
      ["[a [b](c)", "[a <a c>b</a>"],
      ["[a](b (c d))", "[a](b (c d))"],
      ["[a](b(c d))", "[a](b(c d))"],
      ["[a](b(c))", "<a b(c)>a</a>"],
      ["[a](b(c(d)))", "[a](b(c(d)))"],
      ["[a](b \"t\")", "<a b>a</a>"],
      ["[a](b \"t\nu\")", "[a](b \"t\nu\")"],
      ["[a](b\"t\")", "<a b\"t\">a</a>"],
      ["[a](b 't')", "<a b>a</a>"],
      ["[a](b 'it \"is\"')", "<a b>a</a>"],
      ["[a](b 't\nu')", "[a](b 't\nu')"],
      ["[a](b 't\")", "[a](b 't\")"],
      ["![a](b 't')", "<img b a>"],
      ["[a] (b)", "[a] (b)"]
    ]
    for (const [source, marked] of examples) assert.strictEqual(read(source), marked, source)
  })

  it("is a link with spaces around its address, with brackets around it or in its label, and as an address alone", () => {
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["[a]( https://x.io )", "<a https://x.io>a</a>"],
      ["[a](\t b  't' )", "<a b>a</a>"],
      ["[a](\nb)", "[a](\nb)"],
      ["![a]( b )", "<img b a>"],
      ["[see [1]](https://x.io)", "<a https://x.io>see [1]</a>"],
      ["[[1] and *[2]*](b)", "<a b>[1] and <em>[2]</em></a>"],
      ["[a [b](c)](d)", "[a <a c>b</a>](d)"],
      ["[a [b [c]]](d)", "[a [b [c]]](d)"],
      ["[![a [b]](c)](d)", "[<img c a [b]>](d)"],
      ["[a](<https://x.io/a b>)", "<a https://x.io/a%20b>a</a>"],
      ["[a](<b (c)> \"t\")", "<a b%20(c)>a</a>"],
      ["[a](<>)", "<a >a</a>"],
      ["[a](<b)", "[a](<b)"],
      ["[a](<b\n>)", "[a](<b\n>)"],
      ["[![a](<b c>)](d)", "<img b%20c a d>"],
      ["Go to <https://x.io/a_b_c?d=(e)>!", "Go to <a https://x.io/a_b_c?d=(e)>https://x.io/a_b_c?d=(e)</a>!"],
      [
        "<mailto:a@x.io> <tel:+1> <http://x>",
        "<a mailto:a@x.io>mailto:a@x.io</a> <a tel:+1>tel:+1</a> <a http://x>http://x</a>"
      ],
      ["<javascript:x> <https:x> <https://a b> <b> 1 < 2", "<javascript:x> <https:x> <https://a b> <b> 1 < 2"],
      [`<https://x.io/${value("a >*b")}>`, "<a https://x.io/a%20>*b>https://x.io/a >*b</a>"],
      [`[a](<${value("b> c")}>)`, "<a b>%20c>a</a>"],
      [value("<https://x.io> [a](<b>)"), "<https://x.io> [a](<b>)"],
      [`<${value("https://x.io")}>`, "<https://x.io>"]
    ]
    for (const [source, marked] of examples) assert.strictEqual(read(source), marked, source)
  })

  it("stands in the label of a link as well, but not across its edge", () => {
    const examples: ReadonlyArray<readonly [string, string, string]> = [
      ["[**a**](b)", "<a b><strong>a</strong></a>", "a"],
      ["[*a* `c_d` ~~e~~](b)", "<a b><em>a</em> <code>c_d</code> <del>e</del></a>", "a c_d e"],
      ["**[a](b)**", "<strong><a b>a</a></strong>", "a"],
      ["[**a](b)**", "<a b>**a</a>**", "**a"],
      ["[a\\_b\\_](c)", "<a c>a_b_</a>", "a_b_"],
      [`[**${value("*v*")}**](b)`, "<a b><strong>*v*</strong></a>", "*v*"],
      ["[![a](b)](c)", "<img b a c>", ""],
      ["[![a](b 't')](c 't')", "<img b a c>", ""],
      [`[![${value("v]")}](b?${value("w ")})](c)`, "<img b?w%20 v] c>", ""],
      ["[a ![b](c) *d*](e)", "<a e>a <img c b> <em>d</em></a>", "a b d"],
      ["[![**a**](b) c](d)", "<a d><img b a> c</a>", "a c"],
      ["![*a* b](c)", "<img c a b>", ""],
      ["[![a](b)]", "[<img b a>]", ""],
      ["[![[a](b)](c)](d)", "[![<a b>a</a>](c)](d)", "a"]
    ]
    for (const [source, marked, text] of examples) {
      assert.strictEqual(read(source), marked, source)
      const links = parsed(source).flatMap((piece) => piece._tag === "Link" ? [piece.text] : [])
      assert.deepStrictEqual(links, text === "" ? [] : [text], source)
    }
  })

  it("means nothing after a backslash, which itself stays before all else", () => {
    for (let code = 33; code < 127; code++) {
      const character = String.fromCharCode(code)
      const kept = "*_~`[]()\\!#>+.-".includes(character) ? character : `\\${character}`
      assert.strictEqual(read(`a\\${character}`), `a${kept}`)
    }
    for (const source of ["*a*", "`a`", "[a](b)", "_a_", "~~a~~"])
      assert.strictEqual(read(source.replaceAll(/[^a-z]/g, "\\$&")), source)
    assert.strictEqual(read("\\![a](b)"), "!<a b>a</a>")
  })

  it.prop("is properly nested, whatever is written, and no text of it is empty", {
    parts: Schema.Array(Schema.Literals(written))
  }, ({ parts }) => {
    const open: Array<string> = []
    for (const piece of parsed(parts.join(""))) {
      if (piece._tag === "Open") open.push(piece.emphasis)
      if (piece._tag === "Close") assert.strictEqual(open.pop(), piece.emphasis)
      if (piece._tag === "Text") assert.notStrictEqual(piece.text, "")
      if (piece._tag === "Link") assert.notInclude((piece.label ?? []).map(({ _tag }) => _tag), "Link")
    }
    assert.isEmpty(open)
  }, { arbitrary: { runs: 1_000 } })

  it("is read in linear time, whatever does not end", () => {
    const begun = [
      "[",
      "![",
      "[![",
      "[![a](b)",
      "[![a](b 't",
      "[![a](b)](c",
      "![a](b)",
      "[a](b 't",
      "[a](b \"t' ",
      "](b '",
      "\\![",
      `[![${value("v")}`,
      "[a]( ",
      "[a](<b ",
      "[![a](<b>)",
      "[[a]",
      "[[",
      "![a] ",
      "<https://x",
      " ",
      "[a](   "
    ]
    for (const part of begun) {
      assertQuick(() => parsed(`[a](${part.repeat(40_000)}b c`), part)
      for (const source of [part.repeat(40_000), `[${part.repeat(40_000)}`, `[![${part.repeat(40_000)}`])
        assertQuick(() => parsed(source), part)
    }
  })

  it("is paid for, mark by mark", () => {
    for (const [marks, isEnough] of [[limits.steps, true], [limits.steps + 1, false]] as const) {
      const [author, data] = [new Budget(), new Budget()]
      inline("* ".repeat(marks), author)
      shield("*".repeat(marks), data)
      assert.deepStrictEqual([author, data].map(({ failure }) => failure === undefined), [isEnough, isEnough])
    }
  })
})

describe("A value in a marked line", () => {
  it.prop("comes out as it was, without what Unicode keeps for a program's own use", {
    parts: Schema.Array(Schema.Literals([...said, ...more]))
  }, ({ parts }) => {
    const text = parts.join("")
    const kept = text.replaceAll(/[\uFDD0-\uFDEF]/g, "")
    for (const [before, after] of [["", ""], ["*", "*"], ["**a ", "**"], ["a\\\\", "b"]] as const) {
      const pieces = parsed(`${before}${value(text)}${after}`)
      const own = pieces.map((piece) => piece._tag === "Text" ? piece.text : "").join("")
      assert.strictEqual(own, `${before.replaceAll("*", "").replace("\\\\", "\\")}${kept}${after.replaceAll("*", "")}`)
      assert.isTrue(pieces.every(({ _tag }) => _tag === "Text" || _tag === "Open" || _tag === "Close"))
    }
    assert.strictEqual(read(`\`${value(text)}\``), kept.includes("\n") ? `\`${kept}\`` : `<code>${kept}</code>`)
    const lines = shieldLines(text, new Budget())
    assert.notMatch(lines, /[\r\n]/)
    assert.strictEqual(unshield(lines), kept.replaceAll(/\r\n?/g, "\n"))
  }, { arbitrary: { runs: 300 } })

  it("is one word of a label and of an address, where its spaces are escaped", () => {
    const v = value("a b\tc\n](d) e")
    assert.strictEqual(read(`[${v}](x?${v}&y)`), "<a x?a%20b%09c%0A](d)%20e&y>a b\tc\n](d) e</a>")
  })
})
