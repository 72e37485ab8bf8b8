import * as Frame from "#src/content/Frame.ts"
import * as Page from "#src/content/html/Page.ts"
import { filler, preheader } from "#src/content/html/Preheader.ts"
import * as Layout from "#src/content/layout/Layout.ts"
import { dom } from "#test/src/content/Dom.ts"
import { assert, describe, it } from "@effect/vitest"

describe("The line that an inbox shows beside the subject", () => {
  it("is one line of at most 140 characters, none of them halved, and is escaped", () => {
    assert.strictEqual(preheader("\n Hello\n\n<you>  & me "), "Hello &lt;you&gt; &amp; me ")
    assert.strictEqual(preheader(" \n"), "")
    assert.strictEqual(preheader("x".repeat(140)), `${"x".repeat(140)} `)
    assert.strictEqual(preheader("x".repeat(141)), `${"x".repeat(140)}… `)
    assert.strictEqual(preheader(`${"x".repeat(139)}😀`), `${"x".repeat(139)}… `)
    assert.strictEqual(preheader(`${"x".repeat(138)}  😀😀`), `${"x".repeat(138)}… `)
  })

  it("stands before the filler that keeps the body out of it, where there is one", () => {
    const layout = Layout.cut(`<p>${Layout.mark("preheader")}</p>${Layout.mark("body")}`)
    const pages = (first: string) => {
      const mail = { title: "t", first, blocks: [], footer: [], look: Page.plain }
      return [Page.page(mail), Page.branded(mail, layout, (text) => text)].map(Frame.join)
    }
    for (const html of pages("Hello")) assert.include(html, `>Hello ${filler}</`)
    // As much as an inbox shows beside a short subject.
    assert.isAtLeast(dom(filler).text.length, 140)
    for (const html of pages(" ")) assert.notInclude(html, filler.slice(0, 20))
  })
})
