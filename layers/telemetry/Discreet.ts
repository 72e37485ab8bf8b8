import * as Trace from "#src/reports/Trace.ts"
import { Array, Cause, Context, Exit, Logger, Option, Predicate, Schema, Tracer } from "effect"

/**
 * What may be told of an error (P9): its name and where it came from. Its message is kept unless it may quote what a
 * caller sent.
 */
export interface Fault {
  readonly name: string
  readonly message?: string
  /** An SQLSTATE or a system error's code. */
  readonly code?: string
  readonly at?: ReadonlyArray<string>
  readonly cause?: Fault
}

const text = (value: unknown, key: string): string | undefined =>
  Predicate.hasProperty(value, key) && typeof value[key] === "string" && value[key] !== "" ? value[key] : undefined

const sqlState = /^[0-9FHPX][0-9A-Z]{4}$/

/** PostgreSQL's data and constraint errors (classes 22 and 23) repeat the value they refuse. */
const quotesData = (code: string): boolean => sqlState.test(code) && /^2[23]/.test(code)

/**
 * Whether an error's message was written by this program or by the database's own machinery, and so quotes no caller.
 * The message of an HTTP error has the request's path in it.
 */
const speaks = (error: unknown, code: string | undefined): boolean => {
  if (code !== undefined && sqlState.test(code)) return !quotesData(code)
  return Predicate.hasProperty(error, "_tag") && !Schema.isSchemaError(error) &&
    !Predicate.hasProperty(error, "request")
}

/**
 * The lines of the stack that name a place in a source file. They are looked for after the error's message, which may
 * itself have lines of that form.
 */
const frames = (error: unknown): ReadonlyArray<string> => {
  const stack = text(error, "stack") ?? ""
  const message = text(error, "message") ?? ""
  return stack.slice(stack.indexOf(message) + message.length).split("\n")
    .filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line)).slice(0, 10).map((line) => line.trim())
}

const maxDepth = 5

/** An error and its causes, down to the depth that is logged. */
const chainOf = (error: unknown, depth = 0): ReadonlyArray<unknown> =>
  Predicate.hasProperty(error, "cause") && error.cause !== undefined && depth < maxDepth
    ? [error, ...chainOf(error.cause, depth + 1)]
    : [error]

/**
 * PostgreSQL's error classes for a fault of the statement or its data, not of the database. A privilege that the role
 * lacks (42501) is excepted: the operator has to grant it.
 */
const isOfStatement = (code: string): boolean => code !== "42501" && /^(?:22|23|42|54)/.test(code)

/**
 * Whether a service that this program depends on failed (database, network, file system). Then the message tells an
 * operator what to do, and the frames above it are only a driver's.
 */
const isOutage = (error: unknown): boolean => {
  const code = text(error, "code")
  const tag = text(error, "_tag")
  return code !== undefined && sqlState.test(code)
    ? !isOfStatement(code)
    : text(error, "syscall") !== undefined || tag === "ConnectionError" || tag === "TimeoutError"
}

const nameOf = (error: unknown): string => text(error, "_tag") ?? text(error, "name") ?? typeof error

/** An outage as one line, without frames, which would not help. */
const outageOf = (chain: ReadonlyArray<unknown>): Fault | undefined => {
  const outage = chain.findLast(isOutage)
  if (outage === undefined) return undefined
  const code = chain.map((error) => text(error, "code")).findLast(Predicate.isNotUndefined)
  return {
    name: nameOf(chain[0]),
    message: text(outage, "message") ?? nameOf(outage),
    ...(code === undefined ? {} : { code })
  }
}

const nested = (error: unknown, depth = 0): Fault => {
  const code = text(error, "code")
  const message = speaks(error, code) ? text(error, "message") : undefined
  const at = frames(error)
  const cause = Predicate.hasProperty(error, "cause") && error.cause !== undefined && depth < maxDepth
    ? nested(error.cause, depth + 1)
    : undefined
  return {
    name: nameOf(error),
    ...(message === undefined ? {} : { message }),
    ...(code === undefined ? {} : { code }),
    ...(at.length === 0 ? {} : { at }),
    ...(cause === undefined ? {} : { cause })
  }
}

/** An outage in one line; otherwise each error of the chain with its place. */
export const faultOf = (error: unknown): Fault => outageOf(chainOf(error)) ?? nested(error)

const asError = ({ at = [], cause, code, message, name }: Fault): Error => {
  const error = new Error([code, message].filter(Predicate.isNotUndefined).join(" "), {
    cause: cause === undefined ? undefined : asError(cause)
  })
  error.name = name
  error.stack = [`${name}: ${error.message}`, ...at.map((frame) => `    ${frame}`)].join("\n")
  return error
}

const discreetCause = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> =>
  Cause.fromReasons(cause.reasons.map((reason) =>
    Cause.isFailReason(reason)
      ? Cause.makeFailReason(asError(faultOf(reason.error)))
      : Cause.isDieReason(reason)
      ? Cause.makeDieReason(asError(faultOf(reason.defect)))
      : reason
  ))

const isFault = (value: unknown): boolean =>
  value instanceof Error || (Predicate.hasProperty(value, "_tag") && typeof value._tag === "string")

/** Replaces the errors among a log line's values, or one level down in them, by faults. */
const discreet = (value: unknown): unknown => {
  if (isFault(value)) return faultOf(value)
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, isFault(inner) ? faultOf(inner) : inner]))
}

export const logger = <A>(logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
  Logger.make((options) =>
    logger.log({
      ...options,
      message: Array.ensure(options.message).map(discreet),
      cause: discreetCause(options.cause)
    })
  )

/**
 * Makes this span the root of its request's trace. It gets the ids of its nominal parent, which is never recorded:
 * spans of every node name that one as their parent.
 */
const asRoot = (span: Tracer.Span, { spanId, traceId }: Tracer.AnySpan): Tracer.Span =>
  Object.defineProperties(span, {
    parent: { value: Option.none() },
    spanId: { value: spanId },
    traceId: { value: traceId }
  })

/**
 * Records only spans that belong to a request: neither the engine's own statements nor its housekeeping; and of the
 * requests those whose traces are kept. A span that failed says with which fault.
 */
export const tracer = (recorder: Tracer.Tracer, isKept: (traceId: string) => boolean = () => true): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      const sampled = options.sampled && parent !== undefined && isKept(parent.traceId)
      const span = recorder.span({ ...options, sampled })
      const end = span.end.bind(span)
      span.end = (endTime, exit) =>
        end(endTime, Exit.isSuccess(exit) ? exit : Exit.failCause(discreetCause(exit.cause)))
      return parent !== undefined && Context.get(options.annotations, Trace.IsRoot) ? asRoot(span, parent) : span
    },
    context: recorder.context
  })
