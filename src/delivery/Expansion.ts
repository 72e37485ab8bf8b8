import type { ExpansionState } from "#schemas/Expansion.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { KeyState, Scope } from "#schemas/Scope.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import { Schema } from "effect"

/**
 * Stands for the users of a bulk job, in the place of recipients that a send names; `locale`: the language of those who
 * have none in the job.
 */
const BulkRecipients = Schema.Struct({ bulk_job_id: Schema.String, locale: Schema.optionalKey(Schema.String) })

/** A request to many as it is accepted: one row, whatever the number of its messages. */
export interface NewExpansion {
  readonly id: MessageId
  readonly scope: Scope
  /** The shard of the request's id: its owner makes the messages. */
  readonly shard: number
  readonly keyState: KeyState
  readonly recipients: ReadonlyArray<Recipient> | typeof BulkRecipients.Type
  readonly instructions: Instructions
}

/**
 * How far an expansion has come: the recipients (or a job's users) before `index` are messages, and the members of that
 * one up to `after`. `made`: the number of the next message, where they are numbered (`Ids.at`, `Ids.inPage`). `fault`:
 * what is to be told of groups that were met on the way.
 */
export const Place = Schema.Struct({
  index: Schema.Int,
  after: Schema.optionalKey(Schema.Struct({ group: Schema.String, userId: Schema.String })),
  made: Schema.optionalKey(Schema.Int),
  fault: Schema.optionalKey(Schema.String)
})
export type Place = typeof Place.Type

export const start: Place = { index: 0 }

/**
 * Whether messages may be numbered from this place on: from the start, or where they are. An earlier version, which may
 * have the request in between, knows no numbers and leaves none; to begin again would give somebody an id that is taken.
 */
export const isNumbered = ({ after, index, made }: Place): boolean =>
  made !== undefined || (index === start.index && after === undefined)

/**
 * An expansion in its owner's hands; payloads and place are the stored text. `tries`: how often an owner began a page
 * and none was written. `epoch`: the owner that began the current try, 0 when there is none.
 */
export const OpenExpansion = Schema.Struct({
  id: MessageId,
  scope: Scope,
  shard: Schema.Int,
  keyState: KeyState,
  recipients: Schema.String,
  instructions: Schema.String,
  place: Schema.String,
  tries: Schema.Int,
  epoch: Schema.Number,
  acceptedAt: Schema.Number
})
export type OpenExpansion = typeof OpenExpansion.Type

export const encodePlace = Schema.encodeSync(Schema.fromJsonString(Place))

/**
 * The payload of a stored expansion. Recipients are decoded one by one, as they are met (`decodeRecipient`): all of
 * tens of thousands, anew for each page, held up the node for as long as everything else together.
 */
export const decode = Schema.decodeEffect(Schema.Struct({
  recipients: Schema.fromJsonString(Schema.Union([Schema.Array(Schema.Unknown), BulkRecipients])),
  instructions: Schema.fromJsonString(Instructions),
  place: Schema.fromJsonString(Place)
}))

export const decodeRecipient = Schema.decodeUnknownEffect(Recipient)

/** What is told of a request. Times in epoch ms. `messages`: made so far. */
export interface RequestRecord {
  readonly id: MessageId
  readonly state: ExpansionState
  readonly messages: number
  readonly acceptedAt: number
  readonly endedAt: number | undefined
  readonly error: string | undefined
  readonly archived: boolean
}
