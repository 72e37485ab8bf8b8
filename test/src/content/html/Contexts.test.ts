import { escape } from "#src/content/html/Escape.ts"
import { last, written } from "#test/src/content/html/Authors.ts"
import { assert, describe, it } from "@effect/vitest"

const value = "a\"b'c`d&amp;<e>f:g=h;(i)\\j 1#%.,_-\n\tk"

const escaped = escape(value)
const harmless = "abcdampefghij 1#%.,_-k"
const inJson = JSON.stringify(value).slice(1, -1).replace("&", "\\u0026").replace("<", "\\u003c").replace(
  ">",
  "\\u003e"
)

/** The same at the beginning of the HTML and after other parts of it, with a quote that is text. */
const assertAll = (places: ReadonlyArray<string>, said: string): void => {
  for (const before of ["", "a \" b<c d='e'>f<!-- g --><script type=\"application/ld+json\">\"</script>\n"])
    for (const place of places) assert.strictEqual(last(`${before}${place}§`, value), said, before + place)
}

const raw = ["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext", "mj-style"] as const

describe("Data in an author's HTML", () => {
  it("is text where elements may stand, whatever stood before", () => {
    const after = ["", "<p>", "</p>", "<br/>", "<br />", "<a/b>", "</p x='y'>", "<p\n>", "<x-y:z>", "<h1>"]
    const values = [
      "<a b=c>",
      "<a b=c/>",
      "<a b='c'>",
      "<a b = \"c\" >",
      "<a b=>",
      "<a b= >",
      "<a =b>",
      "<a b=\"c>d\">"
    ]
    const mixed = [
      "<a b='\"'>",
      "<a b=\"'\" c>",
      "<a b=\"c\"d='e'f>",
      "<a b=c d>",
      "<a b c=d>",
      "<a b='<!--'>",
      "<a b='<script>'>"
    ]
    const none = ["a < b ", "<3 ", "a <\t", "< a>", "<>", "1 <\n", "a<=b "]
    const comments = [
      "<!-- a -->",
      "<!-- a > b -->",
      "<!---->",
      "<!-- <p -->",
      "<!-x>",
      "<!doctype html>",
      "<?pi a?>",
      "</ >"
    ]
    assertAll([...after, ...values, ...mixed, ...none, ...comments], escaped.replaceAll("\n", "<br>\n"))
    const ended = [...raw, "title", "textarea"].flatMap((
      name
    ) => [
      `<${name}>a</${name}>`,
      `<${name} b=c>a<b> < ' " </x> </${name}x> </${name}-x> <!--</${name}\n>`,
      `<${name}></${name}/>`
    ])
    assertAll(
      [...ended, "<SCRIPT>a</sCript>", "<script>a</script b='>'>", "<x-script>", "<titles>"],
      escaped.replaceAll("\n", "<br>\n")
    )
  })

  it("is text after a comment or an element that ends right after a value", () => {
    assert.strictEqual(
      written("<!--§-->§<!§>§<?§>§<script>§</script>§<p a=§>§", "", "<", "", "<", "", "<", "", "<", "b", "<"),
      "<!---->&lt;<!>&lt;<?>&lt;<script></script>&lt;<p a=b>&lt;"
    )
  })

  it("keeps its line ends where text is preformatted", () => {
    for (const begun of ["<pre>", "<PRE class='a'>", "<pre><code>", "<p>a</p><pre\n>b"])
      assert.strictEqual(written(`${begun}§`, "a\n<b>"), `${begun}a\n&lt;b&gt;`)
    assert.strictEqual(written("<pre§ class='a'>§", "", "a\nb"), "<pre class='a'>a\nb")
    assert.strictEqual(written("<pre>§</pre>§", "a\nb", "c\nd"), "<pre>a\nb</pre>c<br>\nd")
  })

  it("is what it is elsewhere in a comment that Outlook reads, but ends none", () => {
    assert.strictEqual(
      written("<!--[if mso]><v:rect href=\"§\" alt='§'>§<![endif]-->§", "https://x.io/a-b?c=d", "é", "--><p>", "-->"),
      "<!--[if mso]><v:rect href=\"https://x.io/a&#45;b?c=d\" alt='é'>&#45;&#45;&gt;&lt;p&gt;<![endif]-->--&gt;"
    )
    assert.strictEqual(
      written("<!--[if gte mso 9]><a href=\"§\"><![endif]-->", "javascript:x"),
      "<!--[if gte mso 9]><a href=\"\"><![endif]-->"
    )
    assert.strictEqual(
      written("<!--[if mso]><a b=§><p style='§'><![endif]-->", "--", "--"),
      "<!--[if mso]><a b=&#45;&#45;><p style='&#45;&#45;'><![endif]-->"
    )
    // Its end is the comment's, whatever it is to Outlook.
    for (const open of ["<a href=\"", "<a href=x", "<style>", "<", "<!-- a", "<!x", "<?x"])
      assert.strictEqual(last(`<!--[if mso]>${open}-->§`, "<\n"), "&lt;<br>\n", open)
    assert.strictEqual(last("<!--[if !mso]><!--><p>§", "<\n"), "&lt;<br>\n")
    assert.strictEqual(last("<!--><p>§", "<\n"), "&lt;<br>\n")
    assert.strictEqual(last("<!--[if mso§", "<a"), "a")
    assert.strictEqual(written("<!--[if mso]>§-->§", "-", "-<"), "<!--[if mso]>&#45;-->-&lt;")
  })

  it("is the text of an attribute in quotes, and without them has nothing that would end it", () => {
    const places = [
      "<p title=\"",
      "<p title='",
      "<P TITLE = \"a ",
      "<a b=c title=\"",
      "<a b=\"c\"title='",
      "<a/title=\""
    ]
    assertAll([
      ...places,
      "<a b='\"' title=\"",
      "<a title=\"<script>",
      "<a title=\"-->",
      "<script type=\"",
      "</p title=\"",
      "<a title=\"a>"
    ], escaped)
    const bare = escaped.replaceAll(/[\s=]/g, (character) => `&#${character.charCodeAt(0)};`)
    assert.include(bare, "g&#61;h;(i)\\j&#32;1#%.,_-&#10;&#9;k")
    assertAll(["<p title=", "<p title= ", "<p title\n=\n", "<p title=a", "<p b=c title=", "<p b='c'title="], bare)
    // An end tag without a name is a comment: its quote opens nothing.
    assertAll(["</ b=\"><p title=", "</\"><p title=", "</1 b='><p title="], bare)
    for (const data of ["p", "1", ""]) {
      assert.match(written("</§ b=\"><p title=§>", data, "x onclick=y"), /<p title=x&#32;onclick&#61;y>$/)
    }
    assert.strictEqual(written("<p title=§ id=§>", "", ""), "<p title=&#32; id=&#32;>")
    assert.strictEqual(written("<p title=a§ id=\"§\">", "", ""), "<p title=a id=\"\">")
    assert.strictEqual(written("<p title=§§>", "a b", "c d"), "<p title=a&#32;bc&#32;d>")
  })

  it("has no meaning where nothing could take away that it has", () => {
    const attributes = [
      "<p style=\"",
      "<p STYLE='",
      "<p onclick=\"",
      "<p OnX='f(",
      "<iframe srcdoc=\"",
      "<p a='b'style=\"",
      "<p a=\"b\"style='"
    ]
    const more = [
      "<p/style='",
      "<br/onload='",
      "<p a style='",
      "<p a=b style='",
      "<p a=b/ style='",
      "<p title='x' onclick='",
      "<p style='a;b:"
    ]
    assertAll([...attributes, ...more], harmless)
    assertAll(["<p style=", "<p onclick=f("], harmless.replaceAll(" ", "&#32;"))
    const begun = raw.flatMap((name) => [`<${name}>`, `<${name.toUpperCase()} >a`, `<${name}\nb='c'>`, `<${name}/b>`])
    const inside = raw.flatMap((
      name
    ) => [`<${name}>a</${name}x>`, `<${name}>a</x>`, `<${name}>a</${name}`, `<${name}><p>`])
    assertAll([...begun, ...inside, "<style>a</style><style>", "<title>a</title><script>"], harmless)
    assertAll(
      ["<!-- ", "<!-- a > ", "<!-- a -- ", "<!-- <p> ", "<!doctype ", "<!", "<?pi ", "<!-", "</ ", "</1 "],
      harmless.replace("-", "")
    )
    // Two hyphens and the author's own mark would end the comment.
    assert.strictEqual(written("<!-- <a href=§> <p>§</p> -->", "--", "a"), "<!-- <a href=> <p>a</p> -->")
  })

  it("is the text of a string in the data that an author has for mail services, and ends neither", () => {
    const values = [
      "Müller \"& Söhne\" \\",
      "https://x.io/?a=1&b=2",
      "12.50",
      "</script><script>\n<!-- \u2028"
    ] as const
    for (const type of ["\"application/ld+json\"", "'Application/LD+JSON' id=\"a\"", "application/ld+json"]) {
      const html = written(
        `<script type=${type}>{"name": "§", "a \\"b": "url: §", "price": §, "text": "§"}</script><p>§`,
        ...values,
        "<b>"
      )
      const [, json = "", after] = /^<script[^>]*>([^<]*)<\/script>(.*)$/s.exec(html) ?? []
      const [name, url, price, text] = values
      assert.deepStrictEqual(JSON.parse(json), { name, "a \"b": `url: ${url}`, price: Number(price), text })
      assert.strictEqual(after, "<p>&lt;b&gt;")
    }
    const two = "<script type='text/javascript' type='application/ld+json'>"
    const others = ["<script type=\"text/javascript\">", two, "<script>", "<style type='application/ld+json'>"]
    const named = [
      "<script id='application/ld+json'>",
      "<script type='application/ld+json5'>",
      "<script type='x/ld+json'>"
    ]
    const ended = "<script type='application/ld+json'>\"</script><script>"
    assertAll([...others, ...named, ended].map((begun) => `${begun}{"a": "`), harmless)
    assertAll(["<script type='application/ld+json'>{\"a\": \"b\" + "], harmless)
    assertAll(["<script type='application/ld+json'>{\"a\": \""], inJson)
  })

  it("has letters, digits and a few marks of all that ASCII has, where it is without meaning", () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("")
    const kept = " #%,-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
    assert.strictEqual(last("<script>§", ascii), kept)
    assert.strictEqual(last("<script>§", "é😀\u2028"), "")
  })

  it("is text in a title or a field, up to its end", () => {
    for (const name of ["title", "textarea"])
      assertAll(
        [`<${name}>`, `<${name.toUpperCase()} a=b>`, `<${name}>a<b><!-- <script>`, `<${name}>a</${name}s>`],
        escaped
      )
  })

  it("is left out of names, but for a few digits in that of an element", () => {
    assertAll(["<p ", "<p a", "<p a ", "<p a='b'", "</p ", "<p/", "<p a=b ", "<p\n", "<p =", "<p =\""], "")
    assert.strictEqual(last("<§", "a1"), "")
    assertAll(["<h", "</h", "<x-"], "1")
    assert.strictEqual(last("<h§", "12x345"), "1234")
    assert.strictEqual(written("<h§ style='§'>§", "1", "a:b", "<"), "<h1 style='ab'>&lt;")
    assert.strictEqual(written("<h§/style='§'>§", "1", "a:b", "<"), "<h1/style='ab'>&lt;")
    assert.strictEqual(written("<script§>§</script§>§", "1", "<", "1", "<"), "<script1>&lt;</script1>&lt;")
    const long = "x".repeat(300)
    assert.strictEqual(
      written(`<${long} style='§' ${long}='§'>§`, "a:b", "a:b", "<"),
      `<${long} style='ab' ${long}='a:b'>&lt;`
    )
  })
})

