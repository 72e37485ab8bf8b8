import * as PhoneNumber from "#schemas/PhoneNumber.ts"
import type { SuppressionChannel } from "#schemas/Suppression.ts"
import * as Text from "#schemas/Text.ts"
import { domainToASCII } from "node:url"

/** In characters: the longest text that is read as an e-mail address, as where mail is sent. */
const longest = 320

/** One local part and one domain, without what a reader could take for two addresses (RFC 6531). */
const mailbox = /^([^\s\u0000-\u0020\u007f"(),:;<>@[\\\]]+)@([^\s\u0000-\u0020\u007f"(),:;<>@[\\\]]+)$/

const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)

/**
 * Vendors tell of an address in a case of their own, and no two people's differ in it alone: so the local part is in
 * small letters here, also where a mailbox of messages tells cases apart. The domain is in ASCII.
 */
const email = (text: string): string | undefined => {
  if (text.length > longest || !Text.isStorable(text)) return undefined
  const [, local = "", written = ""] = mailbox.exec(text.trim()) ?? []
  const domain = isAscii(written) ? written : domainToASCII(written)
  return domain === "" ? undefined : `${local}@${domain}`.toLowerCase()
}

/** The one spelling by which an address is known here; `undefined`: it is none of the channel's. */
export const of = (channel: SuppressionChannel, text: string): string | undefined =>
  channel === "email" ? email(text) : PhoneNumber.e164(text)
