import { RecipientRejected } from "#schemas/DeliveryError.ts"
import { Option, Result } from "effect"
import { domainToASCII } from "node:url"

const dotAtom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
/** The local part of an international address (RFC 6531): anything but what a reader could take for two addresses. */
const international = /^[^\s\u0000-\u0020\u007f"(),:;<>@[\\\]]+$/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const ascii = /^[\u0000-\u007f]*$/

/** Control characters, and characters that some readers take for a line end. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Whether the text is safe to stand in a header as one line. */
export const isOneLine = (text: string): boolean => !unprintable.test(text)

/**
 * The domain in its ASCII form. It must consist of host name labels: so there is no address literal, no port, and no
 * way out of angle brackets.
 */
const domainOf = (text: string): Option.Option<string> => {
  // An ASCII name is taken as it is: the URL parser would read `0x7f.1` as an IP address.
  const domain = ascii.test(text) ? text.toLowerCase() : domainToASCII(text)
  const labels = domain.split(".")
  const isName = domain.length <= 253 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? "")
  return isName ? Option.some(domain) : Option.none()
}

/**
 * The longest text that is read as an address, in characters. An address has at most 254 (RFC 5321 §4.5.3.1.3), its
 * domain in ASCII, and an international domain is shorter as it is written.
 */
export const longest = 320

/**
 * The text as one mailbox: a local part of this form at a host name. An international host name is returned in ASCII.
 * Refused: display names, lists, groups, comments, quoted local parts, white space inside, and control characters
 * anywhere (reliability.md, finding 6).
 */
const parse = (form: RegExp) => (text: string): Option.Option<string> => {
  // Refused before any regular expression runs on it, which would take long on texts that are no address anyway.
  if (text.length > longest) return Option.none()
  const trimmed = text.replace(/^ +| +$/g, "")
  const at = trimmed.lastIndexOf("@")
  const local = trimmed.slice(0, Math.max(0, at))
  if (local.length === 0 || local.length > 64 || !form.test(local)) return Option.none()
  return domainOf(trimmed.slice(at + 1)).pipe(
    Option.map((domain) => `${local}@${domain}`),
    Option.filter((address) => address.length <= 254)
  )
}

/** An address that every mail server accepts: its local part is a dot-atom (RFC 5321 §4.1.2). */
export const addrSpec = parse(dotAtom)

/** An address whose local part may be international, for vendors that accept such. */
export const internationalAddress = parse(international)

/** Where mail to a recipient goes, as vendors are told; what is no address is refused before any call. */
export const ofRecipient = (text: string): Result.Result<string, RecipientRejected> =>
  Result.fromOption(
    internationalAddress(text),
    () => new RecipientRejected({ detail: "Not an e-mail address", invalidates: false })
  )

/** A member of a comma-separated list. A comma in a quoted name (`"Doe, Ann" <a@b.c>`) does not separate. */
const apart = /(?:"[^"]*"|[^,])+/g

/**
 * The members of a list as a caller writes it, `a@b.c, Ann <d@e.f>`. Do not use it for a recipient's address, which is
 * always one. Blank members are left out.
 */
export const listed = (text: string): ReadonlyArray<string> => {
  const members = (text.match(apart) ?? []).filter((member) => member.trim() !== "")
  return members.length === 0 ? [""] : members
}

/** The host name of an addr-spec. */
export const domain = (address: string): string => address.slice(address.lastIndexOf("@") + 1)
