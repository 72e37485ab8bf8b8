import type { Block } from "#src/content/Block.ts"
import { cut } from "#src/content/Cut.ts"
import { webAddress } from "#src/content/chat/Address.ts"
import { type Run, runsOf, spelledOut } from "#src/content/chat/Runs.ts"
import { safeHref } from "#src/content/Href.ts"
import type { Inline } from "#src/content/Inline.ts"
import type { Schema } from "effect"

type Json = Schema.JsonObject
type Of<Tag extends Block["_tag"]> = Extract<Block, { readonly _tag: Tag }>

/**
 * Slack's limits (docs.slack.dev/reference/block-kit/blocks). `all`, for the texts together, is not documented: 11,341
 * characters and more have been refused (`msg_blocks_too_long`, slackapi/bolt-js#2867).
 */
const most = { blocks: 50, header: 150, button: 75, text: 3_000, alt: 2_000, all: 10_000 } as const

const words = (text: string): Json => ({ type: "plain_text", text, emoji: false })

const styleOf = ({ styles }: Run): Json => {
  const style: Json = {
    ...(styles.has("strong") ? { bold: true } : {}),
    ...(styles.has("em") ? { italic: true } : {}),
    ...(styles.has("del") ? { strike: true } : {}),
    ...(styles.has("code") ? { code: true } : {})
  }
  return Object.keys(style).length === 0 ? {} : { style }
}

const element = (run: Run): Json => {
  const url = run.href === undefined ? undefined : webAddress(run.href)
  return url === undefined
    ? { type: "text", text: run.text, ...styleOf(run) }
    : { type: "link", url, text: run.text, ...styleOf(run) }
}

const elementsOf = (inlines: ReadonlyArray<Inline>): ReadonlyArray<Json> => runsOf(inlines).map(element)

const lineEnd: Json = { type: "text", text: "\n" }

/** The paragraphs of blocks, one below the other. What is not text in a quote or an item is left to `blocksOf`. */
const texts = (blocks: ReadonlyArray<Block>): ReadonlyArray<Json> =>
  blocks.flatMap((block) => block._tag === "Paragraph" ? [elementsOf(block.inlines)] : []).filter((one) =>
    one.length > 0
  ).flatMap((one, index) => index === 0 ? one : [lineEnd, ...one])

const rich = (elements: ReadonlyArray<Json>): Json => ({ type: "rich_text", elements })

const section = (elements: ReadonlyArray<Json>): Json => ({ type: "rich_text_section", elements })

const list = ({ blocks, ordered, start }: Of<"List">, indent: number): ReadonlyArray<Json> => {
  const items = blocks.map((block) => block._tag === "Item" ? block.blocks : [block])
  const style = { style: ordered ? "ordered" : "bullet", indent }
  return items.flatMap((item, index): ReadonlyArray<Json> => {
    const said = texts(item)
    const own = said.length === 0 ? [] : [{
      type: "rich_text_list",
      ...style,
      ...(ordered && start - 1 + index > 0 ? { offset: start - 1 + index } : {}),
      elements: [section(said)]
    }]
    return [...own, ...item.flatMap((block) => block._tag === "List" ? list(block, Math.min(8, indent + 1)) : [])]
  })
}

/** The parts of a list or quote that are not text. */
const apart = (blocks: ReadonlyArray<Block>): ReadonlyArray<Json> =>
  blocks.flatMap((block) => {
    if (block._tag === "Item" || block._tag === "List") return apart(block.blocks)
    return block._tag === "Paragraph" ? [] : one(block)
  })

const strong = (run: Run): Run => ({ ...run, styles: new Set([...run.styles, "strong" as const]) })

const paragraph = ({ inlines, style }: Of<"Paragraph">): ReadonlyArray<Json> => {
  const runs = runsOf(inlines)
  const text = runs.map((run) => run.text).join("")
  if (text.trim() === "") return []
  const isHeading = style === "h1" || style === "h2" || style === "h3"
  // A header or a context can have no links and is limited in length; any other text becomes rich text.
  const isBare = runs.every(({ href }) => href === undefined)
  if (isBare && isHeading && style !== "h3" && text.length <= most.header)
    return [{ type: "header", text: words(text) }]
  if (isBare && style === "subtext" && text.length <= most.text) return [{ type: "context", elements: [words(text)] }]
  return [rich([section((isHeading ? runs.map(strong) : runs).map(element))])]
}

