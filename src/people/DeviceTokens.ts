import type { Expiry, TokenDetails, TokenProvider, TokenStatus, TokenWrite } from "#schemas/DeviceToken.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { PatchRefused } from "#src/people/Profiles.ts"
import { Context, DateTime, type Effect, Schema, SchemaIssue } from "effect"

/** The user has no such token: 404. */
export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()("TokenNotFound", { token: Schema.String }) {}

/** The patched document would not be a valid token: 400. `issue` names the fields. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  issue: Schema.declare(SchemaIssue.isIssue)
}) {}

/** A token of a user. `expires` in epoch ms, or `false` for never. */
export interface DeviceToken {
  readonly token: string
  readonly provider: TokenProvider
  readonly details: TokenDetails
  readonly expires: Expiry
  readonly status: TokenStatus
  readonly statusReason: string | undefined
}

/** What registers a token. */
export interface Registration {
  readonly token: string
  readonly write: TokenWrite
}

/** Where a user can be reached now. */
export interface Reachable {
  readonly provider: TokenProvider
  readonly token: string
}

/** How many of a user's devices are sent to: the newest ones. */
export const mostReachable = 100

/** When a token expires: as the write says, otherwise after two months (api.md 12). */
export const expiryFrom = ({ expiry_date: expiry }: TokenWrite, now: number): Expiry =>
  expiry ?? DateTime.toEpochMillis(DateTime.add(DateTime.makeUnsafe(now), { months: 2 }))

/**
 * The push devices of users (api.md 12). A token belongs to one user. Registered for another user, it moves to that
 * one, also if that user's own token (JWT) asks for it: only the device knows its push token, and on a shared phone the
 * pushes go to whoever signed in last. Registering a token again makes it active again.
 */
export class DeviceTokens extends Context.Service<DeviceTokens, {
  /** Oldest first, including those that are not sent to. */
  readonly list: (scope: Scope, userId: UserId) => Effect.Effect<ReadonlyArray<DeviceToken>, StoreUnavailable>
  readonly get: (
    scope: Scope,
    userId: UserId,
    token: string
  ) => Effect.Effect<DeviceToken, TokenNotFound | StoreUnavailable>
  /**
   * Creates or replaces all or none. If a token is named twice, the last one counts. Where the user would have more than
   * `mostTokens`, the oldest of those that are not named go.
   */
  readonly register: (
    scope: Scope,
    userId: UserId,
    registrations: ReadonlyArray<Registration>
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Applies a JSON Patch (RFC 6902) to the token as the API shows it, all operations or none. The token itself cannot
   * be changed.
   */
  readonly patch: (
    scope: Scope,
    userId: UserId,
    token: string,
    patch: ReadonlyArray<PatchOperation>
  ) => Effect.Effect<void, PatchRefused | TokenNotFound | TokenRefused | StoreUnavailable>
  /** Idempotent; another user's token stays. */
  readonly remove: (scope: Scope, userId: UserId, token: string) => Effect.Effect<void, StoreUnavailable>
  /**
   * The active tokens that have not expired, newest first, at most `mostReachable`. Batched: calls of one turn of the
   * event loop share a statement.
   */
  readonly reachable: (scope: Scope, userId: UserId) => Effect.Effect<ReadonlyArray<Reachable>, StoreUnavailable>
  /**
   * Marks a token as `failed`, whoever's it is, since its provider says that it is dead. An unknown token has no
   * effect; nor has one that was registered again or changed after `asOf` (epoch ms), the time that the provider speaks
   * of.
   */
  readonly invalidate: (
    scope: Scope,
    provider: string,
    token: string,
    reason: string,
    asOf?: number
  ) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/DeviceTokens") {}
