import type { Block } from "#src/content/Block.ts"
import type { Inline } from "#src/content/Inline.ts"

const inlineText = (piece: Inline): string => {
  switch (piece._tag) {
    case "Text":
    case "Code":
      return piece.text
    case "Link":
      return piece.text === "" || piece.text === piece.href ? piece.href : `${piece.text} (${piece.href})`
    case "Open":
    case "Close":
      return ""
  }
}

/** A paragraph without its marks; a link is its text and its address. */
export const flow = (inlines: ReadonlyArray<Inline>): string => inlines.map(inlineText).join("")

const blockText = (block: Block, withActions: boolean): string | undefined => {
  switch (block._tag) {
    case "Paragraph":
    case "Quote":
      return flow(block.inlines)
    case "Action":
      return withActions ? [block.content, block.href].filter((part) => part !== "").join(": ") : undefined
    case "Divider":
      return undefined
  }
}

/** The blocks as text, one after the other. Channels that show actions by themselves leave them out here. */
export const text = (
  blocks: ReadonlyArray<Block>,
  options: { readonly between: string; readonly withActions: boolean }
): string => blocks.flatMap((block) => blockText(block, options.withActions) || []).join(options.between)

const line = /[\u0000-\u001f\u007f\u2028\u2029]+/g

/** One line: a subject or a title never carries a line break into a header. */
export const oneLine = (title: string): string => title.replace(line, " ").trim()

const control = /[\u0000-\u0008\u000b-\u001f\u007f]/g

/** Without the control characters that phones and gateways choke on; line feeds stay. */
export const withoutControls = (body: string): string => body.replaceAll("\r\n", "\n").replace(control, "")
