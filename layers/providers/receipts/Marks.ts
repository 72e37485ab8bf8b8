import { MessageId } from "#schemas/MessageId.ts"
import type { Receipt } from "#src/reports/Receipts.ts"
import { Option, Schema } from "effect"
import { hash } from "node:crypto"

const idOf = Schema.decodeUnknownOption(MessageId)
const attemptOf = Schema.decodeUnknownOption(
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 32_767 }))
)

/** A callback's URL with the message's id in its query, for a vendor that takes a URL with each message. */
export const marked = (url: string, messageId: string): string => {
  const address = new URL(url)
  address.searchParams.set("tidings_message_id", messageId)
  return address.href
}

/**
 * The marks that our requests carried and the vendor returns: `tidings_message_id`, and `tidings_attempt` where the
 * vendor has room for it. Vendors return them as custom arguments, metadata, tags or query. Postmark allows names of 20
 * characters; SES allows letters, digits, `_` and `-`.
 */
export const fromMarks = (find: (name: string) => unknown): Pick<Receipt, "messageId" | "attempt"> => ({
  messageId: Option.getOrUndefined(idOf(find("tidings_message_id"))),
  attempt: Option.getOrUndefined(attemptOf(find("tidings_attempt")))
})

/**
 * Postmark allows values of 80 characters. For a mail to more addressees, receipts cannot be told apart from those of
 * copies.
 */
const mostAddressees = 8

const digest = (address: string): string => hash("sha256", address.trim().toLowerCase(), "hex").slice(0, 8)

/**
 * The mark of a mail that has copies (cc, bcc): digests of the addresses that it is for. Vendors report about each
 * address alike, but what becomes of a copy says nothing of the message.
 */
export const addressees = (
  to: ReadonlyArray<string>,
  copies: ReadonlyArray<unknown>
): { readonly tidings_to?: string } =>
  copies.length === 0 || to.length > mostAddressees ? {} : { tidings_to: to.map(digest).join("-") }

/** Whether a report about these addresses concerns only copies. A mail without the mark had no copies. */
export const isOfCopy = (mark: unknown, addresses: ReadonlyArray<string> | undefined): boolean =>
  typeof mark === "string" && mark !== "" && addresses !== undefined && addresses.length > 0 &&
  !addresses.some((address) => mark.split("-").includes(digest(address)))
