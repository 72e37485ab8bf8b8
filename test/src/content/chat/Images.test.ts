import type { Block } from "#src/content/Block.ts"
import { slackBlocks } from "#src/content/chat/Slack.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"

const image: Extract<Block, { readonly _tag: "Image" }> = {
  _tag: "Image",
  src: "https://x.io/i.png",
  href: "",
  alt: "A pot",
  align: undefined,
  width: undefined
}

describe("Images for Slack", () => {
  it("where one leads to stands below it, since none is a link; and so do its words where it cannot be shown", () => {
    const shown = { type: "image", image_url: "https://x.io/i.png", alt_text: "A pot" }
    const said = (...elements: ReadonlyArray<Schema.JsonObject>): Schema.JsonObject => ({
      type: "rich_text",
      elements: [{ type: "rich_text_section", elements }]
    })
    const made = (more: Partial<typeof image>) => slackBlocks("", [{ ...image, ...more }])
    const link = { type: "link", url: "https://x.io/?a", text: "A pot" }
    const href = link.url
    assert.deepStrictEqual(made({}), [shown])
    assert.deepStrictEqual(made({ href: "javascript:x" }), [shown])
    assert.deepStrictEqual(made({ href }), [shown, said(link)])
    assert.deepStrictEqual(made({ href, alt: "" }), [{ ...shown, alt_text: "image" }, said({ ...link, text: href })])
    assert.deepStrictEqual(made({ href: "mailto:a@x.io" }), [
      shown,
      said({ type: "text", text: "A pot (mailto:a@x.io)" })
    ])
    assert.deepStrictEqual(made({ src: "cid:pot", href }), [said(link)])
    assert.deepStrictEqual(made({ src: "cid:pot" }), [said({ type: "text", text: "A pot" })])
    assert.deepStrictEqual(made({ src: "cid:pot", alt: "" }), [])
  })
})
