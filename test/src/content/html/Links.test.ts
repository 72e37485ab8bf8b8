import { untracked, withLinks } from "#src/content/html/Links.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const page = "https://shop.example/a"

/** The addresses that are seen, and the HTML with `!` behind each. */
const seen = (html: string) => {
  const links: Array<string> = []
  const changed = withLinks(html, ({ href, isTracked }) => {
    links.push(isTracked ? href : `-${href}`)
    return `${href}!`
  })
  return { links, changed }
}

describe("withLinks", () => {
  it.each([
    [`<a href="${page}">A</a>`, `<a href="${page}!">A</a>`],
    [`<A class=x HREF='${page}' id=y>A</A>`, `<A class=x HREF="${page}!" id=y>A</A>`],
    [`<a href=${page}>A</a>`, `<a href="${page}!">A</a>`],
    [`<a\n  href = "${page}"\n>A</a>`, `<a\n  href = "${page}!"\n>A</a>`],
    [`<a title=" href='x'" href="${page}">A</a>`, `<a title=" href='x'" href="${page}!">A</a>`],
    [`<a title="a > b" href="${page}">A</a>`, `<a title="a > b" href="${page}!">A</a>`],
    [`<a href="${page}" href="other">A</a>`, `<a href="${page}!" href="other">A</a>`],
    [`<a class="x"" href="${page}">A</a>`, `<a class="x"" href="${page}!">A</a>`],
    [`<a style="font:"Arial"" href="${page}">A</a>`, `<a style="font:"Arial"" href="${page}!">A</a>`],
    [`<a = href="${page}">A</a>`, `<a = href="${page}!">A</a>`],
    [`<a href=${page}?b='c'>A</a>`, `<a href="${page}?b=&#39;c&#39;!">A</a>`],
    [`<a title=b="c>d" href="${page}">A</a>`, `<a title=b="c>d" href="${page}">A</a>`],
    [`<a href=" ${page}&nbsp;\n">A</a>`, `<a href="${page}\u00a0!">A</a>`],
    [`<a href="${page}?a=1&copy=2">A</a>`, `<a href="${page}?a=1&amp;copy=2!">A</a>`],
    ["<a href=\"https://x.example/?a=1&amp;b=&quot;\">A</a>", "<a href=\"https://x.example/?a=1&amp;b=&quot;!\">A</a>"]
  ])("a link is met however it is written: %s", (html, changed) => {
    assert.strictEqual(seen(html).changed, changed)
  })

  it.each([
    `<link href="${page}"><area href="${page}"><abbr href="${page}">`,
    `<!-- <a href="${page}"> --><style>a[href="<a href=x>"]{}</style><script>"<a href=x>"</script>`,
    `<!--[if mso]><a href="${page}">A</a><![endif]-->`,
    "<a name=\"top\">A</a> a < b <a>B</a></a>",
    `<a-b href="${page}"><a:b href="${page}">`,
    "<a href=\"unended"
  ])("what is no link that readers see stays as it is: %s", (html) => {
    assert.deepStrictEqual(seen(html), { changed: html, links: [] })
  })

  it.each([
    "{{{pm:unsubscribe}}}",
    "https://x.example/?to={{{pm:unsubscribe}}}",
    "https://x.example/?to=<%asm_group_unsubscribe_raw_url%>",
    "https://x.example/?to=&lt;%name%&gt;",
    "{{amazonSESUnsubscribeUrl}}",
    "https://x.example/?to=*|EMAIL|*",
    "https://x.example/?to=[[data:id]]",
    "%unsubscribe_url%",
    "https://x.example/%recipient.id%/a",
    "https://x.example/%%id%%"
  ])("a link reaches its vendor as it was written, if that is to fill something in: %s", (href) => {
    const html = `<a href="${href}">A</a>`
    assert.deepStrictEqual(seen(html), { changed: html, links: [] })
  })

  it.each(["?a=1&#38b=2", "?a&copy", "?a&equals;1", "?a=1&#x26b=2", "?a&shy;b", "?a&#0;"])(
    "a link stays as it is whose references browsers may read otherwise: %s",
    (query) => {
      const html = `<a href="${page}${query}">A</a>`
      assert.deepStrictEqual(seen(html), { changed: html, links: [] })
    }
  )

  it.each(["?a=%20b%C3%A4c%2F", "?a[0]=1|2&lt=3", "?a=1&amp;lt;2"])("others are no such: %s", (query) => {
    assert.strictEqual(seen(`<a href="${page}${query}">A</a>`).links.length, 1)
  })

  it("of a mail with more links than anybody reads, the others stay as they are, so that it cannot grow at will", () => {
    const changed = withLinks("<a href=b>".repeat(10_100), () => "x")
    assert.strictEqual(changed, "<a href=\"x\">".repeat(10_000) + "<a href=b>".repeat(100))
  })

  it("takes time linear in the length of the HTML, whatever it is", { timeout: 5_000 }, () => {
    const parts = ["<a", "<a ", "<a href=x>", "<a href='", "<a =", "<a href=\"&", "<!--", "<script>", "<a b=c\"", "%a"]
    for (const part of parts) withLinks(part.repeat(200_000), ({ href }) => href)
    for (const filler of [" ", "=", "'", "a ", "&#", "{"]) {
      withLinks(`<a href="x${filler.repeat(3_900)}y" b=c>`.repeat(900), ({ href }) => href)
    }
  })

  it("a link may ask not to be tracked", () => {
    const html = `<a href="a" ${untracked}>A</a><a href="b" clicktracking=OFF>B</a><a href="c" clicktracking="on">C</a>`
    assert.deepStrictEqual(seen(html).links, ["-a", "-b", "c"])
  })

  it("what is put in its place cannot leave the attribute", () => {
    const html = withLinks(`<a href="a">A</a>`, () => "\"><script>'&")
    assert.strictEqual(html, "<a href=\"&quot;&gt;&lt;script&gt;&#39;&amp;\">A</a>")
  })

  it.prop("without a change nothing changes, whatever it is", [Schema.String], ([text]) => {
    for (const html of [text, `<a href="${text}">${text}</a>`, `<${text}><a href=x`]) {
      assert.strictEqual(withLinks(html, () => undefined), html)
    }
  })
})
