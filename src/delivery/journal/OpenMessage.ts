import { Attempt } from "#schemas/Attempt.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { KeyState, Scope } from "#schemas/Scope.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import { Status } from "#schemas/Status.ts"
import { memo } from "#src/content/Memo.ts"
import { Exit, Schema } from "effect"

/** `transactional`: one recipient was named; `bulk`: everything that an expansion made (design.md §3, Lanes). */
export const Lane = Schema.Literals(["transactional", "bulk"])
export type Lane = typeof Lane.Type

/**
 * A message in an owner's hands. `dueAt`: 0 when it is ready in the order of acceptance, else the epoch ms of its next step. `tries`: how
 * often an owner began it and died. `recovered`: it was open before this owner took its shard, so it may have been begun before. `size`: characters
 * of what the caller said, about.
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
  size: Schema.Int,
  /** The template that its name was found to mean, once it was looked up; absent where that is the name itself. */
  templateId: Schema.optionalKey(Schema.String),
  attempts: Schema.Array(Attempt)
})
export type OpenMessage = typeof OpenMessage.Type

const { size: _, ...columns } = OpenMessage.fields

/** An open message as it is stored: caller payloads are still text, since a row may not decode and must then end visibly, alone. */
export const DueRow = Schema.Struct({
  ...columns,
  recipient: Schema.String,
  instructions: Schema.String
})
export type DueRow = typeof DueRow.Type

const recipientOf = Schema.decodeExit(Schema.fromJsonString(Recipient))
const instructionsOf = Schema.decodeExit(Schema.fromJsonString(Instructions))

/** All messages of a request to many say the same: decoded once, they have it in one object, by which what is made of it is known again. */
const shared = memo({ entries: 64, characters: 1_048_576 }, instructionsOf)

/** A stored row as a message in hand; fails on a payload that no longer decodes. */
export const fromRow = (row: DueRow): Exit.Exit<OpenMessage, Schema.SchemaError> => {
  const recipient = recipientOf(row.recipient)
  if (Exit.isFailure(recipient)) return Exit.failCause(recipient.cause)
  const instructions = row.lane === "bulk" ? shared(row.instructions) : instructionsOf(row.instructions)
  const size = row.recipient.length + row.instructions.length
  return Exit.map(instructions, (decoded) => ({ ...row, recipient: recipient.value, instructions: decoded, size }))
}
