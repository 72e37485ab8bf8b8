import type { Expiry, TokenDetails, TokenProvider, TokenStatus, TokenWrite } from "#schemas/DeviceToken.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { PatchRefused } from "#src/people/Profiles.ts"
import { Context, DateTime, type Effect, Schema, SchemaIssue } from "effect"

/** The user has no such token: 404. */
export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()("TokenNotFound", { token: Schema.String }) {}

/** The patched token would be none: 400. `issue` names the fields. */
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

/** More devices of one user than these, the newest, are never sent to. */
export const mostReachable = 100

/** Until when a token holds of which nothing is said: two months (api.md 12). */
export const expiryFrom = ({ expiry_date: expiry }: TokenWrite, now: number): Expiry =>
  expiry ?? DateTime.toEpochMillis(DateTime.add(DateTime.makeUnsafe(now), { months: 2 }))

/**
 * The push devices of users (api.md 12). A token belongs to one user: registered for another it moves, with that user's token too. Only the
 * device knows it, and whoever signs in on a phone that others use gets its pushes from then on, not those who signed in before. Registering one
 * anew makes it active again.
 */
export class DeviceTokens extends Context.Service<DeviceTokens, {
  /** The oldest first, also those that are not sent to. */
  readonly list: (scope: Scope, userId: UserId) => Effect.Effect<ReadonlyArray<DeviceToken>, StoreUnavailable>
  readonly get: (
    scope: Scope,
    userId: UserId,
    token: string
  ) => Effect.Effect<DeviceToken, TokenNotFound | StoreUnavailable>
  /** Creates or replaces, all or none; of a token named twice the last counts. */
  readonly register: (
    scope: Scope,
    userId: UserId,
    registrations: ReadonlyArray<Registration>
  ) => Effect.Effect<void, StoreUnavailable>
  /** RFC 6902 on the token as the API shows it, all operations or none; its name stays. */
  readonly patch: (
    scope: Scope,
    userId: UserId,
    token: string,
    patch: ReadonlyArray<PatchOperation>
  ) => Effect.Effect<void, PatchRefused | TokenNotFound | TokenRefused | StoreUnavailable>
  /** Idempotent; another user's token stays. */
  readonly remove: (scope: Scope, userId: UserId, token: string) => Effect.Effect<void, StoreUnavailable>
  /**
   * The active tokens that have not expired, the newest first, at most `mostReachable`. Batched: calls of one turn of the event loop share a
   * statement.
   */
  readonly reachable: (scope: Scope, userId: UserId) => Effect.Effect<ReadonlyArray<Reachable>, StoreUnavailable>
  /** Its provider says that the token is dead: from now on it is `failed`, whoever's it is. Unknown tokens are none of ours. */
  readonly invalidate: (
    scope: Scope,
    provider: string,
    token: string,
    reason: string
  ) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/DeviceTokens") {}
