import { decode } from "#src/content/html/Entities.ts"
import { escape } from "#src/content/html/Escape.ts"
import { textOf } from "#src/content/html/Text.ts"
import { dom } from "#test/src/content/Dom.ts"
import { assertQuick } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const apart = "address article blockquote center dl fieldset footer form header main nav ol p pre section table ul"
const lines = "dd div dt figure tr"

const assertAll = (examples: ReadonlyArray<readonly [string, string]>): void => {
  for (const [html, text] of examples) assert.strictEqual(textOf(html), text, html)
}

describe("HTML as plain text", () => {
  it("has a line for each line that a reader sees, and paragraphs apart", () => {
    for (const name of [...apart.split(" "), "h1", "h2", "h3", "h4", "h5", "h6"])
      assert.strictEqual(textOf(`x<${name}>y</${name}>z`), "x\n\ny\n\nz", name)
    for (const name of lines.split(" ")) assert.strictEqual(textOf(`x<${name}>y</${name}>z`), "x\ny\nz", name)
    for (const name of ["b", "span", "hgroup", "x-y"])
      assert.strictEqual(textOf(`x<${name}>y</${name}>z`), "xyz", name)
    for (const name of ["td", "th"]) assert.strictEqual(textOf(`x<${name}>y</${name}>z`), "x y z", name)
    assertAll([
      ["<p> a </p> <p> b </p>", "a\n\nb"],
      ["a<br>b<br/>c<BR>d", "a\nb\nc\nd"],
      ["<div><div>a</div></div><div>b</div>", "a\nb"],
      ["<div>a</div><p>b</p><div>c</div>", "a\n\nb\n\nc"],
      ["<ul><li>a<li>b</li></ul>c", "- a\n- b\n\nc"],
      ["a<hr>b<hr/>", "a\n\n----------\n\nb\n\n----------"],
      ["<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"]
    ])
  })

  it("has white space once, whatever elements stand in it, and keeps that which does not break", () => {
    assertAll([
      ["a <b> b</b>  c\n\t\r\f d", "a b c d"],
      [" <i> </i> a <br> b ", "a\nb"],
      ["a<br> b", "a\nb"],
      ["<p>a </p>b", "a\n\nb"],
      ["a&nbsp;&nbsp;b\u2003c", "a\u00a0\u00a0b\u2003c"]
    ])
  })

  it("has the white space of preformatted text, with the elements in it, and nowhere else", () => {
    assertAll([
      ["x <pre>a\n  b\n\n\tc  d</pre> y  z", "x\n\na\n  b\n\n\tc  d\n\ny z"],
      ["x<PRE class=y>\na\r\n<b> b</b>\rc\n</PRE>\n z", "x\n\na\n b\nc\n\nz"],
      ["x<pre>\r\n\na\n\n\n</pre><p>z", "x\n\n\na\n\n\nz"],
      ["x<pre>a &lt;b&gt;<br>c</pre>", "x\n\na <b>\nc"],
      ["x<pre></pre>y", "x\n\ny"]
    ])
    assertQuick(() => void textOf(`<pre>${"\n".repeat(200_000)}x</pre>${"<pre>\n</pre>".repeat(50_000)}`), "line ends")
  })

  it("has no text that nobody sees, and nothing else goes with it", () => {
    for (const name of ["script", "style", "title", "template", "noscript", "STYLE"]) {
      const unseen = `y <p>y</p><a href="https://x.io">y</a><img alt="y"><hr><li>y</${
        name === "style" ? "title" : "b"
      }>`
      assert.strictEqual(textOf(`x<${name}>${unseen}</${name}>z`), "xz", name)
      assert.strictEqual(textOf(`x<${name}>if (a<b && c == "<d") e()</${name}\n>z`), "xz", name)
      assert.strictEqual(textOf(`x<${name} a="b">y < y`), "x", name)
    }
    assertAll([
      ["<html><head><meta charset=utf-8><title>t</title></head>x", "x"],
      ["<html><head><title>t</title><body>x", "x"],
      ["x<!-- <p>y</p> > -->z", "xz"],
      ["<!doctype html><?xml y?>x</>", "x"],
      ["x<style>a</style >y<style>b</style>z", "xyz"],
      ["x<style>a</styles>b</style>z", "xz"],
      ["a</>b<!>c<?>d<!-->e", "abcde"],
      ["x<!-- y", "x"],
      ["x<p y", "x"]
    ])
  })

  it("has nothing of a tag, whatever its values hold", () => {
    assertAll([
      ["a<p title=\"b > c\" lang='>'>d</p>", "a\n\nd"],
      ["<img alt = \"a > b\"><img alt='c -> \"d\"'>", "a > bc -> \"d\""],
      ["<a title='>' href=\"https://x.io/?a>b\">l</a>", "l (https://x.io/?a>b)"],
      ["<p it's>a</p><p class=it's>b</p>", "a\n\nb"],
      ["<p title=\"a>b", "b"]
    ])
  })

  it("has what looks like a tag and is none", () => {
    assertAll([
      ["a < b <3 c<= d", "a < b <3 c<= d"],
      ["a &lt;b&gt; &amp;lt;", "a <b> &lt;"],
      ["a <", "a <"]
    ])
  })

  it("has the address of a link after its label, if a reader may follow it and does not see it there", () => {
    assertAll([
      ["<a href=\"https://x.io\">l</a>.", "l (https://x.io)."],
      ["<A HREF='https://x.io'>l</A>", "l (https://x.io)"],
      ["<a title=\"t\" href = https://x.io>l</a>", "l (https://x.io)"],
      ["<a title=\"t\"\" href=\"https://x.io\">l</a>", "l (https://x.io)"],
      ["<a href=https://x.io/?a=\"b\">l</a>", "l (https://x.io/?a=\"b\")"],
      ["<a href=\" https://x.io?a=1&amp;b=2 \"> <b>l</b> </a>m", "l (https://x.io?a=1&b=2)m"],
      ["<a href=\"https://x.io\"> https://x.io </a>", "https://x.io"],
      ["a <a href=\"https://x.io\"></a>", "a https://x.io"],
      ["<a href=\"https://x.io\"><img src=\"i.png\" alt=\"i &amp; j\"></a>", "i & j (https://x.io)"],
      ["<a href=\"javascript:x\">l</a><a data-href=\"https://x.io\">m</a><a name=n>n</a>", "lmn"],
      ["<a href=\"https://x.io\">l</a><a>m</a></a>", "l (https://x.io)m"],
      ["<a href=\"https://x.io\">l</a>m</a>", "l (https://x.io)m"],
      [`<a style="${"x".repeat(1_000)}" href="https://x.io">l</a>`, "l (https://x.io)"]
    ])
  })

  it("is read in time linear in its length, whatever does not end", () => {
    const parts = [
      "<",
      "<a b=\"",
      "<a b='c\"",
      "<a b=   ",
      "<p =",
      "<style>",
      "<style>a</styl",
      "</style",
      "<!--",
      "<li>&#1"
    ]
    for (const part of [...parts, "='\"", "<a href=x>", "<a alt=", "x<y>z& "]) {
      const html = part.repeat(Math.floor(500_000 / part.length))
      for (const begun of [html, `<a ${html}`]) assertQuick(() => textOf(begun), part)
    }
  })

  it.prop("has a text as it is written, but for white space", { text: Schema.String }, ({ text }) => {
    assert.strictEqual(textOf(`<p>${escape(text)}</p>`), text.replaceAll(/[ \t\r\n\f]+/g, " ").trim())
  })
})

