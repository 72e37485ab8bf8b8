import type { PatchOperation } from "#schemas/PatchOperation.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { PatchRefused } from "#src/people/Profiles.ts"
import { Context, type Effect, Schema, SchemaIssue } from "effect"

/** The patched document would not be valid preferences: 400. `issue` names the fields. */
export class LegacyPreferencesRefused
  extends Schema.TaggedError<LegacyPreferencesRefused>()("LegacyPreferencesRefused", {
    issue: Schema.declare(SchemaIssue.isIssue)
  })
{}

/**
 * A recipient's preferences by notification and category (api.md 10.1); a profile need not exist. They are read with
 * the profile: `Profiles.person`. Each write is one atomic change.
 */
export class LegacyPreferences extends Context.Service<LegacyPreferences, {
  /** Replaces both records: one that is not given is cleared. */
  readonly replace: (
    scope: Scope,
    userId: UserId,
    preferences: RecipientPreferences
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Applies a JSON Patch (RFC 6902) to `{notifications, categories}`, in which both are present; all operations or
   * none.
   */
  readonly patch: (
    scope: Scope,
    userId: UserId,
    patch: ReadonlyArray<PatchOperation>
  ) => Effect.Effect<void, PatchRefused | LegacyPreferencesRefused | StoreUnavailable>
}>()("tidings/LegacyPreferences") {}
