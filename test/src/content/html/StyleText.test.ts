import { dom } from "#test/src/content/Dom.ts"
import { last, written } from "#test/src/content/html/Authors.ts"
import { elements, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const picture = "https://cdn.acme.io/hero.png"

/** What a browser reads of CSS (CSS Syntax 3, section 4): comments, strings, addresses, colours, and marks. */
const token =
  /(\/\*[^]*?(?:\*\/|$))|("(?:\\[^]|[^"\\\n])*(?:"|$)|'(?:\\[^]|[^'\\\n])*(?:'|$))|((?<![\w-])url\((?:\s*"[^"\\\n]*"\s*|\s*'[^'\\\n]*'\s*|(?!\s*["'])(?:\\[^]|[^)\\])*)\))|(rgba?\([\d.,%\s]*\))|([^\w\s#%.,-])/gi

/** The structure of CSS: what no value may change. A colour is a word. */
const structure = (css: string): string =>
  [...css.matchAll(token)].map(([, comment, text, address, color, mark]) =>
    comment !== undefined
      ? "C"
      : text !== undefined
      ? "S"
      : address !== undefined
      ? "U"
      : color === undefined
      ? mark
      : ""
  ).join("")

/** The style that a browser finds in the HTML: of its element's attribute, or in its sheet. */
const styleOf = (html: string): string => {
  const { code, elements } = dom(html)
  return elements.map(({ attributes }) => attributes.get("style") ?? "").join("") + code
}

const styles = [
  "color:§;margin:0",
  "border:1px solid §;background:#fff url(§) no-repeat;a:b",
  "background-image:URL( \"§\" );color:§",
  "background-image:url('https://x.io/§/§.png');a:b",
  "background:linear-gradient(§,§ 50%),url(§)",
  "font-family:'§',\"§\",serif;color:§",
  "a:b/* § ' url( */;color:§",
  "a:b(§);b:url(§§)",
  "a:u\\72l(§);b:§",
  "a:url(x\\)§);b:§",
  "a:'b\\'§';c:§",
  "a:/*/ § */url(§)",
  "a:curl(§);b:url(a'§');c:§"
]

const places = [
  ...styles.filter((style) => !style.includes("\"")).map((style) => `<td style="${style}">x</td>`),
  ...styles.filter((style) => !style.includes("'")).map((style) => `<td style='${style}'>x</td>`),
  ...styles.map((style) => `<td style="${style.replaceAll("\"", "&quot;").replaceAll("'", "&#39;")}">x</td>`),
  ...styles.map((style) => `<style>.a{${style}}.b{c:d}</style>`),
  ...styles.map((style) => `<!--[if mso]><x><![endif]--><td style="${style.replaceAll("\"", "'")}">x</td>`)
]

const parts = [
  ";",
  "}",
  "{",
  "\"",
  "'",
  ")",
  "(",
  "\\",
  "/*",
  "*/",
  "expression(",
  "\n",
  "\r",
  "\f",
  "</style>",
  "<",
  ">",
  "&",
  "&#41;",
  "url(",
  "https://x.io/",
  "http://",
  "javascript:",
  "rgb(1, 2, 3)",
  "rgb(",
  "#fff",
  "red",
  "a",
  " ",
  "\t",
  ",",
  ":",
  "@",
  "!",
  "é",
  "\u0000",
  "-",
  "--",
  "<!--",
  "-->",
  "%29",
  "\u2028"
] as const

const Hostile = Schema.Array(Schema.Literals(parts))

describe("A value in a style", () => {
  it("is the address of a picture within url(, and a colour wherever one may stand", () => {
    const source = "<td style=\"background-image:url({{img}});color:{{brand}}\"></td>"
    const { html } = render(elements({ type: "html", content: source }), {
      channel: "email",
      data: { img: picture, brand: "rgb(10, 20, 30)" }
    })
    assert.include(html, `<td style="background-image:url(${picture});color:rgb(10, 20, 30)"></td>`)
    const begun = ["<td style=\"a:", "<style>.a{b:", "<mj-section border=\"1px solid ", "<p style='a:linear-gradient("]
    for (const before of begun)
      assert.strictEqual(last(`${before}§`, " RGBA(10%,\n20%, 30%, .5)"), "RGBA(10%, 20%, 30%, .5)")
    for (const before of ["url(", "url( ", "URL('", "url( '", "x url(&quot;"]) {
      assert.strictEqual(last(`<td style="background:${before}§`, ` ${picture}?a=1&b=2 `), `${picture}?a=1&amp;b=2`)
    }
    assert.strictEqual(last("<style>a{b:url(§", `${picture}?a&b`), `${picture}?a&b`)
    assert.strictEqual(last("<td style=\"a:url(https://x.io/§", "a b/c.png"), "a%20b/c.png")
    assert.strictEqual(last("<td style=\"a:url(§§", "/x.png", "https://x.io"), "/x.png")
  })

  it("is what is harmless of all else", () => {
    const cases = [
      ["<td style=\"a:url(§", "javascript:alert(1)", "javascriptalert1"],
      ["<td style=\"a:url(§", "rgb(1,2,3)", "rgb1,2,3"],
      ["<td style=\"a:§", picture, "httpscdn.acme.iohero.png"],
      ["<td style=\"a:'§", "rgb(1,2,3)", "rgb1,2,3"],
      ["<td style=\"a:\\§", "rgb(1,2,3)", "rgb1,2,3"],
      ["<td style=\"a:url&#40§", "rgb(1,2,3)", "rgb1,2,3"],
      ["<td onclick=\"url(§", picture, "httpscdn.acme.iohero.png"],
      ["<script>url(§", picture, "httpscdn.acme.iohero.png"]
    ] as const
    for (const [html, value, said] of cases) assert.strictEqual(last(html, value), said, html)
  })

  it.prop(
    "never leaves it, whatever it says: a browser finds the same declarations, strings and addresses",
    { values: Schema.Array(Hostile), place: Schema.Literals(places) },
    ({ place, values }) => {
      const [hostile, plain] = [values.map((of) => of.join("")), place.split("§").map(() => "a")]
      const html = written(place, ...hostile)
      const [found, expected] = [styleOf(html), styleOf(written(place, ...plain))]
      assert.strictEqual(structure(found), structure(expected), html)
      assert.strictEqual(dom(html).elements.length, dom(written(place, ...plain)).elements.length)
      assert.notMatch(found, /expression\(/i)
    },
    { arbitrary: { runs: 2_000 } }
  )
})
