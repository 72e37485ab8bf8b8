import type { Fault } from "#layers/providers/VendorTable.ts"
import * as PhoneNumber from "#schemas/PhoneNumber.ts"

const longestWords = 300

/** What looks like an e-mail address, of bounded length, so that no text takes long to search. */
const emails = /[^\s<>"'(),;:]{1,64}@[^\s<>"'(),;:]{0,253}[^\s<>"'(),;:.]/g

/**
 * A vendor's words without addresses (P9). Vendors quote the recipient's as it was sent to them, not as the profile has
 * it: a number without its spaces, a domain in lower case.
 */
const discreet = (message: string, to: unknown): string => {
  const number = typeof to === "string" ? PhoneNumber.e164(to) : undefined
  const forms = [to, number, number?.slice(1)].filter((form) => typeof form === "string").filter((form) => form !== "")
  return forms.reduce((text, form) => text.replaceAll(form, "<address>"), message)
    .slice(0, 4 * longestWords)
    .replaceAll(emails, "<address>")
}

/** A vendor's message to show: on one line, and cut to a length. */
export const told = (name: string, status: number, fault: Fault, to: unknown): string => {
  const codes = fault.codes[0] === undefined ? "" : ` (${fault.codes[0]})`
  const clean = discreet(fault.message, to).replaceAll(/[\u0000-\u001f\u007f]+/g, " ").slice(0, longestWords)
  return `${name} answered ${status}${codes}${clean === "" ? "" : `: ${clean}`}`
}
