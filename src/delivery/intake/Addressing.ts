import type { Recipient } from "#schemas/Recipient.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { KeyState, Scope } from "#schemas/Scope.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Page, PageMember } from "#src/delivery/expansion/Expansions.ts"
import type { NewProfile } from "#src/delivery/Journal.ts"
import type { Lane } from "#src/delivery/journal/OpenMessage.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { shardOf } from "#src/delivery/shards/ShardCount.ts"
import * as Size from "#src/delivery/journal/Size.ts"
import * as Delays from "#src/flows/Delays.ts"

/** A request, whatever the number of its messages. Times in epoch ms. */
export interface Request {
  readonly id: MessageId
  readonly scope: Scope
  readonly keyState: KeyState
  readonly instructions: Instructions
  readonly acceptedAt: number
}

/** What those messages of a request have in common that are made at `at`. A delay counts from the acceptance. */
export const common = (
  { acceptedAt, id: requestId, instructions, keyState, scope }: Request,
  lane: Lane,
  at: number
): Page["common"] => {
  const wanted = Delays.startOf(instructions.delay, acceptedAt)
  const start = wanted === undefined || wanted <= at ? undefined : wanted
  return {
    requestId,
    scope,
    lane,
    keyState,
    status: start === undefined ? "ENQUEUED" : "DELAYED",
    enqueuedAt: at,
    dueAt: start ?? 0,
    instructions,
    size: Size.of(instructions),
    event: instructions.metadata?.event ?? instructions.template ?? "",
    template: instructions.template ?? "",
    tags: instructions.metadata?.tags ?? [],
    traceId: instructions.metadata?.trace_id ?? undefined,
    events: start === undefined ? [] : [{ type: "DELAYED", ts: at, dueAt: start }]
  }
}

const tenantOf = (recipient: Recipient, { context, tenant_id: tenantId }: Instructions): string | undefined =>
  recipient.tenant_id ?? recipient.account_id ?? recipient.context?.tenant_id ?? context?.tenant_id ?? tenantId ??
    undefined

/** The recipient in the tenant that it or the send names, if any. */
export const inTenant = (recipient: Recipient, instructions: Instructions): Recipient => {
  const tenantId = tenantOf(recipient, instructions)
  return tenantId === undefined ? recipient : Object.assign({}, recipient, { tenant_id: tenantId })
}

/** What one recipient's message has of its own. */
export const member = (
  { instructions }: Request,
  id: MessageId,
  recipient: Recipient,
  identity: Recipients.Identity,
  shards: number
): PageMember => {
  const placed = inTenant(recipient, instructions)
  return {
    id,
    shard: shardOf(identity.key, shards),
    recipientKey: identity.key,
    recipient: placed,
    size: Size.of(placed),
    recipientName: identity.name,
    tenantId: tenantOf(recipient, instructions),
    listId: recipient.list_id ?? undefined
  }
}

/** The user to be created on the fly, if the recipient is one. */
export const profiles = (scope: Scope, recipient: Recipient): ReadonlyArray<NewProfile> =>
  typeof recipient.user_id === "string"
    ? [{ scope, userId: recipient.user_id, profile: Recipients.jsonOf(Recipients.profileOf(recipient)) }]
    : []
