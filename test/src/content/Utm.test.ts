import * as Utm from "#src/content/Utm.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const spring = Utm.of({ source: "tidings", campaign: "spring & more" })
const query = "utm_source=tidings&utm_campaign=spring%20%26%20more"

describe("Utm", () => {
  it("what is said last wins, one parameter at a time; what is no text says nothing", () => {
    const message = { source: "all", medium: "email", campaign: "spring", term: 7, content: "" }
    const channel = { source: "mail", campaign: null, content: { a: 1 }, other: "x" }
    assert.deepStrictEqual(Utm.of(message, null, undefined, channel), [
      ["utm_source", "mail"],
      ["utm_medium", "email"],
      ["utm_campaign", "spring"],
      ["utm_term", "7"]
    ])
    assert.deepStrictEqual(Utm.of(undefined, null, {}, []), [])
    assert.deepStrictEqual(Utm.of({ source: "all" }, { source: "a".repeat(501) }), [["utm_source", "all"]])
  })

  it.each([
    ["https://a.example", `https://a.example?${query}`],
    ["https://a.example/b?c=d#e", `https://a.example/b?c=d&${query}#e`],
    ["https://a.example/b?#e", `https://a.example/b?${query}#e`],
    ["HTTPS://a.example/b?c&", `HTTPS://a.example/b?c&${query}`],
    ["https://a.example/?utm_source=own", `https://a.example/?utm_source=own&utm_campaign=spring%20%26%20more`],
    ["https://a.example/#a?b", `https://a.example/?${query}#a?b`]
  ])("%s becomes %s", (href, added) => {
    assert.strictEqual(Utm.added(href, spring), added)
  })

  it.each(["mailto:ada@example.com", "tel:1", "/b", "#top", "app://x", "", `https://a.example/?${query}`])(
    "%s stays as it is",
    (href) => assert.isUndefined(Utm.added(href, spring))
  )

  it.each([
    "https://files.example/a?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=ab",
    "https://files.example/a?x-goog-signature=ab&b=c",
    "https://files.example/a?Expires=1&Signature=ab&Key-Pair-Id=c"
  ])(
    "a signed address stays as it is, since its signature would no longer hold: %s",
    (href) => assert.isUndefined(Utm.added(href, spring))
  )

  it("an address that would be too long stays as it is", () => {
    const long = `https://a.example/${"b".repeat(1_900)}`
    assert.isDefined(Utm.added(long, spring))
    assert.isUndefined(Utm.added(`${long}${"b".repeat(50)}`, spring))
  })

  it.prop("the rest of an address stays, to the letter", [Schema.String, Schema.String], ([path, place]) => {
    const [before, after] = [path.replaceAll(/[?#]/g, ""), place === "" ? "" : `#${place}`]
    const given = `https://a.example/${before}?x=%2F+%zz${after}`
    assert.strictEqual(Utm.added(given, spring), `https://a.example/${before}?x=%2F+%zz&${query}${after}`)
  })
})
