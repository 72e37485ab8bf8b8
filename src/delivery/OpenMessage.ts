import { Attempt } from "#schemas/Attempt.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { KeyState, Scope } from "#schemas/Scope.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import { Status } from "#schemas/Status.ts"
import { Effect, Schema } from "effect"

/** `transactional`: one recipient was named; `bulk`: everything that an expansion made (design.md §3, Lanes). */
export const Lane = Schema.Literals(["transactional", "bulk"])
export type Lane = typeof Lane.Type

/**
 * A message in an owner's hands. `dueAt`: 0 when it is ready in the order of acceptance, else the epoch ms of its next step. `tries`: how
 * often an owner began it and died. `recovered`: it was open before this owner took its shard, so it may have been begun before.
 */
export const OpenMessage = Schema.Struct({
  id: MessageId,
  requestId: MessageId,
  scope: Scope,
  tenantId: Schema.UndefinedOr(Schema.String),
  shard: Schema.Int,
  lane: Lane,
  recipientKey: Schema.String,
  keyState: KeyState,
  status: Status,
  enqueuedAt: Schema.Number,
  dueAt: Schema.Number,
  tries: Schema.Int,
  recovered: Schema.Boolean,
  recipient: Recipient,
  instructions: Instructions,
  attempts: Schema.Array(Attempt)
})
export type OpenMessage = typeof OpenMessage.Type

/** An open message as it is stored: caller payloads are still text, since a row may not decode and must then end visibly, alone. */
export const DueRow = Schema.Struct({
  ...OpenMessage.fields,
  recipient: Schema.String,
  instructions: Schema.String
})
export type DueRow = typeof DueRow.Type

const payload = Schema.decodeEffect(Schema.Struct({
  recipient: Schema.fromJsonString(Recipient),
  instructions: Schema.fromJsonString(Instructions)
}))

/** A stored row as a message in hand; fails on a payload that no longer decodes. */
export const fromRow = (row: DueRow): Effect.Effect<OpenMessage, Schema.SchemaError> =>
  Effect.map(payload(row), (decoded) => ({ ...row, ...decoded }))