const action = (block: Of<"Action">): ReadonlyArray<Json> => {
  const { content, href, isLink } = block
  const url = webAddress(href)
  if (url === undefined) return [rich([section([{ type: "text", text: spelledOut(block) }])])]
  if (isLink) return [rich([section([{ type: "link", url, text: content }])])]
  return [{ type: "actions", elements: [{ type: "button", text: words(cut(content, most.button)), url }] }]
}

/** An image of Slack's is no link: where it leads to stands below it, as do its words if Slack cannot show it. */
const image = (block: Of<"Image">): ReadonlyArray<Json> => {
  const url = webAddress(block.src)
  const leads = safeHref(block.href)
  const said = url !== undefined && leads === undefined
    ? []
    : elementsOf([{ ...block, alt: block.alt === "" ? leads ?? "" : block.alt }])
  return [
    ...(url === undefined
      ? []
      : [{ type: "image", image_url: url, alt_text: cut(block.alt === "" ? "image" : block.alt, most.alt) }]),
    ...(said.length === 0 ? [] : [rich([section(said)])])
  ]
}

const one = (block: Block): ReadonlyArray<Json> => {
  switch (block._tag) {
    case "Paragraph":
      return paragraph(block)
    case "Quote": {
      const said = texts(block.blocks)
      return [
        ...(said.length === 0 ? [] : [rich([{ type: "rich_text_quote", elements: said }])]),
        ...apart(block.blocks)
      ]
    }
    case "Code":
      return block.text === ""
        ? []
        : [rich([{ type: "rich_text_preformatted", elements: [{ type: "text", text: block.text }] }])]
    case "Action":
      return action(block)
    case "Image":
      return image(block)
    case "Divider":
      return [{ type: "divider" }]
    case "List": {
      const said = list(block, 0)
      return [...(said.length === 0 ? [] : [rich(said)]), ...apart(block.blocks)]
    }
    case "Native":
      return [block.json]
    case "Html":
      return []
    case "Item":
    case "Column":
    case "Columns":
      return block.blocks.flatMap(one)
  }
}

const nativesOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Json> =>
  blocks.flatMap((block) => "blocks" in block ? nativesOf(block.blocks) : block._tag === "Native" ? [block.json] : [])

/** Joins adjacent buttons into one block, at most 25 in each. The author's own blocks stay as they are. */
const joined = (blocks: ReadonlyArray<Json>, own: ReadonlySet<Json | undefined>): ReadonlyArray<Json> => {
  const all: Array<Json> = []
  for (const block of blocks) {
    const last = all.at(-1)
    const [mine, theirs] = [block["elements"], last?.["elements"]]
    if (
      block["type"] !== "actions" || last?.["type"] !== "actions" || !Array.isArray(mine) || !Array.isArray(theirs) ||
      mine.length + theirs.length > 25 || own.has(block) || own.has(last)
    ) all.push(block)
    else all[all.length - 1] = { ...last, elements: [...theirs, ...mine] }
  }
  return all
}

/** The characters of all texts and addresses. */
const lengthOf = (value: Schema.Json): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 0
  return (Array.isArray(value) ? value : Object.entries(value).flatMap(([name, of]) => name === "type" ? [] : [of]))
    .reduce((sum: number, of: Schema.Json) => sum + lengthOf(of), 0)
}

/**
 * A message as Slack's blocks; empty if it exceeds Slack's limits, in which case its plain text is sent. Data never
 * becomes markup.
 */
export const slackBlocks = (title: string, blocks: ReadonlyArray<Block>): ReadonlyArray<Json> => {
  const head = title === ""
    ? []
    : paragraph({ _tag: "Paragraph", style: "h1", align: undefined, inlines: [{ _tag: "Text", text: title }] })
  const natives = nativesOf(blocks)
  const made = joined([...head, ...blocks.flatMap(one)], new Set(natives))
  // Native blocks of the author have no text to fall back to: Slack itself decides whether they are too long.
  const isTooLong = natives.length === 0 && lengthOf(made) > most.all
  return made.length > most.blocks || isTooLong ? [] : made
}
