import { type Block, paragraph } from "#src/content/Block.ts"
import { rows, type Side } from "#src/content/html/Blocks.ts"
import { dom } from "#test/src/content/Dom.ts"
import { assert, describe, it } from "@effect/vitest"

const words = paragraph([{ _tag: "Text", text: "a" }])
const quote = (...blocks: ReadonlyArray<Block>): Block => ({
  _tag: "Quote",
  style: "text",
  align: undefined,
  border: undefined,
  blocks
})
const column = (...blocks: ReadonlyArray<Block>): Block => ({ _tag: "Column", width: undefined, blocks })
const list = (...blocks: ReadonlyArray<Block>): Block => ({ _tag: "List", ordered: false, start: 1, blocks })

/** The columns within a block, and the quotes, in their order: what is at the sides of each. */
const sides = (block: Block, side?: Side) =>
  dom(rows([block], side)).elements.flatMap(({ attributes }) => {
    const style = attributes.get("style") ?? ""
    const [edge = "none"] = /border-(?:left|right)(?=:)/.exec(style) ?? []
    const [, padding] = /padding:([^;]*)/.exec(style) ?? []
    return ["col", "rule"].includes(attributes.get("class") ?? "") ? [`${edge} ${padding}`] : []
  })

describe("The sides of blocks", () => {
  it("gaps and the edges of quotes are at the side at which lines begin, however deep inside others", () => {
    const item: Block = {
      _tag: "Item",
      background: undefined,
      blocks: [words, quote(list({ _tag: "Columns", blocks: [column(words), column(quote(words))] }))]
    }
    const left = ["border-left 2px 0 2px 16px", "none 0 8px 0 0px", "none 0 0px 0 8px", "border-left 2px 0 2px 16px"]
    const right = ["border-right 2px 16px 2px 0", "none 0 0px 0 8px", "none 0 8px 0 0px", "border-right 2px 16px 2px 0"]
    for (const block of [list(item), column(item), quote(item)]) {
      const outer = block._tag === "Quote" ? 1 : 0
      assert.deepStrictEqual(sides(block, "right").slice(outer), right)
      assert.deepStrictEqual(sides(block, "left").slice(outer), left)
      assert.deepStrictEqual(sides(block), sides(block, "left"))
    }
  })
})
