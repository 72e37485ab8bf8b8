import { Database } from "#layers/memory/Database.ts"
import { nameOf } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { RecipientPreferences } from "#schemas/Preferences.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as LegacyChange from "#src/people/LegacyChange.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { Effect, HashMap, Layer, Option, Schema } from "effect"

const text = Schema.fromJsonString(RecipientPreferences)
const decode = Schema.decodeEffect(text)
const encode = Schema.encodeEffect(text)

/** The legacy preferences in memory, kept as JSON text like everywhere. */
export const layer = Layer.effect(
  LegacyPreferences,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database

    const replace = Effect.fnUntraced(function*(scope: Scope, userId: UserId, given: RecipientPreferences) {
      const stored = yield* orUnavailable(encode(given))
      yield* update(({ preferences, ...state }) => ({
        ...state,
        preferences: {
          ...preferences,
          recipients: HashMap.set(preferences.recipients, nameOf(scope, userId), stored)
        }
      }))
    })

    const patch: LegacyPreferences["Service"]["patch"] = Effect.fnUntraced(function*(scope, userId, operations) {
      const stored = yield* read((state) => HashMap.get(state.preferences.recipients, nameOf(scope, userId)))
      const before = Option.isNone(stored) ? {} : yield* orUnavailable(decode(stored.value))
      yield* replace(scope, userId, yield* LegacyChange.patch(before, operations))
    }, transaction)

    return LegacyPreferences.of({ replace, patch })
  })
)
