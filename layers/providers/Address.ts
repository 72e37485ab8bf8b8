import { Option } from "effect"
import { domainToASCII } from "node:url"

const dotAtom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
/** Of an international address (RFC 6531): anything but what some reader could take for two addresses. */
const international = /^[^\s\u0000-\u0020\u007f"(),:;<>@[\\\]]+$/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const ascii = /^[\u0000-\u007f]*$/

/** Control characters, and what some readers take for the end of a line. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Whether the text is safe to stand in a header as one line. */
export const isOneLine = (text: string): boolean => !unprintable.test(text)

/** The domain in its ASCII form: host name labels only, so no literal, no port, no way out of the angle brackets. */
const domainOf = (text: string): Option.Option<string> => {
  // An ASCII name goes through as it is: the URL parser would read `0x7f.1` as an address.
  const domain = ascii.test(text) ? text.toLowerCase() : domainToASCII(text)
  const labels = domain.split(".")
  const isName = domain.length <= 253 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? "")
  return isName ? Option.some(domain) : Option.none()
}

/** 254 are an address (RFC 5321 §4.5.3.1.3); an international domain is shorter before it is in ASCII. */
export const longest = 320

/**
 * The text as the one mailbox it names: a local part of that form at a host name, which may be an international one and comes back in ASCII.
 * Nothing else: no display name, list, group, comment, quoted local part, no white space inside and no control character anywhere
 * (reliability.md, finding 6).
 */
const parse = (form: RegExp) => (text: string): Option.Option<string> => {
  // Cut before anything is tried on it; what follows would take long on what nobody has as an address.
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

/** An address that every mail server takes: its local part is a dot-atom (RFC 5321 §4.1.2). */
export const addrSpec = parse(dotAtom)

/** One whose local part may be international, for a vendor that sends to such. */
export const internationalAddress = parse(international)

/** What stands between commas; one in a quoted name (`"Doe, Ann" <a@b.c>`) parts nothing. */
const apart = /(?:"[^"]*"|[^,])+/g

/** The members of a list as a caller writes it, `a@b.c, Ann <d@e.f>`; never of a recipient's address, which is one. Blank ones are none. */
export const listed = (text: string): ReadonlyArray<string> => {
  const members = (text.match(apart) ?? []).filter((member) => member.trim() !== "")
  return members.length === 0 ? [""] : members
}

/** The host name of an addr-spec. */
export const domain = (address: string): string => address.slice(address.lastIndexOf("@") + 1)
