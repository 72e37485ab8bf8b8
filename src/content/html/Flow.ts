import { safeHref, safeSource } from "#src/content/Href.ts"
import { escape } from "#src/content/html/Escape.ts"
import { untracked } from "#src/content/html/Links.ts"
import { colors } from "#src/content/html/Styles.ts"
import type { Inline } from "#src/content/Inline.ts"

/** What keeps a link from being tracked. */
export const trackingOf = (isUntracked: boolean | undefined): string => isUntracked === true ? ` ${untracked}` : ""

/** A link, or only its label if its address is not safe. */
export const link = (
  href: string,
  label: string,
  isUntracked?: boolean,
  style = `color:${colors.link};text-decoration:underline`
): string => {
  const safe = safeHref(href)
  if (safe === undefined) return label
  return `<a class="link" href="${escape(safe)}"${trackingOf(isUntracked)} style="${style}">${label}</a>`
}

/** `width` has the form of `Length.length`. */
export const image = (
  src: string,
  alt: string,
  href: string,
  width: string | undefined,
  display: "block" | "inline",
  isUntracked?: boolean
): string => {
  const safe = safeSource(src)
  if (safe === undefined) return escape(alt)
  const fixed = width?.endsWith("px") === true ? Math.round(Number.parseFloat(width)) : undefined
  const attribute = fixed === undefined ? "" : ` width="${fixed}"`
  const wide = width === undefined || fixed !== undefined ? "" : `width:${width};`
  const shown = display === "block" ? "inline-block" : "inline"
  const style = `display:${shown};${wide}max-width:100%;height:auto;border:0;vertical-align:middle`
  const tag = `<img src="${escape(safe)}" alt="${escape(alt)}"${attribute} style="${style}">`
  return link(href, tag, isUntracked, "text-decoration:none")
}

const lines = (text: string): string => escape(text).replaceAll("\r\n", "\n").replaceAll("\n", "<br>\n")

const code =
  `font-family:Menlo,Consolas,monospace;font-size:0.9em;background-color:${colors.code};padding:2px 4px;border-radius:4px`

const inlineHtml = (piece: Inline): string => {
  switch (piece._tag) {
    case "Text":
      return lines(piece.text)
    case "Code":
      return `<code class="code" style="${code}">${escape(piece.text)}</code>`
    case "Link":
      return link(
        piece.href,
        piece.label === undefined ? escape(piece.text || piece.href) : flow(piece.label),
        piece.isUntracked
      )
    case "Image":
      return image(piece.src, piece.alt, piece.href, piece.width, "inline", piece.isUntracked)
    case "Open":
      return `<${piece.emphasis}>`
    case "Close":
      return `</${piece.emphasis}>`
    case "Tint":
      return `<span style="color:${piece.color}">`
    case "Untint":
      return "</span>"
  }
}

/** A paragraph's inlines as HTML. */
export const flow = (inlines: ReadonlyArray<Inline>): string => inlines.map(inlineHtml).join("")
