import { JsonMap } from "#schemas/Optional.ts"
import { Schema } from "effect"

/** An action of a message: a button in an e-mail, an action in the inbox. */
export const Action = Schema.Struct({ content: Schema.String, href: Schema.String })
export type Action = typeof Action.Type

/** How many parts a text message is cut into, in which alphabet. */
export const Segments = Schema.Struct({ count: Schema.Int, encoding: Schema.Literals(["GSM-7", "UCS-2"]) })

/** What one channel was given to send; parts a channel does not use are empty strings (api.md §4, output). */
export const Rendered = Schema.Struct({
  title: Schema.String,
  subject: Schema.String,
  body: Schema.String,
  text: Schema.String,
  html: Schema.String,
  blocks: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.String })),
  actions: Schema.Array(Action),
  /**
   * What the author wrote in this channel's native form, with variables filled in: `payload` of a webhook,
   * `slackBlocks`.
   */
  raw: Schema.optionalKey(JsonMap),
  /** The elements, rendered into the provider's native form: `slackBlocks`, `adaptiveCard`. */
  native: Schema.optionalKey(JsonMap),
  /** For an e-mail with an unsubscribe header: the URL at which one click opts out of its topic (RFC 8058). */
  unsubscribe: Schema.optionalKey(Schema.String),
  /** Only for a text message. */
  segments: Schema.optionalKey(Segments)
})
export type Rendered = typeof Rendered.Type

/** Nothing at all. */
export const blank: Rendered = { title: "", subject: "", body: "", text: "", html: "", blocks: [], actions: [] }
