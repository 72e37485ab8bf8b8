import { type Action, blank, type Rendered } from "#schemas/Rendered.ts"
import type { Block } from "#src/content/Block.ts"
import type { Document } from "#src/content/Elemental.ts"
import { adaptiveCard } from "#src/content/chat/AdaptiveCard.ts"
import { slackBlocks } from "#src/content/chat/Slack.ts"
import * as Frame from "#src/content/Frame.ts"
import { safeHref } from "#src/content/Href.ts"
import * as Page from "#src/content/html/Page.ts"
import { rule, textOf } from "#src/content/html/Text.ts"
import type { Layout } from "#src/content/layout/Layout.ts"
import * as Plain from "#src/content/Plain.ts"
import { segmentsOf } from "#src/content/Segments.ts"

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

/** The blocks as single texts, for channels that show them one by one. */
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

/** What to shape, and for which channel and providers. */
export interface Shaping {
  readonly channel: string
  /** All names of the provider, its vendor's key included. */
  readonly providers: ReadonlyArray<string>
  readonly language: string | undefined
  readonly document: Document
  /** The page of the brand, for a mail. */
  readonly layout: Layout | undefined
  /** The brand's own HTML in that page that takes the place of its footer. */
  readonly ownFooter: string | undefined
  /** Fills in the variables of the layout's own texts. */
  readonly write: (template: string) => string
  /** Makes the rendering fail with this sentence. */
  readonly refuse: (detail: string) => void
}

const email = ({ document, language, layout, ownFooter = "", write }: Shaping): Rendered => {
  const { blocks, footer, look, title } = document
  // The links of a footer, such as the one to unsubscribe, are for those who read mails as text, too.
  const foot = layout === undefined || ownFooter === "" ? Plain.text(footer, letter) : textOf(write(ownFooter))
  const mail = { title, first: firstWords(blocks), blocks, footer, look: { ...look, language } }
  const page = layout === undefined ? Page.page(mail) : Page.branded(mail, layout, write)
  const said = Plain.text(blocks, letter) + (foot === "" ? "" : `\n\n${rule}\n\n${foot}`)
  return Frame.note({ ...blank, subject: title, text: Plain.withoutNul(said), html: Frame.join(page) }, page)
}

/** The text of a text message, and its segments. */
const texted = (said: string): Pick<Rendered, "text" | "segments"> => {
  const segments = segmentsOf(said)
  return { text: said, ...(segments === undefined ? {} : { segments }) }
}

/** The elements in the provider's native form, if it is a chat platform that has one. */
const nativeOf = ({ document: { blocks, isRich, title }, providers, refuse }: Shaping): Pick<Rendered, "native"> => {
  if (!isRich) return {}
  const isNative = blocks.flatMap(inside).some(({ _tag }) => _tag === "Native")
  if (providers.includes("slack")) {
    const made = slackBlocks(title, blocks)
    // Falling back to plain text would drop what the author made for this platform.
    if (made.length === 0 && isNative) refuse("Slack takes no more than 50 blocks")
    return made.length === 0 ? {} : { native: { slackBlocks: made } }
  }
  const card = providers.includes("msteams") ? adaptiveCard(title, blocks) : undefined
  if (card === undefined && isNative && providers.includes("msteams"))
    refuse("The card is empty, or longer than Teams takes")
  return card === undefined ? {} : { native: { adaptiveCard: card } }
}

/** Shapes the document's blocks for the channel. */
const ofBlocks = (shaping: Shaping): Rendered => {
  const { channel, document: { blocks, title } } = shaping
  switch (channel) {
    case "email":
      return email(shaping)
    case "sms": {
      const said = Plain.forPhones(Plain.text(blocks, note) || title)
      return { ...blank, body: said, ...texted(said) }
    }
    case "inbox":
    case "push":
    case "webhook": {
      const body = Plain.text(blocks, card)
      return { ...blank, title, body, text: body, actions: actionsOf(blocks) }
    }
    default: {
      const body = Plain.text(blocks, note)
      // An incident has its links apart.
      const actions = shaping.providers.includes("pagerduty") ? actionsOf(blocks) : []
      return { ...blank, title, body, text: body, blocks: piecesOf(blocks), actions, ...nativeOf(shaping) }
    }
  }
}

/**
 * What a channel is given to send: what its elements make, overridden by what the author wrote in the channel's native
 * form (`raw`).
 */
export const shape = (shaping: Shaping): Rendered => {
  const { channel, document: { blocks, raw } } = shaping
  const made = ofBlocks(shaping)
  if (raw === undefined) return made
  const own = (key: "subject" | "title" | "body" | "text" | "html"): string | undefined => {
    const value = raw[key]
    return typeof value === "string" ? value : undefined
  }
  if (channel === "email") {
    const written = own("html")
    const said = own("text")
    // A mail that is all text has no page: there would be nothing on it.
    const isText = written === undefined && said !== undefined && blocks.length === 0
    const html = isText ? "" : written === undefined ? made.html : Plain.withoutNul(written)
    const subject = Plain.oneLine(own("subject") ?? made.subject)
    const text = said ?? (written === undefined ? made.text : textOf(html))
    return Frame.like(made, { ...made, subject, html, text: Plain.withoutNul(text), raw })
  }
  const body = own("body") ?? own("text") ?? made.body
  const title = made.title === "" && own("title") === undefined ? "" : Plain.oneLine(own("title") ?? made.title)
  const text = own("text") ?? body
  return { ...made, title, body, ...(channel === "sms" ? texted(Plain.forPhones(text)) : { text }), raw }
}
