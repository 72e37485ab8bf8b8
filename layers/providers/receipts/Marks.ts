import { MessageId } from "#schemas/MessageId.ts"
import type { Receipt } from "#src/reports/Receipts.ts"
import { Option, Schema } from "effect"
import { hash } from "node:crypto"

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

/** Postmark takes values of 80 characters; of a mail to more the receipts are told apart by nobody. */
const mostAddressees = 8

const digest = (address: string): string => hash("sha256", address.trim().toLowerCase(), "hex").slice(0, 8)

/**
 * The mark of a mail of which others get a copy (cc, bcc): whom it is for. Vendors report of each of its addresses alike, and what becomes of
 * a copy says nothing of the message.
 */
export const addressees = (
  to: ReadonlyArray<string>,
  copies: ReadonlyArray<unknown>
): { readonly tidings_to?: string } =>
  copies.length === 0 || to.length > mostAddressees ? {} : { tidings_to: to.map(digest).join("-") }

/** Whether a report of these addresses is about copies alone; what carries no mark went to nobody else. */
export const isOfCopy = (mark: unknown, addresses: ReadonlyArray<string> | undefined): boolean =>
  typeof mark === "string" && mark !== "" && addresses !== undefined && addresses.length > 0 &&
  !addresses.some((address) => mark.split("-").includes(digest(address)))
