import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { Reader } from "#src/people/PreferenceLinks.ts"
import type { TopicOverride, UserPreferences } from "#src/people/UserPreferences.ts"
import { Effect } from "effect"

/**
 * Writes what a reader chose through a message's link. In a tenant that nobody named, it is said outside of any, so that
 * it still holds when the user joins a second tenant or leaves this one; and inside as well where the user has said
 * something there, which would win. Idempotent.
 */
export const write = Effect.fnUntraced(function*(
  users: UserPreferences["Service"],
  reader: Reader,
  overrides: ReadonlyArray<TopicOverride>
): Effect.fn.Return<void, StoreUnavailable> {
  if (reader.isPlaced !== true) return yield* users.merge(reader, overrides)
  yield* users.merge({ ...reader, tenantId: undefined }, overrides)
  const found = yield* Effect.forEach(
    overrides,
    ({ topicId }) => users.find(reader, topicId),
    { concurrency: "unbounded" }
  )
  const inside = overrides.filter((_, n) => found[n]?.inTenant !== undefined)
  if (inside.length > 0) yield* users.merge(reader, inside)
})
