import { JsonMap } from "#schemas/Optional.ts"
import { Schema } from "effect"

/** An action of a message: a button in an e-mail, an action in the inbox. */
export const Action = Schema.Struct({ content: Schema.String, href: Schema.String })
export type Action = typeof Action.Type

/** What one channel was given to send; parts a channel does not use are empty strings (api.md §4, output). */
export const Rendered = Schema.Struct({
  title: Schema.String,
  subject: Schema.String,
  body: Schema.String,
  text: Schema.String,
  html: Schema.String,
  blocks: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.String })),
  actions: Schema.Array(Action),
  /** What the author wrote for this channel in its own form, filled in: `payload` of a webhook, `slackBlocks`. */
  raw: Schema.optionalKey(JsonMap)
})
export type Rendered = typeof Rendered.Type
