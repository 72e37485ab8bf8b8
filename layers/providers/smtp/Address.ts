import { isObject } from "#layers/providers/smtp/Fields.ts"
import { Option, Result, type Schema } from "effect"
import { domainToASCII } from "node:url"

/** One person or one mailbox: `name` may be empty, `address` is an addr-spec of `addrSpec`. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

const dotAtom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
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
const longest = 320

/**
 * The text as the one mailbox it names: a dot-atom local part (RFC 5321 §4.1.2) at a host name, which may be an
 * international one and comes back in ASCII. Nothing else: no display name, list, group, comment, quoted or
 * non-ASCII local part, no white space inside and no control character anywhere (reliability.md, finding 6).
 */
export const addrSpec = (text: string): Option.Option<string> => {
  // Cut before anything is tried on it; what follows would take long on what nobody has as an address.
  if (text.length > longest) return Option.none()
  const trimmed = text.replace(/^ +| +$/g, "")
  const at = trimmed.lastIndexOf("@")
  const local = trimmed.slice(0, Math.max(0, at))
  if (local.length === 0 || local.length > 64 || !dotAtom.test(local)) return Option.none()
  return domainOf(trimmed.slice(at + 1)).pipe(
    Option.map((domain) => `${local}@${domain}`),
    Option.filter((address) => address.length <= 254)
  )
}

/** The host name of an addr-spec. */
export const domain = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

const nameLimit = 256
const quoted = /^"([^"\\]*)"$/
const listSyntax = /[@,;:<>"\\()]/

const displayName = (text: string): Option.Option<string> => {
  const name = text.trim()
  const inner = quoted.exec(name)?.[1]
  return inner === undefined && listSyntax.test(name) ? Option.none() : Option.some(inner ?? name)
}

const build = (name: Option.Option<string>, address: Option.Option<string>): Option.Option<Mailbox> =>
  Option.all({ name, address }).pipe(
    Option.filter(({ name }) => isOneLine(name) && name.length <= nameLimit)
  )

const angled = /^([^<>]*)<([^<>]*)>$/

/** A mailbox as callers write it: `a@b.c`, `Name <a@b.c>`, `{email, name?}` or `{address, name?}`. */
export const mailbox = (value: Schema.Json | undefined): Option.Option<Mailbox> => {
  if (typeof value === "string") {
    if (value.length > nameLimit + longest || !isOneLine(value)) return Option.none()
    const parts = angled.exec(value.trim())
    return parts === null
      ? build(Option.some(""), addrSpec(value))
      : build(displayName(parts[1] ?? ""), addrSpec(parts[2] ?? ""))
  }
  if (!isObject(value)) return Option.none()
  const address = value["email"] ?? value["address"]
  const name = value["name"] ?? ""
  return typeof address === "string" && typeof name === "string"
    ? build(Option.some(name), addrSpec(address))
    : Option.none()
}

/** No mailbox, one, or an array of them. Fails with the place of the one that is not valid. */
export const mailboxes = (
  value: Schema.Json | undefined
): Result.Result<ReadonlyArray<Mailbox>, number> => {
  if (value === undefined || value === null) return Result.succeed([])
  const entries: ReadonlyArray<Schema.Json> = Array.isArray(value) ? value : [value]
  const found: Array<Mailbox> = []
  for (const [index, entry] of entries.entries()) {
    const one = mailbox(entry)
    if (Option.isNone(one)) return Result.fail(index)
    found.push(one.value)
  }
  return Result.succeed(found)
}
