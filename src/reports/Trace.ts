import { type MessageId, traceId } from "#schemas/MessageId.ts"
import { Context, Effect, type Function, References, Tracer } from "effect"

/**
 * Marks the first span of a request. Its parent is no real span but carries the ids, and a tracer gives them to this
 * span as the root of the trace. So every node can work out the root's id, also after a restart.
 */
export const IsRoot = Context.Reference<boolean>("tidings/Trace/IsRoot", { defaultValue: () => false })

const rootOf = (requestId: MessageId): Tracer.ExternalSpan =>
  Tracer.externalSpan({ traceId: traceId(requestId), spanId: traceId(requestId).slice(16), sampled: true })

/** Makes a span, or costs nothing if there is no exporter. */
const traced =
  (name: string, options: Function.LazyArg<Tracer.SpanOptionsNoTrace>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      fiber.getRef(References.TracerEnabled)
        ? Effect.withSpan(effect, name, { ...options(), captureStackTrace: false })
        : effect
    )

/**
 * The root span of a request. The request's id is the trace id (design.md §3), so that an operator can paste it into
 * any tracing tool.
 */
export const accepting = (requestId: MessageId) =>
  traced("accept", () => ({ parent: rootOf(requestId), annotations: Context.make(IsRoot, true) }))

/** The span of one run of a message by its owner; the stages are its children. */
export const delivering = (requestId: MessageId, messageId: MessageId) =>
  traced("deliver", () => ({ parent: rootOf(requestId), attributes: { "tidings.message_id": messageId } }))

/** One stage of a message, below the span of its run. */
export const stage = (name: string, attributes: Function.LazyArg<Record<string, string | number>> = () => ({})) =>
  traced(name, () => ({ attributes: attributes() }))
