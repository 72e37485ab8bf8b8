import { MessageId } from "#schemas/MessageId.ts"
import { MessageNotFound } from "#src/delivery/Journal.ts"
import { RequestNotFound } from "#src/reports/MessageLog.ts"
import { Effect, Schema } from "effect"

const isId = Schema.is(MessageId)

/** An id from a path. A text that does not have the form of an id names nothing, and so is not found. */
export const messageId = (id: string): Effect.Effect<MessageId, MessageNotFound> =>
  isId(id) ? Effect.succeed(id) : Effect.fail(new MessageNotFound({ id }))

export const requestId = (id: string): Effect.Effect<MessageId, RequestNotFound> =>
  isId(id) ? Effect.succeed(id) : Effect.fail(new RequestNotFound({ id }))
