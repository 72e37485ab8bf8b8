import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Effect, Predicate, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * Five characters of one of PostgreSQL's classes (its manual, appendix A); Node's `EPIPE` has the length but not the
 * class.
 */
const sqlStatePattern = /^[0-9FHPX][0-9A-Z]{4}$/

/** The SQLSTATE that the server gave; `undefined` when the error is the connection's. */
const sqlState = (error: SqlError): string | undefined => {
  const cause = error.reason.cause
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" && sqlStatePattern.test(cause.code)
    ? cause.code
    : undefined
}

/** Data that is no value of its column, that a constraint forbids, and that is too much for an index. */
const refusalClasses = ["22", "23", "54"]

/** The database refuses the data, and will again: not a fault of the store. */
export const isRefusal = (error: SqlError): boolean => {
  const state = sqlState(error)
  return state !== undefined && refusalClasses.includes(state.slice(0, 2))
}

/** A lock was not granted within `lock_timeout`. */
export const isLockTimeout = (error: SqlError): boolean => sqlState(error) === "55P03"

/** Another transaction and this one waited for each other, and the database ended this one. */
export const isDeadlock = (error: SqlError): boolean => sqlState(error) === "40P01"

/** There is no room for what was to be written. */
export const isDiskFull = (error: SqlError): boolean => sqlState(error) === "53100"

type Fault = SqlError | Schema.SchemaError

export const unavailable = (error: Fault): StoreUnavailable => new StoreUnavailable({ cause: error })

/** Whether a repeat would fail in the same way: the database refuses the data, or a row does not decode. */
export const isFinal = (error: unknown): boolean =>
  Schema.isSchemaError(error) || (isSqlError(error) && isRefusal(error))

/** What the database is known to lack: it is told once, since what needs it is tried again and again. */
const lacked = new Set<string>()

/** Tells of a table or column that is not there, or that this role may not use: only an operator can mend that. */
const telling = (error: unknown): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!isSqlError(error) || sqlState(error)?.startsWith("42") !== true) return Effect.void
    const { cause } = error.reason
    const text = Predicate.hasProperty(cause, "message") ? String(cause.message) : ""
    if (lacked.has(text)) return Effect.void
    lacked.add(text)
    return Effect.logError("the database lacks what this version needs, or its role may not use it", error)
  })

const failing = (error: unknown): Effect.Effect<never, StoreUnavailable> =>
  isFinal(error)
    ? Effect.die(error)
    : Effect.andThen(telling(error), Effect.fail(new StoreUnavailable({ cause: error })))

const isOther = <E>(error: E): error is Exclude<E, Fault> => !isSqlError(error) && !Schema.isSchemaError(error)

/**
 * Leaves `StoreUnavailable` as a method's only error of the store. A final error becomes a defect: a caller that tried
 * again would do so for ever. A rollback on a lost connection dies with its `SqlError`: that is `StoreUnavailable` too.
 */
export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Fault> | StoreUnavailable, R> =>
  effect.pipe(
    Effect.catch((error): Effect.Effect<never, Exclude<E, Fault> | StoreUnavailable> =>
      isOther(error) ? Effect.fail(error) : failing(error)
    ),
    Effect.catchDefect((defect) => isSqlError(defect) ? failing(defect) : Effect.die(defect))
  )
