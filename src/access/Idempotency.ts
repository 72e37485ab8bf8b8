import { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, type Option, Schema } from "effect"

/**
 * Identifies a call to be run once: by scope, path with its parameters filled in and no query, and the caller's value
 * (reliability.md 2.2). `expiresAt` is epoch ms. `bodyHash` is the SHA-256 of the body, stored for the record and never
 * compared.
 */
export const IdempotencyKey = Schema.Struct({
  scope: Scope,
  path: Schema.String,
  value: Schema.String,
  expiresAt: Schema.Number,
  bodyHash: Schema.String
})
export type IdempotencyKey = typeof IdempotencyKey.Type

/** A response as it is stored and replayed, byte for byte. */
export const StoredResponse = Schema.Struct({
  status: Schema.Int,
  body: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String)
})
export type StoredResponse = typeof StoredResponse.Type

/** The first call with this key is still running after 5 s: 409 with `Retry-After: 1`. */
export class StillRunning extends Schema.TaggedError<StillRunning>()("StillRunning", {}) {}

/** `replayed`: the response is an earlier call's, and the operation did not run. */
export interface Answer {
  readonly response: StoredResponse
  readonly replayed: boolean
}

/**
 * Runs an operation once per key: the key's row, the operation's writes and the response commit together, so that a
 * crash leaves all or none of them (P5). A response that is a refusal rolls the operation's writes back, and is itself
 * stored all the same. Expired rows count as absent.
 */
export class Idempotency extends Context.Service<Idempotency, {
  /** For operations that write through the same database connection and do no outside I/O. */
  readonly once: <R>(
    key: IdempotencyKey,
    operation: Effect.Effect<StoredResponse, StoreUnavailable, R>
  ) => Effect.Effect<Answer, StillRunning | StoreUnavailable, R>
  /** The response that is stored for a key. Does not wait for a call under way. */
  readonly find: (key: IdempotencyKey) => Effect.Effect<Option.Option<StoredResponse>, StoreUnavailable>
  /** Deletes at most `limit` expired rows; answers how many were deleted. */
  readonly sweep: (limit: number) => Effect.Effect<number, StoreUnavailable>
}>()("tidings/Idempotency") {}

/**
 * The current request's key, for an operation that commits it with its own rows (`Journal.accept`). Absent if the
 * request has no such header, and inside `once`.
 */
export const CurrentKey = Context.Reference<IdempotencyKey | undefined>("tidings/Idempotency/CurrentKey", {
  defaultValue: () => undefined
})
