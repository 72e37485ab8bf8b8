import { Database } from "#layers/memory/Database.ts"
import { messagesOf } from "#layers/memory/State.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { memory, References } from "#src/reports/References.ts"
import { Clock, Effect, Layer } from "effect"

/** Providers' references in memory. */
export const layer = Layer.effect(
  References,
  Effect.map(Database, ({ read }) =>
    References.of({
      find: Effect.fnUntraced(function*(scope, providers, references) {
        const since = (yield* Clock.currentTimeMillis) - memory
        return yield* read((state) =>
          new Map(
            [...messagesOf(state, scope)].filter(({ id }) => Ids.secondOf(id) >= since).flatMap(({ attempts, id }) =>
              attempts.flatMap(({ provider, reference }) =>
                reference !== null && providers.includes(provider) && references.includes(reference)
                  ? [[reference, id] as const]
                  : []
              )
            )
          )
        )
      })
    }))
)
