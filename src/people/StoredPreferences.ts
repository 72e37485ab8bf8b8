import { RecipientPreferences } from "#schemas/Preferences.ts"
import { Schema } from "effect"

/** Preferences as they are stored: JSON text without the fields that were `null` (api.md 1.8). */
export const StoredPreferences = Schema.NullOr(Schema.fromJsonString(RecipientPreferences))

export const toStored = (preferences: RecipientPreferences | undefined): string | null =>
  preferences === undefined
    ? null
    : JSON.stringify(preferences, (_, value: unknown) => value === null ? undefined : value)
