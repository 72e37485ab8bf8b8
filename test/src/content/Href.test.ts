import { beginsUnsafely, meaningfulOf, safeHref, safeSource } from "#src/content/Href.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const range = (from: number, to: number): ReadonlyArray<string> =>
  Array.from({ length: to - from + 1 }, (_, n) => String.fromCharCode(from + n))

/** What some browser or mail client drops before it looks at the scheme. */
const dropped = [
  ...range(0, 0x20),
  ...range(0x7f, 0xa0),
  ...range(0x200b, 0x200f),
  ...range(0x2028, 0x202e),
  "\ufeff"
]

const relative = ["/a:b", "//x.io", "?a:b", "#a:b", "a/b:c", "a?b:c", "a#b:c", "a", "./javascript:x"]

/** What runs code, or leads to files, to a browser's own pages, or to tools of the system. */
const denied = [
  "javascript",
  "VBScript",
  "applescript",
  "data",
  "blob",
  "file",
  "filesystem",
  "smb",
  "about",
  "view-source",
  "jar",
  "chrome",
  "Chrome-Extension",
  "moz-extension",
  "safari-web-extension",
  "edge",
  "brave",
  "opera",
  "vivaldi",
  "ms-browser-extension",
  "devtools",
  "res",
  "resource",
  "wyciwyg",
  "search-ms",
  "ms-msdt"
] as const

const parts = [
  ...denied,
  "java",
  "script",
  "DATA",
  "http",
  "s",
  "cid",
  "localhost",
  "x.io",
  ":",
  ":",
  "://",
  "/",
  "?",
  "#",
  "%0aalert(1)",
  "80",
  "\t",
  "\n",
  "\u0001",
  "\u200b",
  " ",
  "x"
] as const

describe("An address", () => {
  it("is followed by a reader if it leads to a page, a mail, a call or a text message, and is shown if it is an image's", () => {
    for (const address of ["http://x", "HTTPS://x", ...relative])
      assert.deepStrictEqual([safeHref(address), safeSource(address)], [address, address])
    for (const address of ["mailto:a@b.c", "MailTo:a@b.c", "tel:+1", "sms:+1"])
      assert.deepStrictEqual([safeHref(address), safeSource(address)], [address, undefined])
    for (const address of ["cid:logo", "CID:logo"])
      assert.deepStrictEqual([safeHref(address), safeSource(address)], [undefined, address])
    for (const scheme of ["javascript", "data", "vbscript", "file", "blob", "ftp", "xhttp", "httpsx", "x.y", ""])
      assert.deepStrictEqual([safeHref(`${scheme}:x`), safeSource(`${scheme}:x`)], [undefined, undefined], scheme)
  })

  it("is followed into an app, or to a port of a host, and into nothing that could do harm, with slashes or without", () => {
    const apps = [
      "myapp://orders/1",
      "whatsapp://send?text=a:b",
      "WhatsApp://x",
      "com.acme.app+v1-x://o",
      "my-about://x",
      "about-us://x",
      "resources://x",
      "ftp://x.io/a"
    ]
    for (const address of [...apps, "localhost:3000/x", "x.io:80", "127.0.0.1:8080?a", "a-b.x.io:1#c"])
      assert.deepStrictEqual([safeHref(address), safeSource(address)], [address, undefined], address)
    for (
      const address of [
        "myapp:orders",
        "myapp:/orders",
        "1app://x",
        "my_app://x",
        "app ://",
        "x:80",
        "x.io:80x",
        "a.b:"
      ]
    )
      assert.strictEqual(safeHref(address), address === "app ://" ? address : undefined, address)
    for (const scheme of denied) {
      const whole = `${scheme}://%0aalert(1)`
      for (const address of [whole, whole.toUpperCase(), ` \u0001\n${whole}`, `${scheme}:80/x`, `${scheme}:80`])
        assert.isUndefined(safeHref(address), address)
      for (const character of dropped)
        assert.isUndefined(safeHref(whole.slice(0, 2) + character + whole.slice(2)), `${scheme} ${character}`)
    }
  })

  it("is none if there is nothing in it, and stands without the space around it", () => {
    for (const nothing of ["", " ", "\t\n", "\u200b\ufeff"])
      assert.deepStrictEqual([safeHref(nothing), safeSource(nothing)], [undefined, undefined])
    assert.deepStrictEqual([safeHref(" /a b\n"), safeSource("\thttp://x ")], ["/a b", "http://x"])
  })

  it("has the scheme that browsers see, whatever they drop of it", () => {
    for (const character of dropped) {
      const said = JSON.stringify(character)
      assert.strictEqual(meaningfulOf(`${character}a${character}b${character}`), "ab", said)
      assert.isUndefined(safeHref(`java${character}script:x`), said)
      assert.isDefined(safeHref(`${character}http${character}s://x`), said)
    }
    for (const character of ["!", "~", "¡", "a", "\u200a", "\u2010", "\u2027", "\u202f", "😀"])
      assert.strictEqual(meaningfulOf(character), character)
  })

  it.prop("that is safe is no other for a browser", { of: Schema.Array(Schema.Literals(parts)) }, ({ of }) => {
    const address = of.join("")
    const url = URL.parse(address, "https://base.io/")
    const protocol = url?.protocol ?? "none:"
    if (safeHref(address) !== undefined)
      assert.notInclude(denied.map((scheme) => `${scheme.toLowerCase()}:`), protocol, address)
    if (safeSource(address) !== undefined) assert.include(["http:", "https:", "cid:", "none:"], protocol, address)
    if (!beginsUnsafely(address)) assert.notInclude(["javascript:", "data:"], protocol, address)
  }, { arbitrary: { runs: 2_000 } })

  it("may not be gone on with by data if it runs code, or would with a colon", () => {
    for (
      const begun of [
        "javascript",
        "VBScript",
        "data",
        " java\tscript",
        "javascript:",
        "x:",
        ":",
        "data:text/html",
        "javascript://x",
        "file://x",
        "myapp:/"
      ]
    )
      assert.isTrue(beginsUnsafely(begun), begun)
    for (
      const begun of [
        "",
        "java",
        "javascripts",
        "metadata",
        "https",
        "http:",
        "cid:",
        "mailto:a",
        "tel:",
        "myapp://",
        ...relative
      ]
    )
      assert.isFalse(beginsUnsafely(begun), begun)
  })
})
