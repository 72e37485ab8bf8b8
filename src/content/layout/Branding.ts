import type { Brand } from "#schemas/Brand.ts"
import { safeHref, safeSource } from "#src/content/Href.ts"
import * as Color from "#src/content/html/Color.ts"
import { length } from "#src/content/html/Length.ts"
import type { Layout } from "#src/content/layout/Layout.ts"

/** The networks that a brand's footer may name, as readers call them (api.md §9). */
const networks = [
  ["facebook", "Facebook"],
  ["instagram", "Instagram"],
  ["linkedin", "LinkedIn"],
  ["medium", "Medium"],
  ["twitter", "Twitter"]
] as const

/** The author's own HTML or MJML, in place of the brand's header, footer and head. */
export interface Override {
  readonly isMjml: boolean
  readonly head: string
  readonly header: string
  readonly footer: string
}

/**
 * The parts of a brand that its mails show. Colors, lengths and addresses have been checked; an empty text means that
 * there is none.
 */
export interface Style {
  readonly name: string
  /** The color of buttons without their own. */
  readonly accent: string | undefined
  readonly bar: string | undefined
  readonly logo: { readonly image: string; readonly href: string } | undefined
  readonly head: string
  /** Markdown with variables; empty if the override brings its own footer. */
  readonly footer: string
  readonly social: ReadonlyArray<{ readonly name: string; readonly url: string }>
  /** The width of the card, in px. */
  readonly width: number
  readonly page: string | undefined
  readonly card: string | undefined
  readonly footerColor: string | undefined
  readonly override: Override | undefined
}

/** A brand's style, and the page of its mails; without `layout` they use the unbranded page. */
export interface Branding {
  readonly style: Style
  readonly layout: Layout | undefined
}

const widthOf = (said: string): number => {
  const width = length(said)
  return width?.endsWith("px") === true ? Math.min(1_200, Math.max(320, Math.round(Number.parseFloat(width)))) : 600
}

/** Reads the style of a brand's mails. */
export const styleOf = ({ name, settings }: Brand): Style => {
  const { footer, head, header, templateOverride } = settings.email ?? {}
  const isOverridden = templateOverride?.enabled === true
  const isMjml = isOverridden && templateOverride.mjml?.enabled === true
  const frame = isMjml ? templateOverride.mjml : isOverridden ? templateOverride : undefined
  const color = (said: string | null | undefined): string | undefined => Color.color(said ?? "")
  const image = safeSource(header?.logo?.image ?? "")
  const override = frame === undefined || frame === null
    ? undefined
    : { isMjml, head: frame.head ?? "", header: frame.header ?? "", footer: frame.footer ?? "" }
  const isFooterOwn = override !== undefined && override.footer !== ""
  return {
    name,
    accent: color(settings.colors?.["primary"]),
    bar: color(header?.barColor),
    logo: image === undefined ? undefined : { image, href: safeHref(header?.logo?.href ?? "") ?? "" },
    head: head?.content ?? "",
    footer: isFooterOwn ? "" : footer?.markdown ?? footer?.content ?? "",
    social: networks.flatMap(([key, called]) => {
      const url = isFooterOwn ? undefined : footer?.social?.[key]?.["url"]
      const safe = typeof url === "string" ? safeHref(url) : undefined
      return safe === undefined ? [] : [{ name: called, url: safe }]
    }),
    width: widthOf(frame?.width ?? ""),
    page: color(frame?.backgroundColor),
    card: color(frame?.blocksBackgroundColor),
    footerColor: color(isOverridden ? templateOverride.footerBackgroundColor : undefined),
    override
  }
}
