import { Database } from "#layers/memory/Database.ts"
import { nameOf } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import { StoredPreferences } from "#src/people/StoredPreferences.ts"
import { Effect, HashMap, Layer, Option, Schema } from "effect"

const decode = Schema.decodeEffect(StoredPreferences)

/** What lists and subscriptions say, in memory. */
export const layer = Layer.effect(
  ListPreferences,
  Effect.gen(function*() {
    const { read } = yield* Database
    return ListPreferences.of({
      find: Effect.fnUntraced(function*(scope, listId, userId) {
        const { list, subscription } = yield* read((state) => ({
          list: HashMap.get(state.lists, nameOf(scope, listId)),
          subscription: Option.flatMap(
            HashMap.get(state.subscriptions, nameOf(scope, listId)),
            (subscriptions) => HashMap.get(subscriptions, userId)
          )
        }))
        return {
          list: (yield* decode(Option.isNone(list) ? null : list.value.preferences)) ?? undefined,
          subscription: (yield* decode(Option.isNone(subscription) ? null : subscription.value.preferences)) ??
            undefined
        }
      }, orUnavailable)
    })
  })
)
