import type { Block } from "#src/content/Block.ts"
import type { Inline } from "#src/content/Inline.ts"

const special = /[&<>"'`]/
const replacements = [["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ["\"", "&quot;"], ["'", "&#39;"], [
  "`",
  "&#96;"
]] as const

/** Text for an element or a quoted attribute. */
export const escape = (text: string): string =>
  special.test(text) ? replacements.reduce((done, [from, to]) => done.replaceAll(from, to), text) : text

/** Browsers drop control characters and outer white space before they look at the scheme. */
const ignored = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202e\ufeff]/g
const scheme = /^[^/?#]*?:/
const safeScheme = /^(?:https?|mailto|tel|sms):/i

/** An address that a reader may follow: `http`, `https`, `mailto`, `tel`, `sms` or relative; nothing for `javascript:` and the like. */
export const safeHref = (href: string): string | undefined => {
  const bare = href.replace(ignored, "")
  return bare === "" || (scheme.test(bare) && !safeScheme.test(bare)) ? undefined : href.trim()
}

const link = (href: string, label: string): string => {
  const safe = safeHref(href)
  return safe === undefined ? label : `<a href="${escape(safe)}">${label}</a>`
}

const lines = (text: string): string => escape(text).replaceAll("\r\n", "\n").replaceAll("\n", "<br>\n")

const inlineHtml = (piece: Inline): string => {
  switch (piece._tag) {
    case "Text":
      return lines(piece.text)
    case "Code":
      return `<code>${escape(piece.text)}</code>`
    case "Link":
      return link(piece.href, escape(piece.text === "" ? piece.href : piece.text))
    case "Open":
      return `<${piece.emphasis}>`
    case "Close":
      return `</${piece.emphasis}>`
  }
}

const flow = (inlines: ReadonlyArray<Inline>): string => inlines.map(inlineHtml).join("")

const alignment = (align: string): string =>
  align === "center" || align === "right" ? ` style="text-align:${align}"` : ""

const blockHtml = (block: Block): string => {
  switch (block._tag) {
    case "Paragraph": {
      const inside = flow(block.inlines)
      const tag = block.style === "text" || block.style === "subtext" ? "p" : block.style
      return `<${tag}${alignment(block.align)}>${
        block.style === "subtext" ? `<small>${inside}</small>` : inside
      }</${tag}>`
    }
    case "Quote":
      return `<blockquote>${flow(block.inlines)}</blockquote>`
    case "Action":
      return `<p>${link(block.href, escape(block.content))}</p>`
    case "Divider":
      return "<hr>"
  }
}

/** A whole document of clean, escaped HTML. */
export const page = (title: string, blocks: ReadonlyArray<Block>): string =>
  `<!doctype html>\n<html>\n<head><meta charset="utf-8"><title>${escape(title)}</title></head>\n<body>\n${
    blocks.map(blockHtml).join("\n")
  }\n</body>\n</html>\n`
