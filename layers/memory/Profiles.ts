import { withoutUser } from "#layers/memory/DeviceTokens.ts"
import { withoutProfiles } from "#layers/memory/Memberships.ts"
import { Database } from "#layers/memory/Database.ts"
import { dropTickets, findMessage, nameOf, type State, withProfile } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { RecipientPreferences } from "#schemas/Preferences.ts"
import { Profile, type UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import { documentOf, longestProfile, ProfileNotFound, Profiles, ProfileTooLong } from "#src/people/Profiles.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decode = Schema.decodeEffect(Schema.fromJsonString(Profile))

const decodePreferences = Schema.decodeEffect(Schema.fromJsonString(RecipientPreferences))

const get = (scope: Scope, userId: UserId) => (state: State) => HashMap.get(state.profiles, nameOf(scope, userId))

/** Without the tickets of pushes to the user, which hold tokens. */
const withoutTickets = (state: State, scope: Scope, userId: UserId): State => {
  const key = Recipients.userKey(scope, userId)
  const tickets = Array.from(HashMap.values(state.pushTickets)).filter((row) =>
    row.scope === scope && findMessage(state, scope, row.messageId)?.recipientKey === key
  )
  return dropTickets(state, tickets)
}

/** The profiles in memory, kept as JSON text like everywhere. */
export const layer = Layer.effect(
  Profiles,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database

    const find = Effect.fnUntraced(function*(scope: Scope, userId: UserId) {
      const text = yield* read(get(scope, userId))
      return Option.isNone(text) ? Option.none<Profile>() : Option.some(yield* decode(text.value))
    }, orUnavailable)

    const person = Effect.fnUntraced(function*(scope: Scope, userId: UserId) {
      const text = yield* read((state) => HashMap.get(state.preferences.recipients, nameOf(scope, userId)))
      return {
        profile: yield* find(scope, userId),
        preferences: Option.isNone(text) ? undefined : yield* orUnavailable(decodePreferences(text.value))
      }
    })

    const document = (scope: Scope, userId: UserId) =>
      read((state) =>
        Option.map(
          get(scope, userId)(state),
          (profile) =>
            documentOf(
              profile,
              Option.getOrUndefined(HashMap.get(state.preferences.recipients, nameOf(scope, userId)))
            )
        )
      )

    const asOf: Profiles["Service"]["asOf"] = Effect.fnUntraced(function*(scope, userId, at) {
      const written = yield* read((state) => HashMap.get(state.profilesWritten, nameOf(scope, userId)))
      return Option.exists(written, (time) => time > at) ? Option.none() : yield* find(scope, userId)
    })

    const replace = (scope: Scope, userId: UserId, profile: Profile) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => update((state) => withProfile(state, nameOf(scope, userId), profile, now))
      )

    const store = Effect.fnUntraced(function*(scope: Scope, userId: UserId, profile: Profile) {
      if (JSON.stringify(profile).length > longestProfile) return yield* new ProfileTooLong()
      yield* replace(scope, userId, profile)
    })

    const merge: Profiles["Service"]["merge"] = Effect.fnUntraced(function*(scope, userId, change) {
      const stored = yield* find(scope, userId)
      if (Option.isNone(stored)) return yield* replace(scope, userId, change)
      yield* store(scope, userId, ProfileChange.merge(stored.value, change))
    }, transaction)

    const patch: Profiles["Service"]["patch"] = Effect.fnUntraced(function*(scope, userId, operations) {
      const stored = yield* find(scope, userId)
      if (Option.isNone(stored)) return yield* new ProfileNotFound({ userId })
      yield* store(scope, userId, yield* ProfileChange.patch(stored.value, operations))
    }, transaction)

    return Profiles.of({
      find,
      person,
      document,
      asOf,
      replace,
      merge,
      patch,
      remove: (scope, userId) =>
        update((state) => ({
          ...withoutProfiles(withoutTickets(withoutUser(state, scope, userId), scope, userId), scope, userId),
          profiles: HashMap.remove(state.profiles, nameOf(scope, userId))
        }))
    })
  })
)
