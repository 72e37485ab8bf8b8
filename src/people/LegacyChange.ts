import { JsonMap } from "#schemas/Optional.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import { RecipientPreferences, WrittenPreferences } from "#schemas/Preferences.ts"
import { LegacyPreferencesRefused } from "#src/people/LegacyPreferences.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import { Effect, Schema } from "effect"

const encode = Schema.encodeEffect(RecipientPreferences)
const decode = Schema.decodeUnknownEffect(WrittenPreferences)
const asJson = Schema.decodeUnknownEffect(JsonMap)

/**
 * Applies a JSON Patch (RFC 6902) to a recipient's legacy preferences, all operations or none. The result must be valid
 * preferences.
 */
export const patch = Effect.fnUntraced(
  function*({ categories, notifications }: RecipientPreferences, operations: ReadonlyArray<PatchOperation>) {
    const stored = yield* encode({ notifications: notifications ?? {}, categories: categories ?? {} }).pipe(
      Effect.flatMap(asJson),
      Effect.orDie
    )
    return yield* decode(yield* ProfileChange.patch(stored, operations)).pipe(
      Effect.catchTag("SchemaError", ({ issue }) => new LegacyPreferencesRefused({ issue }))
    )
  }
)
