import { Attempt } from "#schemas/Attempt.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { KeyState, Scope } from "#schemas/Scope.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import { Status } from "#schemas/Status.ts"
import { memo } from "#src/cache/Memo.ts"
import { Exit, Schema } from "effect"

/**
 * `transactional`: its request named one person or address, and nobody else. `bulk`: all others, of requests to
 * several, to groups and of bulk jobs (design.md §3, Lanes). Within one recipient those of the first lane come first.
 */
export const Lane = Schema.Literals(["transactional", "bulk"])
export type Lane = typeof Lane.Type

/** A message in an owner's hands. */
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
  /** 0 when it is ready, in the order of acceptance; else the epoch ms of its next step. */
  dueAt: Schema.Number,
  /** How often it was begun without coming to an end: its owner died, or its pipeline crashed. */
  tries: Schema.Int,
  /** It was open before this owner took its shard, so it may have been begun before. */
  recovered: Schema.Boolean,
  recipient: Recipient,
  instructions: Instructions,
  /** Characters of what the caller said, about. */
  size: Schema.Int,
  /**
   * The id of the template that the message's name for it was found to mean; absent before it is looked up, and where
   * the name says the id itself.
   */
  templateId: Schema.optionalKey(Schema.String),
  /** Its recipient's tenant is one that nobody named: the user's only one. Absent before it is looked up. */
  isPlaced: Schema.optionalKey(Schema.Literal(true)),
  attempts: Schema.Array(Attempt)
})
export type OpenMessage = typeof OpenMessage.Type

const { size: _, ...columns } = OpenMessage.fields

/**
 * An open message as it is stored: caller payloads are still text, so that a row that does not decode is ended visibly,
 * and alone.
 */
export const DueRow = Schema.Struct({
  ...columns,
  recipient: Schema.String,
  instructions: Schema.String
})
export type DueRow = typeof DueRow.Type

const recipientOf = Schema.decodeExit(Schema.fromJsonString(Recipient))
const instructionsOf = Schema.decodeExit(Schema.fromJsonString(Instructions))

/**
 * All messages of a request to many have the same instructions. Decoded once, they share one object, by which caches
 * recognise what was made of it before.
 */
const shared = memo({ entries: 64, characters: 1_048_576 }, instructionsOf)

/** A stored row as a message in hand; fails on a payload that no longer decodes. */
export const fromRow = (row: DueRow): Exit.Exit<OpenMessage, Schema.SchemaError> => {
  const recipient = recipientOf(row.recipient)
  if (Exit.isFailure(recipient)) return Exit.failCause(recipient.cause)
  const instructions = row.lane === "bulk" ? shared(row.instructions) : instructionsOf(row.instructions)
  const size = row.recipient.length + row.instructions.length
  return Exit.map(instructions, (decoded) => ({ ...row, recipient: recipient.value, instructions: decoded, size }))
}
