import type { MessageId } from "#schemas/MessageId.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import type { StoredResponse } from "#src/access/Idempotency.ts"
import type { Accepted, MessageNotFound, RowRefused } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, Schema } from "effect"

/** The send is well-formed but asks for what cannot be: 400, `detail` names the field. */
export class SendRefused extends Schema.TaggedError<SendRefused>()("SendRefused", { detail: Schema.String }) {}

/**
 * Turns one call into messages and makes them durable, together with the response that a replay of the call's idempotency key
 * (`Idempotency.CurrentKey`) must repeat. The answer is the response to give: this call's, or an earlier one's.
 */
export class Intake extends Context.Service<Intake, {
  readonly send: (
    principal: Principal,
    message: SendMessage,
    respond: (requestId: MessageId) => StoredResponse
  ) => Effect.Effect<Accepted, SendRefused | RowRefused | StoreUnavailable>
  /** Runs a stored message again for the same recipient, as a new message. */
  readonly resend: (
    principal: Principal,
    id: MessageId,
    respond: (messageId: MessageId) => StoredResponse
  ) => Effect.Effect<Accepted, MessageNotFound | RowRefused | StoreUnavailable>
  /** Stores a response that an operation gave without writing anything, under the current key if there is one. */
  readonly keep: (response: StoredResponse) => Effect.Effect<Accepted, RowRefused | StoreUnavailable>
}>()("tidings/Intake") {}