describe("Character references", () => {
  const names =
    "amp lt gt quot apos trade hellip mdash ndash bull lsquo rsquo sbquo ldquo rdquo bdquo lsaquo rsaquo euro "
    + "rarr larr"
  const latin =
    "nbsp iexcl cent sup2 frac14 Auml Ouml Uuml szlig auml ouml uuml eacute ccedil ntilde oslash divide yuml"

  it("are what browsers take them for, but that what joins or parts letters unseen is left out", () => {
    for (const name of `${names} ${latin}`.split(" "))
      assert.strictEqual(decode(`&${name};`), dom(`<p>&${name};`).text, name)
    const accents = ["grave", "acute", "circ", "tilde", "uml", "ring", "cedil", "slash"]
    for (
      const reference of [..."AEIOUNCYaeiouncy"].flatMap((letter) => accents.map((accent) => `&${letter}${accent};`))
    ) {
      const { text } = dom(`<p>${reference}`)
      if (text.length === 1 && text <= "\u00ff") assert.strictEqual(decode(reference), text, reference)
    }
    assert.strictEqual(decode("a&zwnj;b&zwj;c&shy;d"), "abcd")
    const western = Array.from({ length: 0x22 }, (_, at) => 0x7f + at)
    for (const code of [...western, 0x20, 0x26, 0x41, 0xe9, 0x20ac, 0xd7ff, 0xe000, 0x1f600, 0x10ffff]) {
      const hex = code.toString(16)
      for (const reference of [`&#${code};`, `&#x${hex};`, `&#X${hex.toUpperCase()};`])
        assert.strictEqual(decode(`a${reference}b`), dom(`<p>a${reference}b`).text, reference)
    }
  })

  it("are left out where they name no character, and left as they are where no name is known", () => {
    assert.strictEqual(decode("&#0;&#xd800;&#55296;&#xdfff;&#x110000;&#9999999;&#xffffff;."), ".")
    for (const text of ["&nothing;", "&amp", "& b;", "&;", "&#;", "&#x;", "&#xg;", "&constructor;"])
      assert.strictEqual(decode(text), text)
  })
})
