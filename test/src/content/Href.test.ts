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
const parts = ["java", "script", "DATA", "http", "s", "cid", ":", "/", "?", "#", "\t", "\u0001", " ", "x"] as const

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
    if (safeHref(address) !== undefined) assert.include(["http:", "https:", "none:"], protocol, address)
    if (safeSource(address) !== undefined) assert.include(["http:", "https:", "cid:", "none:"], protocol, address)
    if (!beginsUnsafely(address)) assert.notInclude(["javascript:", "data:"], protocol, address)
  }, { arbitrary: { runs: 1_000 } })

  it("may not be gone on with by data if it runs code, or would with a colon", () => {
    for (const begun of ["javascript", "VBScript", "data", " java\tscript", "javascript:", "x:", ":", "data:text/html"])
      assert.isTrue(beginsUnsafely(begun), begun)
    for (const begun of ["", "java", "javascripts", "https", "http:", "cid:", "mailto:a", "tel:", ...relative])
      assert.isFalse(beginsUnsafely(begun), begun)
  })
})
