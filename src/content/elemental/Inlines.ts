import type { Element } from "#schemas/Elemental.ts"
import { isList } from "#schemas/Json.ts"
import type { Fields } from "#src/content/elemental/Fields.ts"
import type { Making, Nesting, Walk } from "#src/content/elemental/Walk.ts"
import { type Emphasis, inline, type Inline } from "#src/content/Inline.ts"
import * as Plain from "#src/content/Plain.ts"
import { fill, type Scope, writers } from "#src/content/Variables.ts"

const formats: ReadonlyArray<readonly [string, Emphasis]> = [
  ["bold", "strong"],
  ["italic", "em"],
  ["strikethrough", "del"],
  ["underline", "u"]
]

/** What an element makes of the inlines in it. */
export type Formatting = (inlines: ReadonlyArray<Inline>) => ReadonlyArray<Inline>

const asTheyAre: Formatting = (inlines) => inlines

/** How elements become inlines of a paragraph. */
export const make = (fields: Fields, walk: Walk) => {
  const { budget } = fields

  /** Wraps inlines in the color and emphasis that an element sets. */
  const formatting = (element: Element, inside: Scope): Formatting => {
    const color = fields.color(element, inside, "color")
    const emphases = formats.flatMap(([key, emphasis]) => fields.flag(element, inside, key) ? [emphasis] : [])
    if (color === undefined && emphases.length === 0) return asTheyAre
    return (inlines) => [
      ...(color === undefined ? [] : [{ _tag: "Tint" as const, color }]),
      ...emphases.map((emphasis) => ({ _tag: "Open" as const, emphasis })),
      ...inlines,
      ...emphases.toReversed().map((emphasis) => ({ _tag: "Close" as const, emphasis })),
      ...(color === undefined ? [] : [{ _tag: "Untint" as const }])
    ]
  }

  const piece = (element: Element, inside: Scope): ReadonlyArray<Inline> => {
    const text = (...keys: ReadonlyArray<string>): string => fields.text(element, inside, ...keys)
    const address = (key: string): string => fields.address(element, inside, key)
    switch (element.type) {
      case "string":
        return formatting(element, inside)([{ _tag: "Text", text: text("content") }])
      case "link":
        return formatting(element, inside)([
          { _tag: "Link", text: text("content"), href: address("href"), ...fields.tracking(element, inside) }
        ])
      case "img": {
        const [src, alt, href] = [address("src"), text("alt_text", "altText"), address("href")]
        return [{
          _tag: "Image",
          src,
          alt,
          href,
          width: fields.width(element, inside),
          ...fields.tracking(element, inside)
        }]
      }
      default:
        return []
    }
  }

  const pieces: Making<Inline> = { put: piece, read: Plain.flow }

  /** An element's own content with its inline markdown parsed, or that of its nested pieces. */
  const inlines = (element: Element, inside: Scope, { depth, lists }: Nesting): ReadonlyArray<Inline> =>
    formatting(element, inside)(
      isList(element["elements"])
        ? walk.over(element["elements"], inside, { depth: depth + 1, lists }, pieces)
        : inline(fill(fields.source(element, "content"), inside, budget, writers.inline(budget)), budget)
    )

  return { formatting, inlines }
}
