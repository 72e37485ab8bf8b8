import type { Content } from "#schemas/Elemental.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Document } from "#src/content/Elemental.ts"
import { Schema } from "effect"

/**
 * Content whose elements come to nothing for a channel: all are for others, or none of their conditions holds. `detail`
 * is one sentence for the message's timeline.
 */
export class NothingToSay extends Schema.TaggedError<NothingToSay>()("NothingToSay", { detail: Schema.String }) {}

const isBlank = (text: string): boolean => text.trim() === ""

/**
 * Whether the elements of a content came to nothing. A title or body of the content's own is always something, and so is
 * the data that a webhook is sent. A mail with one element, however empty, is one that its author wrote.
 */
export const isNothing = (
  content: Content,
  channel: string,
  { blocks, raw }: Pick<Document, "blocks" | "raw">,
  { actions, body, native, subject, text, title }: Rendered
): boolean => {
  if (channel === "webhook" || raw !== undefined || native !== undefined) return false
  // A push shows no buttons.
  if (actions.length > 0 && channel !== "push") return false
  if (typeof content.title === "string" || typeof content.body === "string") return false
  if (content.elements === undefined || content.elements === null || content.elements.length === 0) return false
  return channel === "email"
    ? blocks.length === 0 && isBlank(subject)
    : isBlank(title) && isBlank(body) && isBlank(text)
}
