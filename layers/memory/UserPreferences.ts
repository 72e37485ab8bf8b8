import { Database } from "#layers/memory/Database.ts"
import type { State } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { TopicSetting } from "#schemas/Preferences.ts"
import { type Owner, type TopicOverride, UserPreferences } from "#src/people/UserPreferences.ts"
import { Effect, HashMap, Layer, Option, Schema } from "effect"

type Overrides = HashMap.HashMap<string, string>

const text = Schema.fromJsonString(TopicSetting)
const encode = Schema.encodeEffect(text)
const decode = Schema.decodeEffect(text)

const placeOf = ({ scope, tenantId = "", userId }: Owner): string => JSON.stringify([scope, userId, tenantId])

const at = ({ preferences }: State, place: string): Overrides =>
  Option.getOrElse(HashMap.get(preferences.users, place), HashMap.empty<string, string>)

const put = ({ preferences, ...state }: State, place: string, overrides: Overrides): State => ({
  ...state,
  preferences: { ...preferences, users: HashMap.set(preferences.users, place, overrides) }
})

const encoded = (overrides: ReadonlyArray<TopicOverride>) =>
  Effect.forEach(
    overrides,
    ({ setting, topicId }) => Effect.map(orUnavailable(encode(setting)), (stored) => [topicId, stored] as const)
  )

/** What was said where the owner's writes go, in the order of the topics' ids. */
export const overridesOf = (state: State, owner: Owner) =>
  Effect.forEach(
    Array.from(at(state, placeOf(owner))).toSorted(([a], [b]) => a < b ? -1 : 1),
    ([topicId, setting]) => Effect.map(orUnavailable(decode(setting)), (setting) => ({ topicId, setting }))
  )

/** What users said of topics, in memory, kept as JSON text like everywhere. */
export const layer = Layer.effect(
  UserPreferences,
  Effect.gen(function*() {
    const { modify, read, transaction, update } = yield* Database

    const one = Effect.fnUntraced(function*(place: string, topicId: string) {
      const stored = yield* read((state) => HashMap.get(at(state, place), topicId))
      return Option.isNone(stored) ? undefined : yield* orUnavailable(decode(stored.value))
    })

    const write = Effect.fnUntraced(function*(owner: Owner, overrides: ReadonlyArray<TopicOverride>) {
      const place = placeOf(owner)
      const entries = yield* encoded(overrides)
      yield* update((state) => put(state, place, HashMap.union(at(state, place), HashMap.fromIterable(entries))))
    })

    return UserPreferences.of({
      find: Effect.fnUntraced(function*(owner, topicId) {
        return {
          topicId,
          inTenant: owner.tenantId === undefined ? undefined : yield* one(placeOf(owner), topicId),
          own: yield* one(placeOf({ ...owner, tenantId: undefined }), topicId)
        }
      }),
      put: write,
      merge: Effect.fnUntraced(function*(owner, overrides) {
        const place = placeOf(owner)
        const merged = yield* Effect.forEach(
          overrides,
          ({ setting, topicId }) =>
            Effect.map(one(place, topicId), (before) => ({ topicId, setting: { ...before, ...setting } }))
        )
        yield* write(owner, merged)
      }, transaction),
      replace: Effect.fnUntraced(function*(owner, overrides, topicIds) {
        const place = placeOf(owner)
        const next = HashMap.fromIterable(yield* encoded(overrides))
        return yield* modify((state) => {
          const before = at(state, place)
          const gone = topicIds.filter((topicId) => HashMap.has(before, topicId) && !HashMap.has(next, topicId))
          return [gone.toSorted(), put(state, place, HashMap.union(HashMap.removeMany(before, gone), next))]
        })
      }),
      remove: (owner, topicId) => {
        const place = placeOf(owner)
        return update((state) => put(state, place, HashMap.remove(at(state, place), topicId)))
      }
    })
  })
)
