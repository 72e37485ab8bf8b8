import type { Align, Block } from "#src/content/Block.ts"
import { safeHref } from "#src/content/Href.ts"
import { readableOn } from "#src/content/html/Color.ts"
import { escape } from "#src/content/html/Escape.ts"
import { flow, image, link, trackingOf } from "#src/content/html/Flow.ts"
import { colors, texts } from "#src/content/html/Styles.ts"

type Of<Tag extends Block["_tag"]> = Extract<Block, { readonly _tag: Tag }>

/** Tables are only for the layout; `presentation` makes screen readers ignore them. */
export const table = `<table role="presentation" border="0" cellpadding="0" cellspacing="0"`

/** The side at which a line begins. */
export type Side = "left" | "right"

const aligned = (align: Align | undefined): string =>
  align === undefined || align === "full" ? "" : `text-align:${align};`

const paragraph = ({ align, inlines, style }: Of<"Paragraph">): string => {
  const tag = style === "text" || style === "subtext" ? "p" : style
  const of = style === "subtext" ? " class=\"sub\"" : ""
  return `<${tag}${of} style="margin:0;${aligned(align)}${texts[style]}">${flow(inlines)}</${tag}>`
}

const quote = ({ align, blocks, border, style }: Of<"Quote">, side: Side): string => {
  const edge = border === undefined ? ` class="rule"` : ""
  const padding = side === "left" ? "2px 0 2px 16px" : "2px 16px 2px 0"
  const look = `border-${side}:4px solid ${border ?? "#d1d5db"};padding:${padding};${aligned(align)}${texts[style]}`
  return `${table} width="100%"><tr><td${edge} style="${look}">${stack(blocks, side)}</td></tr></table>`
}

const action = ({ align, background = colors.button, content, href, isLink, isUntracked }: Of<"Action">): string => {
  const safe = safeHref(href)
  if (isLink || safe === undefined) {
    const styled = link(
      href,
      escape(content),
      isUntracked,
      `color:${colors.link};font-weight:600;text-decoration:underline`
    )
    return `<p style="margin:0;${aligned(align)}">${styled}</p>`
  }
  const full = align === "full"
  const shape = `display:${full ? "block" : "inline-block"};padding:12px 24px;font-weight:600;line-height:20px;`
  const button = `<a href="${escape(safe)}"${trackingOf(isUntracked)} style="${shape}color:${
    readableOn(background)
  };text-decoration:none;border-radius:6px">${escape(content)}</a>`
  const cell =
    `bgcolor="${background}" style="background-color:${background};border-radius:6px;mso-padding-alt:12px 24px"`
  return `${table}${full ? ` width="100%"` : ""}><tr><td align="center" ${cell}>${button}</td></tr></table>`
}

const items = ({ blocks, ordered, start }: Of<"List">, side: Side): string => {
  const [tag, from] = ordered ? ["ol", start === 1 ? "" : ` start="${start}"`] : ["ul", ""]
  return `<${tag}${from} style="margin:0;padding:0 24px">${blocks.map((block) => item(block, side)).join("")}</${tag}>`
}

const item = (block: Block, side: Side): string => {
  if (block._tag !== "Item") return item({ _tag: "Item", background: undefined, blocks: [block] }, side)
  const background = block.background === undefined ? "" : `background-color:${block.background};`
  const [first, ...rest] = block.blocks
  const isPlain = first?._tag === "Paragraph" && first.style === "text" && first.align === undefined
  const inside = isPlain ? flow(first.inlines) + stack(rest, side) : stack(block.blocks, side)
  return `<li style="margin:0 0 4px;${background}">${inside}</li>`
}

const widthOf = (block: Block): string | undefined => block._tag === "Column" ? block.width : undefined

/** The width of a column without its own: an equal part of what the others leave. */
const restOf = (blocks: ReadonlyArray<Block>): string => {
  const told = blocks.map(widthOf).filter((width) => width?.endsWith("%") === true)
  const left = told.reduce((rest, width) => rest - Number.parseFloat(width ?? ""), 100)
  return `${Math.max(1, Math.floor(left / (blocks.length - told.length)))}%`
}

const columns = ({ blocks }: Of<"Columns">, side: Side): string => {
  const rest = restOf(blocks)
  const cells = blocks.map((block, index) => {
    const width = widthOf(block) ?? rest
    const [before, after] = [index === 0 ? 0 : 8, index === blocks.length - 1 ? 0 : 8]
    const gap = side === "left" ? `padding:0 ${after}px 0 ${before}px` : `padding:0 ${before}px 0 ${after}px`
    return `<td class="col" valign="top" width="${width.replace("px", "")}" style="width:${width};${gap}">${
      rows(block._tag === "Column" ? block.blocks : [block], side)
    }</td>`
  })
  return `${table} width="100%"><tr>${cells.join("")}</tr></table>`
}

const pre =
  `margin:0;padding:12px;font-family:Menlo,Consolas,monospace;font-size:14px;line-height:20px;white-space:pre-wrap;` +
  `border-radius:6px;background-color:${colors.code}`

const one = (block: Block, side: Side): string => {
  switch (block._tag) {
    case "Paragraph":
      return paragraph(block)
    case "Quote":
      return quote(block, side)
    case "Action":
      return action(block)
    case "Image":
      return image(block.src, block.alt, block.href, block.align === "full" ? "100%" : block.width, "block")
    case "Divider": {
      const edge = block.color === undefined ? ` class="rule"` : ""
      return `<hr${edge} style="margin:8px 0;border:0;border-top:1px solid ${block.color ?? colors.rule}">`
    }
    case "Code":
      return `<pre class="code" style="${pre}">${escape(block.text)}</pre>`
    case "Native":
      return ""
    case "Html":
      return block.html
    case "List":
      return items(block, side)
    case "Columns":
      return columns(block, side)
    case "Item":
    case "Column":
      return stack(block.blocks, side)
  }
}

/** Blocks below each other inside a list item or a quote. */
const stack = (blocks: ReadonlyArray<Block>, side: Side): string =>
  blocks.map((block, index) => `<div style="margin:${index === 0 ? "0" : "8px 0 0"}">${one(block, side)}</div>`)
    .join("")

const alignOf = (block: Block): string =>
  (block._tag === "Action" || block._tag === "Image") && block.align !== undefined && block.align !== "full"
    ? ` align="${block.align}"`
    : ""

const isEmpty = (block: Block): boolean =>
  block._tag === "Paragraph" && block.inlines.every((piece) => piece._tag === "Text" && piece.text === "")

/** The gap below a block, in px: headings stay close to what follows them; columns bring gaps of their own. */
const gap = (block: Block): number => {
  if (block._tag === "Columns") return 0
  return block._tag === "Paragraph" && (block.style === "h2" || block.style === "h3") ? 8 : 16
}

/** Blocks below each other as rows of a table, which keeps the gaps in every mail client. */
export const rows = (blocks: ReadonlyArray<Block>, side: Side = "left"): string =>
  `${table} width="100%">\n${
    blocks.filter((block) => !isEmpty(block)).map((block) =>
      `<tr><td${alignOf(block)} style="padding:0 0 ${gap(block)}px">${one(block, side)}</td></tr>\n`
    ).join("")
  }</table>`
