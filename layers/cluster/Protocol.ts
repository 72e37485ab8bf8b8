import { Lane, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { Schema } from "effect"

/** What a server asks of a worker. `stir` is that of `Handover`; a `ping` is answered with `pong`. */
export const Request = Schema.Literals(["report", "stop", "stir", "ping"])
export type Request = typeof Request.Type

/** Messages just committed, as a server hands them to its worker: `encode` and `decode`. */
export const Handed = Schema.Struct({ handed: Schema.String })
export type Handed = typeof Handed.Type

/** `Handover.behind`. */
export const Behind = Schema.Struct({ behind: Schema.Array(Lane) })
export type Behind = typeof Behind.Type

/** A worker's answer to `ping`: it is there, and works. */
export const pong = "pong"

/** A worker's answer to `report`. `unready`: why it is not ready, or null if it is. `metrics`: Prometheus text. */
export const Report = Schema.Struct({ unready: Schema.NullOr(Schema.String), metrics: Schema.String })
export type Report = typeof Report.Type

/** Why a worker ends that could not start, one line per fault: the last thing it says. */
export const Failed = Schema.Struct({ failed: Schema.String })
export type Failed = typeof Failed.Type

/** So many characters that were handed to a worker have reached it, and it has room for more. */
export const Arrived = Schema.Struct({ arrived: Schema.Int })
export type Arrived = typeof Arrived.Type

/** Messages of one request share their instructions, by which caches know them: so they are told once (an index). */
interface Batch {
  readonly instructions: ReadonlyArray<Instructions>
  readonly messages: ReadonlyArray<Omit<OpenMessage, "instructions"> & { readonly instructions: number }>
}

/** All that the engine knows of a message, and nothing else: the journal's messages have more. */
type Told = { readonly [Name in keyof Batch["messages"][number]]-?: Batch["messages"][number][Name] | undefined }

const told = (message: OpenMessage, instructions: number): Told => ({
  id: message.id,
  requestId: message.requestId,
  scope: message.scope,
  tenantId: message.tenantId,
  shard: message.shard,
  lane: message.lane,
  recipientKey: message.recipientKey,
  keyState: message.keyState,
  status: message.status,
  enqueuedAt: message.enqueuedAt,
  dueAt: message.dueAt,
  tries: message.tries,
  recovered: message.recovered,
  recipient: message.recipient,
  size: message.size,
  templateId: message.templateId,
  isPlaced: message.isPlaced,
  attempts: message.attempts,
  instructions
})

/** As JSON, which costs both sides less than the structured clone. */
export const encode = (messages: ReadonlyArray<OpenMessage>): string => {
  const places = new Map<Instructions, number>()
  const batch: Pick<Batch, "instructions"> & { readonly messages: ReadonlyArray<Told> } = {
    messages: messages.map((message) => {
      const place = places.get(message.instructions) ?? places.size
      places.set(message.instructions, place)
      return told(message, place)
    }),
    instructions: [...places.keys()]
  }
  return JSON.stringify(batch)
}

/** What `encode` of this process made is not checked again: that would cost more than all the rest. */
export const decode = (text: string): ReadonlyArray<OpenMessage> => {
  const batch: Batch = JSON.parse(text)
  return batch.messages.flatMap((message) => {
    const instructions = batch.instructions[message.instructions]
    return instructions === undefined ? [] : [{ ...message, instructions }]
  })
}
