import * as MemoryOverridden from "#layers/memory/OverriddenTopics.ts"
import * as MemoryCatalogue from "#layers/memory/PreferenceCatalogue.ts"
import * as MemoryUsers from "#layers/memory/UserPreferences.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import * as LegacyChange from "#src/people/LegacyChange.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as TenantPreferences from "#src/people/TenantPreferences.ts"
import * as TopicPreferences from "#src/people/TopicPreferences.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { type Faults, meeting } from "#test/layers/http/Faults.ts"
import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer } from "effect"

const memory = MemoryOverridden.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryCatalogue.layer, MemoryUsers.layer)),
  Layer.provide(NodeCrypto.layer)
)

/** Stores of preferences in memory; what a POST does meets the faults. Legacy ones are kept by scope and user. */
export const layer = (faults: Faults & { readonly legacy: Map<string, RecipientPreferences> }) => {
  const faulty = meeting(faults)
  const guarded = Layer.unwrap(Effect.gen(function*() {
    const catalogue = yield* PreferenceCatalogue
    const users = yield* UserPreferences
    const overridden = yield* OverriddenTopics
    return Layer.mergeAll(
      Layer.succeed(PreferenceCatalogue, {
        ...catalogue,
        createSection: (...args) => faulty(catalogue.createSection(...args)),
        createTopic: (...args) => faulty(catalogue.createTopic(...args)),
        publish: (...args) => faulty(catalogue.publish(...args))
      }),
      Layer.succeed(UserPreferences, { ...users, put: (...args) => faulty(users.put(...args)) }),
      Layer.succeed(OverriddenTopics, overridden)
    )
  }))
  return TopicPreferences.layer.pipe(
    Layer.provideMerge(guarded.pipe(Layer.provide(Layer.fresh(memory)))),
    Layer.provideMerge(TenantPreferences.layer),
    Layer.merge(Layer.succeed(ListPreferences, {
      find: () => Effect.succeed({ list: undefined, subscription: undefined })
    })),
    Layer.merge(Layer.succeed(LegacyPreferences, {
      replace: (scope, userId, preferences) =>
        Effect.sync(() => void faults.legacy.set(`${scope} ${userId}`, preferences)),
      patch: Effect.fnUntraced(function*(scope, userId, operations) {
        const name = `${scope} ${userId}`
        faults.legacy.set(name, yield* LegacyChange.patch(faults.legacy.get(name) ?? {}, operations))
      })
    }))
  )
}
