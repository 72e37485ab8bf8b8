import type { Content, Element } from "#schemas/Elemental.ts"
import { isList, isObject, type Value } from "#schemas/Json.ts"
import { type Block, paragraph } from "#src/content/Block.ts"
import type { Budget } from "#src/content/Budget.ts"
import * as Blocks from "#src/content/elemental/Blocks.ts"
import { elementsOf, Fields } from "#src/content/elemental/Fields.ts"
import { localized } from "#src/content/elemental/Locales.ts"
import { isMjml, raw, type Raw } from "#src/content/elemental/Raw.ts"
import { type Audience, isFor, Walk } from "#src/content/elemental/Walk.ts"
import * as Length from "#src/content/html/Length.ts"
import { type Look, plain } from "#src/content/html/Page.ts"
import type { Style } from "#src/content/layout/Branding.ts"
import { footer } from "#src/content/layout/Footer.ts"
import { inline } from "#src/content/Inline.ts"
import { fill, type Scope, writers } from "#src/content/Variables.ts"

/**
 * A channel's rendered elements: the title and the blocks in their order, or what the author wrote in the channel's
 * native form.
 */
export interface Document {
  readonly title: string
  readonly blocks: ReadonlyArray<Block>
  readonly raw: Raw | undefined
  /** The `html` of `raw` is MJML. */
  readonly isMjml: boolean
  /** The footer of the brand's mails. */
  readonly footer: ReadonlyArray<Block>
  /** Whether there is more than a short title and body. */
  readonly isRich: boolean
  readonly look: Omit<Look, "language">
}

/** For whom the elements are rendered, and with which variables, brand and budget. */
export interface Target extends Audience {
  readonly scope: Pick<Scope, "data" | "profile" | "system" | "translate" | "snippet" | "throwing">
  /** The brand of a mail. */
  readonly style: Style | undefined
  readonly budget: Budget
}

type Place = Pick<Audience, "channel" | "providers">

const top = { depth: 0, lists: 0 } as const

const isPart = ({ type }: Element): boolean => type === "channel"
export const isMeta = ({ type }: Element): boolean => type === "meta"

/** What stands beside the `channel` elements: it is for channels that have none. */
export const beside = (elements: ReadonlyArray<Element>): ReadonlyArray<Element> =>
  elements.filter((one) => !isPart(one))

/** If the top level has `channel` elements: those for this provider, or else for this channel, or else `default`. */
export const forChannel = (
  elements: ReadonlyArray<Element>,
  { channel, providers }: Place
): ReadonlyArray<Element> => {
  const parts = elements.filter(isPart)
  if (parts.length === 0) return parts
  const named = [...providers, channel, "default"].map((id) => parts.filter((part) => part["channel"] === id))
  return named.find((found) => found.length > 0) ?? []
}

/** Whether an element may show something there: HTML does in mails alone, and a comment nowhere (api.md 2.5). */
const mayShow = (place: Place) => (element: Element): boolean => {
  if (!isFor(element["channels"], place) || element.type === "comment") return false
  return element.type === "html" ? place.channel === "email" : mayShowAny(element["elements"], place)
}

/** An element without elements in it may show something itself. */
const mayShowAny = (elements: Value, place: Place): boolean =>
  !isList(elements) || elements.length === 0 || elementsOf(elements).some(mayShow(place))

/**
 * Whether the content may have anything for this channel and provider. It has not if all its `channel` elements, or the
 * `channels` of all its elements, name others, or if its elements show nothing there. Their conditions are not looked
 * at. A content without anything in it is for webhooks alone, which are sent the data.
 */
export const isWritten = ({ body, elements, title }: Content, place: Place): boolean => {
  if (typeof title === "string" || typeof body === "string") return true
  if (elements === undefined || elements === null || elements.length === 0) return place.channel === "webhook"
  if (!elements.some(isPart)) return elements.some(mayShow(place))
  return forChannel(elements, place).some((part) => isObject(part["raw"]) || mayShowAny(part["elements"], place)) ||
    beside(elements).some((one) => !isMeta(one) && mayShow(place)(one))
}

/** The document of a content without elements: its title and its body. */
const short = (title: string | undefined, blocks: ReadonlyArray<Block>, footer: ReadonlyArray<Block>): Document => ({
  title: title ?? "",
  blocks,
  raw: undefined,
  isMjml: false,
  footer,
  isRich: false,
  look: plain
})

/**
 * Renders the elements of a message for one channel (api.md 2.5). Unknown types are skipped. When the budget is used
 * up, it stops early.
 */
export const document = (content: Content, target: Target): Document => {
  const { budget } = target
  const fields = new Fields(budget)
  const begun: Scope = { ...target.scope, refs: {}, set: new Map(), loop: undefined }
  let title = typeof content.title === "string" ? fill(content.title, begun, budget, fields.plain) : undefined
  const first = typeof content.body === "string"
    ? [paragraph(inline(fill(content.body, begun, budget, writers.inline(budget)), budget))]
    : []
  const below = (scope: Scope) =>
    target.style === undefined ? [] : footer(target.style, { ...scope, throwing: false }, budget)
  const elements = content.elements ?? []
  if (elements.length === 0) return short(title, first, below(begun))

  const walk = new Walk(fields, target)
  const scope: Scope = { ...begun, refs: walk.refs }
  const making = Blocks.make(fields, walk, target.style?.accent, (said) => {
    title ??= said
  })
  // Of several `channel` elements that fit, the first one that is shown counts, for its `raw` as well as for its
  // elements.
  const part = forChannel(elements, target)
    .map((one) => localized(one, target.locale))
    .find((one) => walk.shows(one, scope))
  // A title beside the parts is that of each part without its own.
  const shown = part === undefined ? beside(elements) : [{ ...part, type: "group" }, ...elements.filter(isMeta)]
  const own = part !== undefined && isObject(part["raw"]) ? part["raw"] : undefined
  const sized = (key: string, by: (said: string) => string | undefined): string | undefined =>
    part === undefined ? undefined : by(fields.source(part, key))
  const blocks = [...first, ...walk.over(shown, scope, top, making)]
  return {
    blocks,
    raw: own === undefined ? undefined : raw(own, scope, budget),
    isMjml: own !== undefined && isMjml(own),
    footer: below(scope),
    isRich: true,
    title: title ?? "",
    look: {
      fontSize: sized("font_size", Length.length),
      lineHeight: sized("line_height", Length.lineHeight),
      padding: sized("padding", Length.padding)
    }
  }
}
