import { type MessageId, traceId } from "#schemas/MessageId.ts"
import { Effect, References, Tracer } from "effect"

/** The span that all spans of a request hang from: it is nowhere recorded, and the same on every node and after every restart. */
const root = (requestId: MessageId): Tracer.ExternalSpan =>
  Tracer.externalSpan({ traceId: traceId(requestId), spanId: traceId(requestId).slice(16), sampled: true })

/** A request's id is its trace id (design.md §3), so an operator pastes one into any tracing tool. Without an exporter it costs nothing. */
const under = (name: string, requestId: MessageId, attributes: Record<string, string>) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(References.TracerEnabled, (enabled) =>
    enabled ? Effect.withSpan(effect, name, { parent: root(requestId), attributes }) : effect)

export const accepting = (requestId: MessageId) => under("accept", requestId, {})

/** The span of one run of a message by its owner; the stages are its children. */
export const delivering = (requestId: MessageId, messageId: MessageId) =>
  under("deliver", requestId, { "tidings.message_id": messageId })

/** One stage of a message, below the span of its run. */
export const stage = (name: string, attributes: Record<string, string | number> = {}) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(References.TracerEnabled, (enabled) => enabled ? Effect.withSpan(effect, name, { attributes }) : effect)
