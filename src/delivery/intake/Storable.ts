import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Text from "#schemas/Text.ts"
import type { Identity } from "#src/delivery/intake/Recipients.ts"

/** A recipient and whom it was found to be; a group is nobody yet. */
export interface Addressee {
  readonly recipient: Recipient
  readonly identity: Identity | undefined
}

/** Bytes that an index takes of a name beside the rest of its entry; an id of 512 characters is never longer. */
const longestName = 2_400

const encoder = new TextEncoder()

const isLong = (text: string | null | undefined): boolean =>
  typeof text === "string" && text.length > longestName / 3 && encoder.encode(text).length > longestName

/** Whether a message could not be found by what it names. The tenants of a recipient have the lengths of ids. */
export const isTooLong = (
  { context, tenant_id: tenant }: Instructions,
  addressees: ReadonlyArray<Addressee>
): boolean => [tenant, context?.tenant_id].some(isLong) || addressees.some(({ identity }) => isLong(identity?.key))

export const tooLong = `a recipient or a tenant has more than ${longestName} bytes`

const isText = (text: string | null | undefined): boolean => typeof text !== "string" || Text.isStorable(text)

/** Whether a database would refuse a column of the messages' rows that the caller wrote. */
export const isRefused = (
  { metadata, template, ...instructions }: Instructions,
  addressees: ReadonlyArray<Addressee>
): boolean =>
  ![
    template,
    metadata?.event,
    metadata?.trace_id,
    instructions.tenant_id,
    instructions.context?.tenant_id,
    ...(metadata?.tags ?? []),
    ...addressees.flatMap(({ identity, recipient }) => [
      identity?.key,
      identity?.name,
      recipient.tenant_id,
      recipient.account_id,
      recipient.context?.tenant_id,
      recipient.list_id
    ])
  ].every(isText)

export const refused = "holds a value that cannot be stored"
