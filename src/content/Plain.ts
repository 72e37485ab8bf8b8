import type { Block } from "#src/content/Block.ts"
import { safeHref } from "#src/content/Href.ts"
import { rule, textOf } from "#src/content/html/Text.ts"
import type { Inline } from "#src/content/Inline.ts"

/**
 * How blocks become text: what separates them, and what is left out, since the channel shows it itself or has no room
 * for it.
 */
export interface Way {
  readonly between: string
  readonly withActions: boolean
  /** Whether dividers, images, quote marks and the text of HTML are included. */
  readonly isLetter: boolean
}

const address = (text: string, href: string): string => {
  const safe = safeHref(href)
  if (safe === undefined || text === safe) return text
  return text === "" ? safe : `${text} (${safe})`
}

const inlineText = (piece: Inline): string => {
  switch (piece._tag) {
    case "Text":
    case "Code":
      return piece.text
    case "Link":
      return address(piece.text, piece.href)
    case "Image":
      return address(piece.alt, piece.href)
    default:
      return ""
  }
}

/** A paragraph without emphasis; a link is its text and its address. */
export const flow = (inlines: ReadonlyArray<Inline>): string => inlines.map(inlineText).join("")

const prefixed = (text: string, first: string, rest: string): string => first + text.replaceAll("\n", `\n${rest}`)

const itemsText = (blocks: ReadonlyArray<Block>, start: number | undefined, way: Way): string =>
  blocks.map((block, index) => {
    const mark = start === undefined ? "- " : `${start + index}. `
    const said = text([block], { ...way, between: "\n" })
    return prefixed(said, mark, " ".repeat(mark.length))
  }).join("\n")

const blockText = (block: Block, way: Way): string | undefined => {
  switch (block._tag) {
    case "Paragraph":
      return flow(block.inlines)
    case "Quote": {
      const said = text(block.blocks, { ...way, between: "\n" })
      return way.isLetter ? prefixed(said, "> ", "> ") : said
    }
    case "Action": {
      const safe = safeHref(block.href) ?? ""
      const said = safe === "" || safe === block.content ? block.content : `${block.content}: ${safe}`
      return way.withActions ? said : undefined
    }
    case "Image":
      return way.isLetter ? address(block.alt, block.href) : undefined
    case "Divider":
      return way.isLetter ? rule : undefined
    case "Code":
      return block.text
    case "Native":
      return undefined
    case "Html":
      return way.isLetter ? textOf(block.html) : undefined
    case "List":
      return itemsText(block.blocks, block.ordered ? block.start : undefined, way)
    case "Item":
    case "Column":
    case "Columns":
      return text(block.blocks, way)
  }
}

/** The blocks as text, one after the other. */
export const text = (blocks: ReadonlyArray<Block>, way: Way): string =>
  blocks.flatMap((block) => blockText(block, way) || []).join(way.between)

const line = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/**
 * Makes one line: a subject or title must never carry a line break into a header, nor anything that some readers take
 * for one.
 */
export const oneLine = (title: string): string => title.replace(line, " ").trim()

const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** White space that looks like a space, but that GSM 03.38 lacks: with one, a text would cost twice as much. */
const spaces = /[\t\u00a0\u202f]/g

/** A text message: without the control characters that phones and gateways choke on, but for line feeds. */
export const forPhones = (body: string): string => body.replace(spaces, " ").replace(control, "")

/** Without the one character that no mail may hold (RFC 5322, 2.3). */
export const withoutNul = (mail: string): string => mail.includes("\u0000") ? mail.replaceAll("\u0000", "") : mail
