import * as ProfileChange from "#src/people/ProfileChange.ts"
import { ProfileNotFound, Profiles } from "#src/people/Profiles.ts"
import { meeting } from "#test/layers/http/Faults.ts"
import type { State } from "#test/layers/http/State.ts"
import { Effect, Layer, Option } from "effect"

/** Profiles in memory; what merges into one meets the faults. */
export const layer = (state: State) =>
  Layer.succeed(Profiles, {
    find: (scope, userId) => Effect.sync(() => Option.fromUndefinedOr(state.profiles.get(`${scope} ${userId}`))),
    person: (scope, userId) =>
      Effect.sync(() => ({
        profile: Option.fromUndefinedOr(state.profiles.get(`${scope} ${userId}`)),
        preferences: state.legacy.get(`${scope} ${userId}`)
      })),
    document: (scope, userId) =>
      Effect.sync(() =>
        Option.map(
          Option.fromUndefinedOr(state.profiles.get(`${scope} ${userId}`)),
          (profile) => JSON.stringify({ profile, preferences: state.legacy.get(`${scope} ${userId}`) })
        )
      ),
    asOf: (scope, userId) => Effect.sync(() => Option.fromUndefinedOr(state.profiles.get(`${scope} ${userId}`))),
    replace: (scope, userId, profile) => Effect.sync(() => void state.profiles.set(`${scope} ${userId}`, profile)),
    merge: (scope, userId, profile) =>
      meeting(state)(Effect.sync(() => {
        const name = `${scope} ${userId}`
        state.profiles.set(name, ProfileChange.merge(state.profiles.get(name) ?? {}, profile))
      })),
    patch: Effect.fnUntraced(function*(scope, userId, patch) {
      const stored = state.profiles.get(`${scope} ${userId}`)
      if (stored === undefined) return yield* new ProfileNotFound({ userId })
      state.profiles.set(`${scope} ${userId}`, yield* ProfileChange.patch(stored, patch))
    }),
    remove: (scope, userId) => Effect.sync(() => void state.profiles.delete(`${scope} ${userId}`))
  })