const addresses =
  "href src srcset action formaction background poster cite data longdesc ping to from by values xlink:href "
  + "data-src background-url"

describe("Data in an address", () => {
  it("is left out where it would make one that runs code, in each attribute that may have one", () => {
    for (const name of [...addresses.split(" "), "HREF"]) {
      for (const place of [`<a ${name}="§`, `<mj-a ${name}='§`, `<a b='c' ${name}=' \t§`]) {
        assert.strictEqual(last(place, "javascript:x"), "", place)
        assert.strictEqual(last(place, "data:x"), "", place)
        assert.strictEqual(last(place, "https://x.io/?a=1&b=2"), "https://x.io/?a=1&amp;b=2", place)
      }
      assert.strictEqual(last(`<a ${name}=§`, "javascript:x"), "&#32;")
    }
    for (const name of ["title", "hrefs", "ahref", "datas", "value", "url", "xsrc"])
      assert.strictEqual(last(`<a ${name}="§`, "javascript:x"), "javascript:x", name)
  })

  it("may be anything once the author has said where it leads, and nothing that says it for them", () => {
    for (const begun of ["/", "?", "#", "https:", "mailto:", "my-app:", "x/", "a?", "a#", " /"]) {
      assert.strictEqual(last(`<a href="${begun}§`, "a:b"), "a:b", begun)
      assert.strictEqual(last(`<a href=${begun}§`, "a:b"), "a:b", begun)
    }
    assert.strictEqual(last("<a href=\"https§", "://x.io"), "://x.io")
    for (const [begun, said] of [["java", "script"], ["", "javascript"], [" vb", "script"], ["da", "ta"]] as const) {
      assert.strictEqual(last(`<a href="${begun}§`, said), "", begun)
      assert.strictEqual(last("<a href=\"§§", said, begun), "", begun)
    }
    for (const begun of ["", "java", " java\n", "x", "\u0001"])
      for (const said of ["script:x", ":x", "a:b"])
        assert.strictEqual(last(`<a href="${begun}§`, said), "", begun + said)
    assert.strictEqual(last("<a href=\"§§", "script:x", "java"), "")
    assert.strictEqual(last("<a href=\"§ \t§", "script:x", "java"), "")
    assert.strictEqual(last("<a href=\"§§", "javascript:x", "/"), "javascript:x")
    assert.strictEqual(last("<a href='java' src='§", "script/x"), "script/x")
    assert.strictEqual(last("<a href='/' src='§", "javascript:x"), "")
    assert.strictEqual(last("<a href='/' href='§", "javascript:x"), "")
    for (const space of [300, 255, 256])
      assert.strictEqual(last(`<a href="${" ".repeat(space)}java${" ".repeat(space)}§`, "script:x"), "")
    assert.strictEqual(last(`<a href="${" ".repeat(300)}§§`, "script:x", `java${" ".repeat(300)}`), "")
  })
})

