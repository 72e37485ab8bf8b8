import type { MessageId } from "#schemas/MessageId.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import * as Ids from "#src/delivery/Ids.ts"
import type { NewMessage, NewProfile } from "#src/delivery/Journal.ts"
import * as Recipients from "#src/delivery/Recipients.ts"
import { shardOf } from "#src/delivery/ShardCount.ts"
import * as Delays from "#src/flows/Delays.ts"
import { Result, Schema } from "effect"

/** The send is well-formed but asks for what cannot be: 400, `detail` names the field. */
export class SendRefused extends Schema.TaggedError<SendRefused>()("SendRefused", { detail: Schema.String }) {}

/** Recipients that one call may name; more are an audience. */
const maxRecipients = 100

/** One call of POST /send, decoded. `at` is epoch ms. */
export interface Draft {
  readonly principal: Principal
  readonly requestId: MessageId
  readonly to: Recipient | ReadonlyArray<Recipient>
  readonly instructions: Instructions
  readonly at: number
  readonly shards: number
}

const refused = (detail: string) => Result.fail(new SendRefused({ detail }))

const tenantOf = (recipient: Recipient, { context, tenant_id: tenantId }: Instructions): string | undefined =>
  recipient.tenant_id ?? recipient.account_id ?? recipient.context?.tenant_id ?? context?.tenant_id ?? tenantId ??
    undefined

/**
 * The messages of one call, one per recipient, and the profiles to be created on the fly. A single recipient's message has the request's own
 * id; each of several has one derived from it, so that a recipient named twice is one message.
 */
export const make = (draft: Draft): Result.Result<
  { readonly messages: ReadonlyArray<NewMessage>; readonly profiles: ReadonlyArray<NewProfile> },
  SendRefused
> => {
  const { at, instructions, principal, requestId, shards, to } = draft
  const { content, template } = instructions
  const hasContent = content !== undefined && content !== null
  const hasTemplate = template !== undefined && template !== null
  if (hasContent === hasTemplate) {
    return refused("message: exactly one of template and content is required")
  }
  const many = Array.isArray(to)
  const recipients: ReadonlyArray<Recipient> = many ? to : [to]
  if (recipients.length === 0) return refused("message.to: at least one recipient is required")
  if (recipients.length > maxRecipients) return refused(`message.to: at most ${maxRecipients} recipients in one call`)

  const start = Delays.startOf(instructions.delay, at)
  const messages = new Map<MessageId, NewMessage>()
  const profiles: Array<NewProfile> = []
  for (const [index, recipient] of recipients.entries()) {
    const path = many ? `message.to[${index}]` : "message.to"
    const identity = Recipients.identify(principal.scope, recipient)
    if (identity === undefined) {
      const group = Recipients.groupKey(recipient)
      return group === undefined
        ? refused(`${path}: one of user_id, email, phone_number and webhook is required`)
        : refused(`${path}.${group}: this server does not send to it yet`)
    }
    const id = many ? Ids.member(requestId, identity.key) : requestId
    const tenantId = tenantOf(recipient, instructions)
    messages.set(id, {
      id,
      requestId,
      scope: principal.scope,
      shard: shardOf(identity.key, shards),
      lane: recipients.length === 1 ? "transactional" : "bulk",
      recipientKey: identity.key,
      keyState: principal.keyState,
      status: start === undefined ? "ENQUEUED" : "DELAYED",
      enqueuedAt: at,
      dueAt: start ?? 0,
      tries: 0,
      recovered: false,
      recipient: tenantId === undefined ? recipient : Object.assign({}, recipient, { tenant_id: tenantId }),
      instructions,
      attempts: [],
      event: instructions.metadata?.event ?? template ?? "",
      template: template ?? "",
      recipientName: identity.name,
      tenantId,
      tags: instructions.metadata?.tags ?? [],
      traceId: instructions.metadata?.trace_id ?? undefined,
      events: start === undefined ? [] : [{ type: "DELAYED", ts: at, dueAt: start }]
    })
    if (typeof recipient.user_id === "string") {
      profiles.push({
        scope: principal.scope,
        userId: recipient.user_id,
        profile: Recipients.jsonOf(Recipients.profileOf(recipient))
      })
    }
  }
  return Result.succeed({ messages: [...messages.values()], profiles })
}
