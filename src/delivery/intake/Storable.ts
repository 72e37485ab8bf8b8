import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Text from "#schemas/Text.ts"
import type { Identity } from "#src/delivery/intake/Recipients.ts"

/** A recipient and whom it was found to be; a group is nobody yet. */
export interface Addressee {
  readonly recipient: Recipient
  readonly identity: Identity | undefined
}

/**
 * Bytes of the longest name that fits into an index entry beside the rest of it; an id of 512 characters is never
 * longer.
 */
const longestName = 2_400

/** Characters of a name that is no address: as many as an id may have (`schemas/Id.ts`). */
const longestId = 512

const encoder = new TextEncoder()

const isLong = (text: string | null | undefined): boolean =>
  typeof text === "string" && text.length > longestName / 3 && encoder.encode(text).length > longestName

/** Tells a caller that a name is too long for the index by which its message is found. */
export const tooLong = `Expected at most ${longestName} bytes in UTF-8`

/** The path in a message, and what is expected there, of a name that is longer than an id; `undefined` if none is. */
export const tooLongOfMessage = (message: Instructions): string | undefined => {
  const channels = Object.entries(message.channels ?? {})
  const names = {
    tenant_id: message.tenant_id,
    "context.tenant_id": message.context?.tenant_id,
    brand_id: message.brand_id,
    ...Object.fromEntries(channels.map(([channel, of]) => [`channels.${channel}.brand_id`, of.brand_id])),
    "metadata.event": message.metadata?.event,
    "preferences.subscription_topic_id": message.preferences?.subscription_topic_id
  }
  const [path] = Object.entries(names).find(([, name]) => (name?.length ?? 0) > longestId) ?? []
  return path === undefined ? undefined : `${path}: Expected at most ${longestId} characters`
}

/**
 * Whether a recipient's name is too long for the index by which its message is found. Its tenant has the length of an
 * id.
 */
export const isTooLong = ({ identity }: Addressee): boolean => isLong(identity?.key)

const isText = (text: unknown): boolean => typeof text !== "string" || Text.isStorable(text)

/**
 * The path of the first text in a message that its column in the database would refuse; `undefined` if it takes all.
 */
export const refusedOfMessage = (
  { context, metadata, template, tenant_id: tenant }: Instructions
): string | undefined => {
  if (!isText(template)) return "template"
  if (!isText(tenant)) return "tenant_id"
  if (!isText(context?.tenant_id)) return "context.tenant_id"
  if (!isText(metadata?.event)) return "metadata.event"
  if (!isText(metadata?.trace_id)) return "metadata.trace_id"
  const tag = metadata?.tags?.findIndex((tag) => !isText(tag)) ?? -1
  return tag === -1 ? undefined : `metadata.tags[${tag}]`
}

/** The same of a recipient. For a text deeper in it, it is the path of the top-level member that holds the text. */
export const refusedOfRecipient = ({ identity, recipient }: Addressee): string | undefined => {
  const { account_id: account, context, list_id: list, tenant_id: tenant } = recipient
  if (!isText(tenant)) return "tenant_id"
  if (!isText(account)) return "account_id"
  if (!isText(context?.tenant_id)) return "context.tenant_id"
  if (!isText(list)) return "list_id"
  if (isText(identity?.key) && isText(identity?.name)) return undefined
  const holds = (value: unknown): boolean =>
    typeof value === "object" && value !== null ? Object.values(value).some(holds) : !isText(value)
  return Object.entries(recipient).find(([name, value]) => name !== "data" && holds(value))?.[0]
}
