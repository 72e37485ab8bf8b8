import type { Action, Rendered } from "#schemas/Rendered.ts"
import type { Block } from "#src/content/Block.ts"
import type { Document } from "#src/content/Elemental.ts"
import { safeHref } from "#src/content/Href.ts"
import { textOf } from "#src/content/html/Text.ts"
import * as Page from "#src/content/html/Page.ts"
import * as Plain from "#src/content/Plain.ts"

const empty: Rendered = { title: "", subject: "", body: "", text: "", html: "", blocks: [], actions: [] }

const letter: Plain.Way = { between: "\n\n", withActions: true, isLetter: true }
const note: Plain.Way = { between: "\n", withActions: true, isLetter: false }
const card: Plain.Way = { between: "\n", withActions: false, isLetter: false }

const inside = (block: Block): ReadonlyArray<Block> => "blocks" in block ? block.blocks.flatMap(inside) : [block]

const actionsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Action> =>
  blocks.flatMap(inside).flatMap((block) =>
    block._tag !== "Action" || (block.href !== "" && safeHref(block.href) === undefined)
      ? []
      : [{ content: block.content, href: block.href }]
  )

/** The blocks one by one, for channels that show them so. */
const piecesOf = (blocks: ReadonlyArray<Block>): Rendered["blocks"] =>
  blocks.flatMap((block) => {
    const text = Plain.text([block], note)
    return text === "" ? [] : [{ type: block._tag === "Action" ? "action" : "text", text }]
  })

/** The first words of a mail, for the line beside its subject. */
const firstWords = (blocks: ReadonlyArray<Block>): string => {
  for (const block of blocks.flatMap(inside)) {
    const words = block._tag === "Paragraph"
      ? block.inlines.map((piece) => "text" in piece ? piece.text : "").join("")
      : ""
    if (words.trim() !== "") return words
  }
  return ""
}

const email = ({ blocks, look, title }: Document, language: string | undefined): Rendered => ({
  ...empty,
  subject: title,
  text: Plain.text(blocks, letter),
  html: Page.page(title, firstWords(blocks), blocks, { ...look, language })
})

/** Which parts of a document a channel takes. */
const ofBlocks = (channel: string, document: Document, language: string | undefined): Rendered => {
  const { blocks, title } = document
  switch (channel) {
    case "email":
      return email(document, language)
    case "sms": {
      const said = Plain.withoutControls(Plain.text(blocks, note)) || title
      return { ...empty, body: said, text: said }
    }
    case "inbox":
    case "push":
    case "webhook": {
      const body = Plain.text(blocks, card)
      return { ...empty, title, body, text: body, actions: actionsOf(blocks) }
    }
    default: {
      const body = Plain.text(blocks, note)
      return { ...empty, title, body, text: body, blocks: piecesOf(blocks) }
    }
  }
}

/** What a channel is given to send: what its elements say, and over that what the author wrote in the channel's own form. */
export const shape = (channel: string, document: Document, language: string | undefined): Rendered => {
  const made = ofBlocks(channel, document, language)
  const { raw } = document
  if (raw === undefined) return made
  const own = (key: "subject" | "title" | "body" | "text" | "html"): string | undefined => {
    const value = raw[key]
    return typeof value === "string" ? value : undefined
  }
  if (channel === "email") {
    const html = own("html") ?? made.html
    const subject = Plain.oneLine(own("subject") ?? made.subject)
    return { ...made, subject, html, text: own("text") ?? (own("html") === undefined ? made.text : textOf(html)), raw }
  }
  const body = own("body") ?? own("text") ?? made.body
  const title = made.title === "" && own("title") === undefined ? "" : Plain.oneLine(own("title") ?? made.title)
  return { ...made, title, body, text: own("text") ?? body, raw }
}
