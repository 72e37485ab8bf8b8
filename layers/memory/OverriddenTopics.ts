import { Database } from "#layers/memory/Database.ts"
import { overridesOf } from "#layers/memory/UserPreferences.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Effect, Layer } from "effect"

/** What the list of a user's topics is made of, read from the stores in memory. */
export const layer = Layer.effect(
  OverriddenTopics,
  Effect.gen(function*() {
    const { read } = yield* Database
    const profiles = yield* Profiles
    const catalogue = yield* PreferenceCatalogue
    return OverriddenTopics.of({
      of: Effect.fnUntraced(function*(owner) {
        return {
          overrides: yield* Effect.flatten(read((state) => overridesOf(state, owner))),
          legacy: (yield* profiles.person(owner.scope, owner.userId)).preferences,
          sections: yield* catalogue.sections(owner.scope)
        }
      })
    })
  })
)
