import type { PatchOperation } from "#schemas/PatchOperation.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { Profile, UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, type Option, Schema } from "effect"

/** The patch cannot be applied to the stored profile, or is not a valid patch: 400. */
export class PatchRefused extends Schema.TaggedError<PatchRefused>()("PatchRefused", { detail: Schema.String }) {}

/** Characters of JSON that a profile may have once something is added to it: as many as a request can write at once. */
export const longestProfile = 6 * 1024 * 1024

/** What is added would make the profile longer than `longestProfile`: 400. */
export class ProfileTooLong extends Schema.TaggedError<ProfileTooLong>()("ProfileTooLong", {}) {}

/** The user has no profile: 404. */
export class ProfileNotFound
  extends Schema.TaggedError<ProfileNotFound>()("ProfileNotFound", { userId: Schema.String })
{}

/** A user as delivery reads it: the profile, and the legacy preferences (api.md 10.1), which outlive a profile. */
export interface Person {
  readonly profile: Option.Option<Profile>
  readonly preferences: RecipientPreferences | undefined
}

/** Builds the text of `document` from the stored texts. */
export const documentOf = (profile: string, preferences: string | null | undefined): string =>
  preferences === null || preferences === undefined
    ? `{"profile":${profile}}`
    : `{"profile":${profile},"preferences":${preferences}}`

/** Users and their addresses (api.md §6). Each write is one atomic change. */
export class Profiles extends Context.Service<Profiles, {
  /** Batched: calls of one turn of the event loop share a statement. */
  readonly find: (scope: Scope, userId: UserId) => Effect.Effect<Option.Option<Profile>, StoreUnavailable>
  /** `find` with the user's legacy preferences, in the same statement: for users without any, it costs no more. */
  readonly person: (scope: Scope, userId: UserId) => Effect.Effect<Person, StoreUnavailable>
  /**
   * `person` as JSON text, `{"profile":…,"preferences":…}`, built from what is stored without decoding and encoding it.
   * Without preferences, `preferences` is left out; without a profile, the answer is none.
   */
  readonly document: (scope: Scope, userId: UserId) => Effect.Effect<Option.Option<string>, StoreUnavailable>
  /** The profile as it was at `at` (epoch ms); none if it changed since, or there was none. */
  readonly asOf: (
    scope: Scope,
    userId: UserId,
    at: number
  ) => Effect.Effect<Option.Option<Profile>, StoreUnavailable>
  /** Creates or replaces; keys that are not sent are removed. */
  readonly replace: (scope: Scope, userId: UserId, profile: Profile) => Effect.Effect<void, StoreUnavailable>
  /** Creates or merges: objects deeply, arrays and scalars replaced. */
  readonly merge: (
    scope: Scope,
    userId: UserId,
    profile: Profile
  ) => Effect.Effect<void, ProfileTooLong | StoreUnavailable>
  /** Applies a JSON Patch (RFC 6902), all operations or none. */
  readonly patch: (
    scope: Scope,
    userId: UserId,
    patch: ReadonlyArray<PatchOperation>
  ) => Effect.Effect<void, ProfileNotFound | PatchRefused | ProfileTooLong | StoreUnavailable>
  /**
   * Idempotent. The user's device tokens go too, those of pushes whose receipts are still asked for among them, and the
   * profiles within tenants; list subscriptions, memberships and preferences stay.
   */
  readonly remove: (scope: Scope, userId: UserId) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/Profiles") {}
