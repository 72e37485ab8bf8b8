import { MessageId } from "#schemas/MessageId.ts"
import type { Receipt } from "#src/reports/Receipts.ts"
import { Option, Schema } from "effect"

const idOf = Schema.decodeUnknownOption(MessageId)
const attemptOf = Schema.decodeUnknownOption(
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 32_767 }))
)

/** A callback's address with the message's id in its query, for a vendor that takes one with each message. */
export const marked = (url: string, messageId: string): string => {
  const address = new URL(url)
  address.searchParams.set("tidings_message_id", messageId)
  return address.href
}

/**
 * What our requests carried, as it comes back: `tidings_message_id`, and `tidings_attempt` where the vendor gives room for it. Vendors hand
 * them back as custom arguments, metadata, tags or query; Postmark takes names of 20 characters, SES letters, digits, `_` and `-`.
 */
export const fromMarks = (find: (name: string) => unknown): Pick<Receipt, "messageId" | "attempt"> => ({
  messageId: Option.getOrUndefined(idOf(find("tidings_message_id"))),
  attempt: Option.getOrUndefined(attemptOf(find("tidings_attempt")))
})
