import { Database } from "#layers/memory/Database.ts"
import { messagesOf } from "#layers/memory/State.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { memory, References } from "#src/reports/References.ts"
import { Array, Clock, Effect, Layer, Option } from "effect"

/** Providers' references in memory. */
export const layer = Layer.effect(
  References,
  Effect.map(Database, ({ read }) =>
    References.of({
      find: Effect.fnUntraced(function*(scope, providers, reference) {
        const since = (yield* Clock.currentTimeMillis) - memory
        const found = yield* read((state) =>
          Array.findFirst(messagesOf(state, scope), ({ attempts, id }) =>
            Ids.secondOf(id) >= since &&
            attempts.some((attempt) => providers.includes(attempt.provider) && attempt.reference === reference))
        )
        return Option.map(found, ({ id }) => id)
      })
    }))
)