describe("Data in an address that the author made of code", () => {
  it("has no meaning, however long the code is", () => {
    for (const begun of ["javascript:f('", " JavaScript:f('", "vbscript:f(\"", `javascript:${"f();".repeat(200)}g('`])
      assert.strictEqual(last(`<a href="${begun.replaceAll("\"", "&quot;")}§`, value), harmless, begun)
    assert.strictEqual(last("<a href='#' title=\"javascript:§", "a:b"), "a:b")
    assert.strictEqual(last("<img src=\"data:image/png;base64,§", "a+b/c="), "a+b/c=")
  })
})

describe("Data in MJML", () => {
  it("is without meaning in what becomes a style, and text in words", () => {
    assertAll(["<mj-text color=\"", "<mj-button padding='", "<MJ-TEXT font-family='a, ", "<mj-x titles='"], harmless)
    for (const name of ["alt", "title", "name", "lang", "dir", "rel", "target", "role", "aria-label"])
      assertAll([`<mj-image ${name}="`], escaped)
    assertAll(["<p color=\"", "<mjx color='", "<x-mj-y color='", "<p role='"], escaped)
  })

  it("ends no address that is put into a style", () => {
    const marks = " \t\r\n\f\"'()\\;"
    assert.strictEqual(
      last("<mj-hero background-url=\"§", `https://x.io/a${marks}b?c=d&e`),
      "https://x.io/a%20%09%0d%0a%0c%22%27%28%29%5c%3bb?c=d&amp;e"
    )
    assert.strictEqual(last("<mj-image src=\"§", "/a(b);c"), "/a(b);c")
  })
})
