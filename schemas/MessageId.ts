import { Schema } from "effect"

const pattern = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/

/**
 * `1-<8 hex: epoch seconds>-<24 hex>`. The time in front lets queries by id prune partitions, and lets ids of one scope
 * sort by age. A request's id has the same form; for a send to one recipient it is the message's id.
 */
export const MessageId = Schema.String.check(Schema.isPattern(pattern)).pipe(Schema.brand("MessageId"))
export type MessageId = typeof MessageId.Type

/** The 32 hex digits of an id: its trace id in any tracing tool. */
export const traceId = (id: MessageId): string => id.slice(2, 10) + id.slice(11)

/** The millisecond, since the epoch, that an id carries. */
export const epochMillis = (id: MessageId): number =>
  Number.parseInt(id.slice(2, 10), 16) * 1_000 + Math.min(Number.parseInt(id.slice(11, 14), 16), 999)
