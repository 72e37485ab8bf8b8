import { isList, isObject } from "#schemas/Json.ts"
import type { Align, Block } from "#src/content/Block.ts"
import { webAddress } from "#src/content/chat/Address.ts"
import { type Run, runsOf, spelledOut } from "#src/content/chat/Runs.ts"
import type { Schema } from "effect"

type Json = Schema.JsonObject
type Of<Tag extends Block["_tag"]> = Extract<Block, { readonly _tag: Tag }>

/**
 * The most characters of a card and the summary beside it. Teams is certain to take 80 kB of UTF-16
 * (learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages).
 */
export const mostTogether = 40_000

/** The most characters of a card, which leaves more to the summary than a notification shows. */
const longest = 39_000

const openUrl = (url: string): Json => ({ type: "Action.OpenUrl", url })

const textRun = ({ href, styles, text }: Run, more: Json): Json => {
  const url = href === undefined ? undefined : webAddress(href)
  return {
    type: "TextRun",
    text,
    ...(styles.has("strong") ? { weight: "Bolder" } : {}),
    ...(styles.has("em") ? { italic: true } : {}),
    ...(styles.has("del") ? { strikethrough: true } : {}),
    ...(styles.has("u") ? { underline: true } : {}),
    ...(styles.has("code") ? { fontType: "Monospace" } : {}),
    ...more,
    ...(url === undefined ? {} : { color: "Accent", selectAction: openUrl(url) })
  }
}

const sizes = {
  text: {},
  subtext: { size: "Small", isSubtle: true },
  h1: { size: "Large", weight: "Bolder" },
  h2: { size: "Medium", weight: "Bolder" },
  h3: { weight: "Bolder" }
} as const

const aligned = (align: Align | undefined): Json =>
  align === undefined || align === "full" || align === "left"
    ? {}
    : { horizontalAlignment: align === "center" ? "Center" : "Right" }

const richText = (inlines: ReadonlyArray<Json>, more: Json = {}): Json => ({ type: "RichTextBlock", ...more, inlines })

const paragraph = ({ align, inlines, style }: Of<"Paragraph">, prefix = ""): ReadonlyArray<Json> => {
  const runs = runsOf(inlines)
  if (runs.every(({ text }) => text.trim() === "")) return []
  const lead = prefix === "" ? [] : [{ type: "TextRun", text: prefix }]
  return [richText([...lead, ...runs.map((run) => textRun(run, sizes[style]))], aligned(align))]
}

const said = (text: string, more: Json = {}): ReadonlyArray<Json> =>
  text === "" ? [] : [richText([{ type: "TextRun", text, ...more }])]

const container = (items: ReadonlyArray<Json>, more: Json = {}): ReadonlyArray<Json> =>
  items.length === 0 ? [] : [{ type: "Container", ...more, items }]

const list = ({ blocks, ordered, start }: Of<"List">, indent: string): ReadonlyArray<Json> =>
  blocks.flatMap((block, index) => {
    const [first, ...rest] = block._tag === "Item" ? block.blocks : [block]
    const mark = `${indent}${ordered ? `${start + index}.` : "•"} `
    const head = first === undefined ? [] : first._tag === "Paragraph" ? paragraph(first, mark) : one(first, indent)
    return [...head, ...rest.flatMap((inner) => one(inner, indent))]
  })

const action = (block: Of<"Action">): ReadonlyArray<Json> => {
  const { align, content, href, isLink } = block
  const url = webAddress(href)
  if (url === undefined) return said(spelledOut(block))
  if (isLink)
    return [richText([{ type: "TextRun", text: content, color: "Accent", selectAction: openUrl(url) }], aligned(align))]
  return [{ type: "ActionSet", ...aligned(align), actions: [{ ...openUrl(url), title: content }] }]
}

const image = ({ align, alt, href, src }: Of<"Image">): ReadonlyArray<Json> => {
  const [url, leads] = [webAddress(src), webAddress(href)]
  if (url === undefined) return said(alt)
  return [{
    type: "Image",
    url,
    altText: alt,
    ...aligned(align),
    ...(leads === undefined ? {} : { selectAction: openUrl(leads) })
  }]
}

const columns = (blocks: ReadonlyArray<Block>): ReadonlyArray<Json> => {
  const made = blocks.map((block) => ({
    type: "Column",
    width: "stretch",
    items: items(block._tag === "Column" ? block.blocks : [block])
  }))
  return made.length === 0 ? [] : [{ type: "ColumnSet", columns: made }]
}

/** Whether it is a whole card by the author. It is opened, since all elements share one card. */
const isCard = ({ type }: Json): boolean => type === "AdaptiveCard"

const bodyOf = ({ body }: Json): ReadonlyArray<Json> => isList(body) ? body.filter(isObject) : []

const one = (block: Block, indent = ""): ReadonlyArray<Json> => {
  switch (block._tag) {
    case "Paragraph":
      return paragraph(block)
    case "Quote":
      return container(items(block.blocks), { style: "emphasis" })
    case "Code":
      return container(said(block.text, { fontType: "Monospace" }), { style: "emphasis" })
    case "Action":
      return action(block)
    case "Image":
      return image(block)
    case "List":
      return container(list(block, indent === "" ? "  " : `${indent}    `))
    case "Columns":
      return columns(block.blocks)
    case "Item":
    case "Column":
      return items(block.blocks)
    case "Native":
      return isCard(block.json) ? bodyOf(block.json) : [block.json]
    case "Divider":
    case "Html":
      return []
  }
}

/** A divider becomes a separator line above the item that follows it. */
const items = (blocks: ReadonlyArray<Block>): ReadonlyArray<Json> => {
  let separated = false
  return blocks.flatMap((block) => {
    if (block._tag === "Divider") {
      separated = true
      return []
    }
    const [first, ...rest] = one(block)
    if (first === undefined) return []
    const head = separated ? { ...first, separator: true, spacing: "Medium" } : first
    separated = false
    return [head, ...rest]
  })
}

/**
 * A message as an adaptive card for Teams (adaptivecards.io, version 1.4); `undefined` if it is empty or too large, in
 * which case its plain text is sent. Data never becomes markup, since Teams parses no markdown in runs.
 */
export const adaptiveCard = (title: string, blocks: ReadonlyArray<Block>): Json | undefined => {
  const body = [...said(title, { size: "Large", weight: "Bolder" }), ...items(blocks)]
  const cards = blocks.flatMap((block) => block._tag === "Native" && isCard(block.json) ? [block.json] : [])
  const actions = cards.flatMap((own) => isList(own["actions"]) ? own["actions"] : [])
  const card = {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.4",
    // The properties of the author's own cards: their width, their version. Of several the last one's count.
    ...Object.fromEntries(cards.flatMap((own) => Object.entries(own))),
    ...(actions.length > 0 ? { actions } : {}),
    body
  }
  return body.length === 0 || JSON.stringify(card).length > longest ? undefined : card
}
