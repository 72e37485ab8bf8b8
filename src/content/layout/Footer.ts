import { type Block, paragraph } from "#src/content/Block.ts"
import type { Budget } from "#src/content/Budget.ts"
import type { Inline } from "#src/content/Inline.ts"
import type { Style } from "#src/content/layout/Branding.ts"
import { markdown } from "#src/content/Markdown.ts"
import { fill, type Scope, writers } from "#src/content/Variables.ts"

/** A brand's footer for one mail: its markdown with variables filled in, and links to its social networks. */
export const footer = (style: Style, scope: Scope, budget: Budget): ReadonlyArray<Block> => {
  const links = style.social.flatMap(({ name, url }, index): ReadonlyArray<Inline> => [
    ...(index === 0 ? [] : [{ _tag: "Text" as const, text: " · " }]),
    { _tag: "Link", text: name, href: url }
  ])
  return [
    ...(style.footer === "" ? [] : markdown(fill(style.footer, scope, budget, writers.markdown(budget)), budget)),
    ...(links.length === 0 ? [] : [paragraph(links)])
  ]
}
