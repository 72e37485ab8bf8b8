import { addrSpec, isOneLine, listed, longest } from "#layers/providers/Address.ts"
import { isObject } from "#schemas/Json.ts"
import { Option, Result, type Schema } from "effect"

/** One person or one mailbox: `name` may be empty, `address` is an addr-spec of `addrSpec`. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

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

/**
 * Reads no mailbox, one, a comma-separated list, or an array of these. Fails with the index of the one that is not
 * valid.
 */
export const mailboxes = (
  value: Schema.Json | undefined
): Result.Result<ReadonlyArray<Mailbox>, number> => {
  if (value === undefined || value === null) return Result.succeed([])
  const entries: ReadonlyArray<Schema.Json> = Array.isArray(value) ? value : [value]
  const found: Array<Mailbox> = []
  for (const [index, entry] of entries.entries()) {
    for (const member of typeof entry === "string" ? listed(entry) : [entry]) {
      const one = mailbox(member)
      if (Option.isNone(one)) return Result.fail(index)
      found.push(one.value)
    }
  }
  return Result.succeed(found)
}
