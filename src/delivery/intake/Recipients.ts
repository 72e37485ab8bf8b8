import * as ChatAddresses from "#src/delivery/intake/ChatAddresses.ts"
import * as PushAddresses from "#src/delivery/intake/PushAddresses.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Schema } from "effect"
import { parsePhoneNumberFromString } from "libphonenumber-js/min"

/** Whom a message is for: one mailbox, one order. */
export interface Identity {
  /** Unique over all scopes. */
  readonly key: string
  /** What readers see and filter by: the user's id, else the address as the caller wrote it. */
  readonly name: string
}

/** The same mailbox whichever case a domain is written in; a local part keeps its case (RFC 5321 §2.4). */
const canonicalEmail = (email: string): string => {
  const at = email.lastIndexOf("@")
  return email.slice(0, at + 1) + email.slice(at + 1).toLowerCase()
}

const canonicalPhone = (phone: string): string => parsePhoneNumberFromString(phone)?.number ?? phone.trim()

/** A person or an address as the caller wrote it. */
interface Direct {
  readonly kind: string
  readonly key: string
  readonly name: string
  readonly platform?: string
}

/**
 * One form for all ways to write an address. Only an identity needs it: parsing a phone number costs more than all the
 * rest here.
 */
const canonical = ({ key, kind }: Direct): string => {
  if (kind === "email") return canonicalEmail(key)
  return kind === "phone" ? canonicalPhone(key) : key
}

/** Addresses that are looked up in the recipient itself, the strongest first (api.md 2.1). */
const direct = (
  recipient: Recipient
): Direct | undefined => {
  const { email, phone_number: phone, user_id: userId, webhook } = recipient
  if (typeof userId === "string") return { kind: "user", key: userId, name: userId }
  if (typeof email === "string") return { kind: "email", key: email, name: email }
  if (typeof phone === "string") return { kind: "phone", key: phone, name: phone }
  if (webhook !== undefined && webhook !== null) return { kind: "webhook", key: webhook.url, name: webhook.url }
  return ChatAddresses.find(recipient) ?? PushAddresses.find(recipient)
}

const keyOf = (scope: Scope, kind: string, address: string): string => `${scope}:${kind}:${address}`

/** The key of a user's mailbox: it tells the user from an address that is written alike. */
export const userKey = (scope: Scope, userId: string): string => keyOf(scope, "user", userId)

/** The identity of a recipient that names one person or address; `undefined` if it names none. */
export const identify = (scope: Scope, recipient: Recipient): Identity | undefined => {
  const found = direct(recipient)
  return found === undefined ? undefined : { key: keyOf(scope, found.kind, canonical(found)), name: found.name }
}

/** What readers see of a recipient that names one person or address; `undefined` if it names none. */
export const nameOf = (recipient: Recipient): string | undefined => direct(recipient)?.name

/** Whether the recipient names one person or address. */
export const isDirect = (recipient: Recipient): boolean => direct(recipient) !== undefined

/** The platform that a recipient is a place or a device of; `undefined` for people and other addresses. */
export const platformOf = (recipient: Recipient): string | undefined => direct(recipient)?.platform

/** What of a recipient is worth keeping as a profile: everything but what belongs to this send alone. */
export const profileOf = (recipient: Recipient): Readonly<Record<string, unknown>> => {
  const {
    account_id: _1,
    context: _2,
    data: _3,
    list_id: _4,
    preferences: _5,
    tenant_id: _6,
    user_id: _7,
    ...profile
  } = recipient
  return profile
}

const isJson = Schema.is(Schema.Json)

/** The fields that were given, as plain JSON. */
export const jsonOf = (fields: Readonly<Record<string, unknown>>): JsonMap =>
  Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, Schema.Json] => field[1] !== null && isJson(field[1]))
  )

/** The stored profile under what the send itself says of the recipient, which wins for this send (api.md §3, Do 3). */
export const profileFor = (stored: JsonMap, recipient: Recipient): JsonMap => ({
  ...stored,
  ...jsonOf(profileOf(recipient)),
  ...(typeof recipient.user_id === "string" ? { user_id: recipient.user_id } : {})
})
