import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { RecipientPreferences } from "#schemas/Preferences.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as LegacyChange from "#src/people/LegacyChange.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const text = Schema.fromJsonString(RecipientPreferences)
const encode = Schema.encodeEffect(text)
const decodeLocked = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ preferences: text })]))

const none = "{}"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const replace = Effect.fnUntraced(function*(scope: Scope, userId: UserId, preferences: RecipientPreferences) {
    const now = yield* Clock.currentTimeMillis
    yield* sql`insert into recipient_preferences as r (scope, user_id, preferences, updated_at)
      values (${scope}, ${userId}, ${yield* encode(preferences)}, ${now})
      on conflict (scope, user_id) do update set preferences = excluded.preferences, updated_at = excluded.updated_at
        where r.preferences <> excluded.preferences`
  }, orUnavailable)

  // On conflict, the insert locks the stored row and changes nothing.
  const patch: LegacyPreferences["Service"]["patch"] = Effect.fnUntraced(
    function*(scope, userId, operations) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into recipient_preferences as r (scope, user_id, preferences, updated_at)
        values (${scope}, ${userId}, ${none}, ${now})
        on conflict (scope, user_id) do update set preferences = r.preferences where false`
      const [{ preferences }] = yield* sql`select preferences from recipient_preferences
        where scope = ${scope} and user_id = ${userId}`.pipe(Effect.flatMap(decodeLocked))
      yield* replace(scope, userId, yield* LegacyChange.patch(preferences, operations))
    },
    sql.withTransaction,
    orUnavailable
  )

  return LegacyPreferences.of({ replace, patch })
})

export const layer = Layer.effect(LegacyPreferences, make)
