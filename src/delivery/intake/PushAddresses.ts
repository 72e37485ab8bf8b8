import { GroupId } from "#schemas/Id.ts"
import { optional } from "#schemas/Optional.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Option, Schema } from "effect"
import { createHash } from "node:crypto"

/** The devices that a recipient names itself, under the key where profiles have them (api.md 2.1, 2.2). */
export interface PushAddress {
  readonly kind: "firebaseToken" | "apn" | "expo"
  /** What people call the platform. */
  readonly platform: string
  /** The mailbox: the same for the same devices in any order. */
  readonly key: string
  /** The first of the devices. */
  readonly name: string
}

/**
 * One or several tokens, each at most as long as the token of a user's device. A list may have objects, as the published
 * client's types have it for Expo.
 */
const Tokens = Schema.Union([GroupId, Schema.Array(Schema.Union([GroupId, Schema.Struct({ token: GroupId })]))])
const decodeTokens = Schema.decodeUnknownOption(Tokens)
const decodeDevices = Schema.decodeUnknownOption(
  Schema.Struct({ token: optional(Tokens), tokens: optional(Tokens) })
)

const listed = (tokens: typeof Tokens.Type | null | undefined): ReadonlyArray<string> => {
  if (tokens === undefined || tokens === null) return []
  return typeof tokens === "string" ? [tokens] : tokens.map((one) => typeof one === "string" ? one : one.token)
}

interface Platform extends Pick<PushAddress, "kind" | "platform"> {
  readonly read: (given: unknown) => Option.Option<ReadonlyArray<string>>
  /** Tells a caller what a recipient must say of it. */
  readonly needs: string
}

const devices: Pick<Platform, "needs" | "read"> = {
  read: (given) => Option.map(decodeDevices(given), ({ token, tokens }) => [...listed(token), ...listed(tokens)]),
  needs: "Expected {token} or {tokens}"
}

const platforms: ReadonlyArray<Platform> = [
  {
    kind: "firebaseToken",
    platform: "Firebase Cloud Messaging",
    read: (given) => Option.map(decodeTokens(given), listed),
    needs: "Expected a token or a list of them"
  },
  { kind: "apn", platform: "Apple Push Notification service", ...devices },
  { kind: "expo", platform: "Expo", ...devices }
]

const given = (recipient: Recipient): ReadonlyArray<Platform> =>
  platforms.filter(({ kind }) => recipient[kind] !== undefined && recipient[kind] !== null)

const keyOf = (tokens: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify([...new Set(tokens)].toSorted())).digest("hex").slice(0, 32)

/** The devices that a recipient names, if it names any. */
export const find = (recipient: Recipient): PushAddress | undefined =>
  given(recipient).flatMap(({ kind, platform, read }) => {
    const tokens = Option.getOrElse(read(recipient[kind]), () => [])
    const [name] = tokens
    return name === undefined ? [] : [{ kind, platform, key: keyOf(tokens), name }]
  })[0]

/** What is missing in devices that a recipient names, with the path within it. */
export const fault = (recipient: Recipient): string | undefined =>
  given(recipient).map(({ kind, needs }) => `${kind}: ${needs}`)[0]
