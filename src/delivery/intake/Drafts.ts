import type { MessageId } from "#schemas/MessageId.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Text from "#schemas/Text.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import * as Addressing from "#src/delivery/intake/Addressing.ts"
import * as ChatAddresses from "#src/delivery/intake/ChatAddresses.ts"
import * as PushAddresses from "#src/delivery/intake/PushAddresses.ts"
import type { NewExpansion } from "#src/delivery/Expansion.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import type { NewMessage, NewProfile } from "#src/delivery/Journal.ts"
import * as OlderNames from "#src/delivery/intake/OlderNames.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { shardOf } from "#src/delivery/shards/ShardCount.ts"
import * as Storable from "#src/delivery/intake/Storable.ts"
import { Effect, Schema } from "effect"

/** The send is well-formed but asks for what cannot be: 400, `detail` names the field. */
export class SendRefused extends Schema.TaggedError<SendRefused>()("SendRefused", { detail: Schema.String }) {}

/** Recipients whose messages are stored with the call; more are an expansion (design.md §6). */
const mostAtOnce = 100

/**
 * Characters that such messages may repeat, since each is stored with all that the call says: an embedded database
 * takes 64 MB at once.
 */
const mostRepeated = 8_000_000

const isRepeatedMuch = (instructions: Instructions, recipients: ReadonlyArray<Recipient>): boolean =>
  recipients.length > 1 && JSON.stringify(instructions).length * recipients.length > mostRepeated

/** One call of POST /send, decoded. `at` is epoch ms. */
export interface Draft {
  readonly principal: Principal
  readonly requestId: MessageId
  readonly to: Recipient | ReadonlyArray<Recipient>
  readonly instructions: Instructions
  readonly at: number
  readonly shards: number
}

/**
 * What is stored with the call: its messages and the profiles to be created on the fly, or the one row that will become
 * messages.
 */
export interface Drafted {
  readonly messages: ReadonlyArray<NewMessage>
  readonly profiles: ReadonlyArray<NewProfile>
  readonly expansion: NewExpansion | undefined
}

/**
 * One message per recipient. A single recipient's message has the request's own id; each of several has one derived
 * from it, so that a recipient named twice is one message, as first named. An expansion, one row whatever the number of
 * messages, is made for groups, for more than 100 recipients, and for several that are told so much that repeating it
 * is too long (`mostRepeated`).
 */
export const make = Effect.fnUntraced(function*(draft: Draft): Effect.fn.Return<Drafted, SendRefused> {
  const { at, principal: { keyState, scope }, requestId, shards, to } = draft
  const instructions = OlderNames.replaced(draft.instructions)
  const { content, template } = instructions
  const hasContent = content !== undefined && content !== null
  const hasTemplate = template !== undefined && template !== null
  if (hasContent === hasTemplate) {
    return yield* new SendRefused({ detail: "message: exactly one of template and content is required" })
  }
  const many = Array.isArray(to)
  const recipients: ReadonlyArray<Recipient> = many ? to : [to]
  if (recipients.length === 0) {
    return yield* new SendRefused({ detail: "message.to: at least one recipient is required" })
  }

  const addressees: Array<Storable.Addressee> = []
  for (const [index, recipient] of recipients.entries()) {
    const path = many ? `message.to[${index}]` : "message.to"
    const group = yield* Groups.of(recipient).pipe(
      Effect.mapError(({ detail, path: within }) => new SendRefused({ detail: `${path}.${within}: ${detail}` }))
    )
    const identity = group === undefined ? Recipients.identify(scope, recipient) : undefined
    if (group === undefined && identity === undefined) {
      const fault = ChatAddresses.fault(recipient) ?? PushAddresses.fault(recipient)
      return yield* new SendRefused({
        detail: fault === undefined
          ? `${path}: one of user_id, email, phone_number, webhook, slack, ms_teams, discord, pagerduty,`
            + " firebaseToken, apn, expo, list_id, list_pattern, audience_id and tenant_id is required"
          : `${path}.${fault}`
      })
    }
    const refused = Storable.refusedOfRecipient({ recipient, identity })
    if (refused !== undefined) return yield* new SendRefused({ detail: `${path}.${refused}: ${Text.unstorable}` })
    if (Storable.isTooLong({ recipient, identity })) {
      return yield* new SendRefused({ detail: `${path}: ${Storable.tooLong}` })
    }
    addressees.push({ recipient, identity })
  }

  const long = Storable.tooLongOfMessage(instructions)
  if (long !== undefined) return yield* new SendRefused({ detail: `message.${long}` })
  const refused = Storable.refusedOfMessage(instructions)
  if (refused !== undefined) return yield* new SendRefused({ detail: `message.${refused}: ${Text.unstorable}` })
  const isNamed = ({ identity }: Storable.Addressee) => identity !== undefined
  if (!addressees.every(isNamed) || recipients.length > mostAtOnce || isRepeatedMuch(instructions, recipients)) {
    const shard = shardOf(requestId, shards)
    // Recipients that the send names come before groups: who is met in both has the message as named, to which a list's
    // opt-out does not apply.
    const ordered = [...addressees.filter(isNamed), ...addressees.filter((one) => !isNamed(one))]
    const expansion = {
      id: requestId,
      scope,
      shard,
      keyState,
      recipients: ordered.map(({ recipient }) => recipient),
      instructions
    }
    return { messages: [], profiles: [], expansion }
  }

  const request = { id: requestId, scope, keyState, instructions, acceptedAt: at }
  const common = Addressing.common(request, recipients.length === 1 ? "transactional" : "bulk", at)
  const messages = new Map<string, NewMessage>()
  const profiles: Array<NewProfile> = []
  for (const { identity, recipient } of addressees) {
    if (identity === undefined || messages.has(identity.key)) continue
    const id = many ? Ids.at(requestId, messages.size) : requestId
    const member = Addressing.member(request, id, recipient, identity, shards)
    const size = common.size + member.size
    messages.set(identity.key, { ...common, ...member, size, tries: 0, recovered: false, attempts: [] })
    profiles.push(...Addressing.profiles(scope, recipient))
  }
  return { messages: [...messages.values()], profiles, expansion: undefined }
})
