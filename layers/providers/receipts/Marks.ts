import { MessageId } from "#schemas/MessageId.ts"
import type { Delivery } from "#src/delivery/Provider.ts"
import type { Receipt } from "#src/reports/Receipts.ts"
import { Option, Schema } from "effect"

/**
 * What every request to a vendor carries so that its callbacks name our message: as custom arguments, metadata, tags or query, whatever the
 * vendor hands back. Short and of plain letters, since Postmark takes names of 20 characters and SES only letters, digits, `_` and `-`.
 */
export const marks = ({ attempt, messageId }: Pick<Delivery, "attempt" | "messageId">) => ({
  tidings_message_id: messageId as string,
  tidings_attempt: String(attempt)
})

const idOf = Schema.decodeUnknownOption(MessageId)
const attemptOf = Schema.decodeUnknownOption(
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 32_767 }))
)

/** The marks as they come back, from a vendor that may have dropped them. */
export const fromMarks = (find: (name: string) => unknown): Pick<Receipt, "messageId" | "attempt"> => ({
  messageId: Option.getOrUndefined(idOf(find("tidings_message_id"))),
  attempt: Option.getOrUndefined(attemptOf(find("tidings_attempt")))
})

/** A status callback URL that carries the marks, for vendors that take one with each message. */
export const marked = (url: string, delivery: Pick<Delivery, "attempt" | "messageId">): string => {
  const address = new URL(url)
  for (const [name, value] of Object.entries(marks(delivery))) address.searchParams.set(name, value)
  return address.href
}
