import type { Element } from "#schemas/Elemental.ts"
import { isList } from "#schemas/Json.ts"
import { type Block, paragraph } from "#src/content/Block.ts"
import { elementsOf, type Fields } from "#src/content/elemental/Fields.ts"
import * as Inlines from "#src/content/elemental/Inlines.ts"
import { natives } from "#src/content/elemental/Jsonnet.ts"
import type { Making, Nesting, Walk } from "#src/content/elemental/Walk.ts"
import { safeHref } from "#src/content/Href.ts"
import { contexts } from "#src/content/html/Contexts.ts"
import { markdown } from "#src/content/Markdown.ts"
import * as Plain from "#src/content/Plain.ts"
import { fill, type Scope, writers } from "#src/content/Variables.ts"

const mostLists = 5

/** Whether an element is a piece of a paragraph rather than a block. */
const isPiece = ({ type }: Element): boolean => type === "string" || type === "link" || type === "img"

/** The blocks with the words of all their paragraphs in a format. */
const formatted = (blocks: ReadonlyArray<Block>, format: Inlines.Formatting): ReadonlyArray<Block> =>
  blocks.map((block) => {
    if (block._tag === "Paragraph") return { ...block, inlines: format(block.inlines) }
    return "blocks" in block ? { ...block, blocks: formatted(block.blocks, format) } : block
  })

/**
 * Renders elements as blocks. `accent`: the color of buttons without their own. `meta` is called with the title of each
 * `meta` element that is shown. Unknown types are skipped.
 */
export const make = (
  fields: Fields,
  walk: Walk,
  accent: string | undefined,
  meta: (title: string) => void
): Making<Block> => {
  const { budget } = fields
  const { formatting, inlines } = Inlines.make(fields, walk)

  const within = (element: Element, inside: Scope, { depth, lists }: Nesting, deeper = 0): ReadonlyArray<Block> =>
    walk.over(element["elements"], inside, { depth: depth + 1, lists: lists + deeper }, making)

  /** A text or quote: one paragraph, or the blocks of its markdown if its `format` is `markdown`. */
  const said = (element: Element, inside: Scope, nesting: Nesting): ReadonlyArray<Block> => {
    const [style, align] = [fields.style(element), fields.align(element, inside)]
    if (element["format"] !== "markdown" || isList(element["elements"]))
      return [paragraph(inlines(element, inside, nesting), style, align)]
    const blocks = markdown(fill(fields.source(element, "content"), inside, budget, writers.markdown(budget)), budget)
    return formatted(blocks, formatting(element, inside)).map((block) =>
      block._tag === "Paragraph" ? { ...block, align, style: block.style === "text" ? style : block.style } : block
    )
  }

  const image = (element: Element, inside: Scope, src: string, href: string): Block => ({
    _tag: "Image",
    src: fields.address(element, inside, src),
    href: fields.address(element, inside, href),
    alt: fields.text(element, inside, "alt_text", "altText"),
    align: fields.align(element, inside),
    width: fields.width(element, inside)
  })

  const list = (element: Element, inside: Scope, nesting: Nesting): ReadonlyArray<Block> => {
    if (nesting.lists >= mostLists) {
      budget.fail(`Lists are nested more than ${mostLists} deep`)
      return []
    }
    const items = within(element, inside, nesting, 1)
    const picture = fields.source(element, "imgSrc") === "" ? [] : [image(element, inside, "imgSrc", "imgHref")]
    return [...picture, { _tag: "List", ordered: element["list_type"] === "ordered", start: 1, blocks: items }]
  }

  /** The blocks of a list item: adjacent pieces are joined into one paragraph. */
  const item = (element: Element, inside: Scope, nesting: Nesting): ReadonlyArray<Block> => {
    const parts = element["elements"]
    if (!isList(parts)) return said(element, inside, nesting)
    const runs: Array<Array<Element>> = []
    for (const part of elementsOf(parts)) {
      const [before] = runs.at(-1) ?? []
      if (before !== undefined && isPiece(before) && isPiece(part)) runs.at(-1)?.push(part)
      else runs.push([part])
    }
    return runs.flatMap((run) => {
      const of = { ...element, elements: run }
      return run.some(isPiece) ? said(of, inside, nesting) : within(of, inside, nesting)
    })
  }

  const put = (element: Element, inside: Scope, nesting: Nesting): ReadonlyArray<Block> => {
    switch (element.type) {
      case "meta":
        if (fields.source(element, "title") !== "") meta(fields.text(element, inside, "title"))
        return []
      case "text":
        return said(element, inside, nesting)
      case "quote": {
        const border = fields.color(element, inside, "border_color", "borderColor")
        const [style, align] = [fields.style(element), fields.align(element, inside)]
        return [{
          _tag: "Quote",
          style,
          align,
          border,
          blocks: said({ ...element, text_style: "text" }, inside, nesting)
        }]
      }
      case "action": {
        const href = fields.address(element, inside, "href")
        const action = {
          _tag: "Action" as const,
          // What it is for can be told from its address, too.
          content: Plain.oneLine(fields.text(element, inside, "content")) || (safeHref(href) ?? ""),
          href,
          align: fields.align(element, inside) ?? "center",
          isLink: element["style"] === "link",
          ...fields.tracking(element, inside),
          background: fields.color(element, inside, "background_color") ?? accent
        }
        return action.content === "" ? [] : [action]
      }
      case "image":
        return [image(element, inside, "src", "href")]
      case "divider":
        return [{ _tag: "Divider", color: fields.color(element, inside, "color") }]
      case "html":
        return [{ _tag: "Html", html: fill(fields.source(element, "content"), inside, budget, contexts(budget)) }]
      case "group":
        return within(element, inside, nesting)
      case "columns":
        return [{ _tag: "Columns", blocks: within(element, inside, nesting) }]
      case "column":
        return [{ _tag: "Column", width: fields.width(element, inside), blocks: within(element, inside, nesting) }]
      case "list":
        return list(element, inside, nesting)
      case "list-item": {
        const background = fields.color(element, inside, "background_color")
        return [{ _tag: "Item", background, blocks: item(element, inside, nesting) }]
      }
      case "jsonnet":
        return natives(element, inside, fields, walk.audience)
      default:
        return []
    }
  }

  const making: Making<Block> = {
    put,
    read: (blocks) => Plain.text(blocks, { between: "\n", withActions: true, isLetter: false })
  }
  return making
}
