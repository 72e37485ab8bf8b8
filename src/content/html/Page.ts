import type { Block } from "#src/content/Block.ts"
import { rows, type Side, table } from "#src/content/html/Blocks.ts"
import type { Framed } from "#src/content/Frame.ts"
import { escape } from "#src/content/html/Escape.ts"
import { filler, preheader } from "#src/content/html/Preheader.ts"
import { colors, font, sheet } from "#src/content/html/Styles.ts"
import { cut, fill, mark } from "#src/content/layout/Cut.ts"
import type { Layout } from "#src/content/layout/Layout.ts"
import { memo } from "#src/cache/Memo.ts"
import { Result } from "effect"

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

const hidden =
  "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px"

/** ICU does not know the direction of Nastaliq, a style of the Arabic script with a code of its own. */
const nastaliq = /-aran(?=-|$)/i

/**
 * The side at which a language's lines begin, as CLDR has it of its script, which goes without saying by the language
 * and the country: those of Punjabi on the left, in Pakistan on the right. A tag that is none is read from the left.
 */
const sideOf = memo({ entries: 256, characters: 16_384 }, (language): Side => {
  const direction = Result.try(() => new Intl.Locale(language.replace(nastaliq, "-Arab")).getTextInfo().direction)
  return Result.getOrUndefined(direction) === "rtl" ? "right" : "left"
})

const directionOf = (side: Side): string => side === "right" ? "rtl" : "ltr"

const top = `<!doctype html>
<html${mark("tongue")}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${mark("title")}</title>
<style>
${sheet}
</style>
</head>
`

const card = `padding:${mark("padding")};background-color:${colors.card};border:1px solid ${colors.rule};`
  + `border-radius:10px;color:${colors.text};font-family:${font};font-size:${mark("fontSize")};line-height:${
    mark("lineHeight")
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

const below = (footer: ReadonlyArray<Block>, side: Side): string =>
  footer.length === 0 ? "" : `\n<tr><td class="sub" align="center" style="${small}">${rows(footer, side)}</td></tr>`

/** What each mail fills of the page without a brand. */
const slots = ["tongue", "title", "preheader", "align", "padding", "fontSize", "lineHeight", "body", "below"] as const

/**
 * The page without a brand: one centered card of at most 600 px, for phones and dark screens too. The table says its
 * language as well, since Gmail drops what the document says.
 */
const whole = (preview: string): string =>
  `${top}<body class="page" style="margin:0;padding:0;background-color:${colors.page}">
${preview}${table}${
    mark("tongue")
  } class="page" width="100%" style="background-color:${colors.page}"><tr><td class="outer" align="center" style="padding:32px 16px">
<!--[if mso]>${table} width="600"><tr><td><![endif]-->
${table} width="100%" style="max-width:600px"><tr><td class="card" align="${mark("align")}" style="${card}">
${mark("body")}
</td></tr>${mark("below")}</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`

const spoken = cut(whole(`<div style="${hidden}">${mark("preheader")}</div>\n`), slots, { preheader: filler })
const silent = cut(whole(""), slots)

/** A mail without a brand, without a header. */
export const page = ({ blocks, first, footer, look, title }: Mail): Framed => {
  const { fontSize = "16px", language, lineHeight = "24px", padding = "32px 32px 16px" } = look
  const side = language === undefined ? "left" : sideOf(language)
  const words = preheader(first)
  return fill(words === "" ? silent : spoken, {
    tongue: language === undefined ? "" : ` lang="${escape(language)}" dir="${directionOf(side)}"`,
    title: escape(title),
    preheader: words,
    align: side,
    padding,
    fontSize,
    lineHeight,
    body: rows(blocks, side),
    below: below(footer, side)
  }, (template) => template)
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
): Framed => {
  const side = look.language === undefined ? "left" : sideOf(look.language)
  const direction = directionOf(side)
  const words = preheader(first)
  return fill(words === "" ? layout.silent : layout.spoken, {
    lang: look.language ?? "und",
    dir: look.language === undefined ? "auto" : direction,
    direction,
    align: side,
    title: escape(title),
    preheader: words,
    body: sized(look, rows(blocks, side)),
    footer: footer.length === 0 ? "" : rows(footer, side)
  }, write)
}
