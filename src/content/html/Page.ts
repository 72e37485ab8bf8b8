import type { Block } from "#src/content/Block.ts"
import { rows, table } from "#src/content/html/Blocks.ts"
import { escape } from "#src/content/html/Escape.ts"
import { colors, font, sheet } from "#src/content/html/Styles.ts"
import { fill, type Layout } from "#src/content/layout/Layout.ts"

/**
 * The look of the whole page: `font_size`, `line_height` and `padding` of the channel as lengths. `language` is a tag
 * such as `en-GB`.
 */
export interface Look {
  readonly fontSize: string | undefined
  readonly lineHeight: string | undefined
  readonly padding: string | undefined
  readonly language: string | undefined
}

export const plain: Look = { fontSize: undefined, lineHeight: undefined, padding: undefined, language: undefined }

const preheaderLength = 140

/** Invisible characters that keep a client from showing the mail's body after the preheader. */
const filler = "&#8199;&#847; ".repeat(48)

const hidden =
  "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px"

/** The preheader: the first words, and the filler after them. */
const preview = (first: string): string => {
  const text = first.replace(/\s+/g, " ").trim()
  const cut = text.length <= preheaderLength
    ? text
    : `${text.slice(0, preheaderLength).replace(/[\ud800-\udbff]$/, "").trimEnd()}…`
  return cut === "" ? "" : `${escape(cut)} ${filler}`
}

const preheader = (first: string): string => {
  const text = preview(first)
  return text === "" ? "" : `<div style="${hidden}">${text}</div>\n`
}

const rightToLeft = /^(?:ar|ckb|dv|fa|he|iw|ps|sd|ug|ur|yi)(?:-|$)/i

const top = (title: string, language: string | undefined, isRightToLeft: boolean): string => {
  const tongue = language === undefined ? "" : ` lang="${escape(language)}"${isRightToLeft ? ` dir="rtl"` : ""}`
  return `<!doctype html>
<html${tongue}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(title)}</title>
<style>
${sheet}
</style>
</head>
`
}

const card = ({ fontSize, lineHeight, padding }: Look): string =>
  `padding:${
    padding ?? "32px 32px 16px"
  };background-color:${colors.card};border:1px solid ${colors.rule};border-radius:10px;`
  + `color:${colors.text};font-family:${font};font-size:${fontSize ?? "16px"};line-height:${
    lineHeight ?? "24px"
  };word-break:break-word`

/** The parts of a mail. `first`: the text that an inbox shows beside the subject. */
export interface Mail {
  readonly title: string
  readonly first: string
  readonly blocks: ReadonlyArray<Block>
  readonly footer: ReadonlyArray<Block>
  readonly look: Look
}

const small = `padding:16px 32px 0;color:${colors.muted};font-family:${font};font-size:13px;line-height:20px`

const below = (footer: ReadonlyArray<Block>): string =>
  footer.length === 0 ? "" : `\n<tr><td class="sub" align="center" style="${small}">${rows(footer)}</td></tr>`

/** A mail without a brand: one centered card of at most 600 px, without a header, for phones and dark screens too. */
export const page = ({ blocks, first, footer, look, title }: Mail): string => {
  const isRightToLeft = look.language !== undefined && rightToLeft.test(look.language)
  return `${
    top(title, look.language, isRightToLeft)
  }<body class="page" style="margin:0;padding:0;background-color:${colors.page}">
${
    preheader(first)
  }${table} class="page" width="100%" style="background-color:${colors.page}"><tr><td class="outer" align="center" style="padding:32px 16px">
<!--[if mso]>${table} width="600"><tr><td><![endif]-->
${table} width="100%" style="max-width:600px"><tr><td class="card" align="${isRightToLeft ? "right" : "left"}" style="${
    card(look)
  }">
${rows(blocks)}
</td></tr>${below(footer)}</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`
}

const sized = ({ fontSize, lineHeight, padding }: Look, body: string): string => {
  const style = [
    ...(fontSize === undefined ? [] : [`font-size:${fontSize}`]),
    ...(lineHeight === undefined ? [] : [`line-height:${lineHeight}`]),
    ...(padding === undefined ? [] : [`padding:${padding}`])
  ]
  return style.length === 0 ? body : `<div style="${style.join(";")}">${body}</div>`
}

/** A mail in its brand's page; `write` fills in the variables of the page's own texts. */
export const branded = (
  { blocks, first, footer, look, title }: Mail,
  layout: Layout,
  write: (template: string) => string
): string => {
  const isRightToLeft = look.language !== undefined && rightToLeft.test(look.language)
  return fill(layout, {
    lang: look.language ?? "und",
    dir: look.language === undefined ? "auto" : isRightToLeft ? "rtl" : "ltr",
    direction: isRightToLeft ? "rtl" : "ltr",
    align: isRightToLeft ? "right" : "left",
    title: escape(title),
    preheader: preview(first),
    body: sized(look, rows(blocks)),
    footer: footer.length === 0 ? "" : rows(footer)
  }, write)
}
