import type { PreferenceChannel, PreferenceStatus } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Patience from "#src/store/Patience.ts"
import * as ListedTopics from "#src/people/ListedTopics.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue, TopicNotFound } from "#src/people/PreferenceCatalogue.ts"
import type { TopicTerms } from "#src/people/PreferenceStatements.ts"
import * as TopicStandings from "#src/people/TopicStandings.ts"
import { type Owner, type TopicOverride, UserPreferences } from "#src/people/UserPreferences.ts"
import { Context, Effect, Layer, Schema } from "effect"

/** A topic that cannot be set as asked, and why. */
export interface RefusedTopic {
  readonly topicId: string
  readonly reason: string
}

/** The preferences cannot be set: 400, and nothing was set. */
export class PreferencesRefused extends Schema.TaggedError<PreferencesRefused>()("PreferencesRefused", {
  errors: Schema.Array(Schema.Struct({ topicId: Schema.String, reason: Schema.String }))
}) {}

/**
 * A topic as its user sees it. `status` and the channels are those that hold now; `defaultStatus` is what would hold
 * without the user's own choice.
 */
export interface TopicPreference {
  readonly topicId: string
  readonly topicName: string
  readonly sectionId: string
  readonly sectionName: string
  readonly status: PreferenceStatus
  readonly defaultStatus: PreferenceStatus
  readonly channels: ReadonlyArray<PreferenceChannel> | undefined
}

/**
 * Users' preferences for topics, checked against the catalogue and combined with the tenants' defaults (api.md 10.3).
 */
export class TopicPreferences extends Context.Service<TopicPreferences, {
  /** The topics that this owner has set, ordered by id. */
  readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<TopicPreference>, StoreUnavailable>
  /** One topic, whether the user has set it or not. */
  readonly get: (owner: Owner, topicId: string) => Effect.Effect<TopicPreference, TopicNotFound | StoreUnavailable>
  readonly put: (
    owner: Owner,
    override: TopicOverride
  ) => Effect.Effect<void, PreferencesRefused | TopicNotFound | StoreUnavailable>
  /** Sets what can be set. Answers what was set, each topic once, and what was refused. */
  readonly update: (
    owner: Owner,
    overrides: ReadonlyArray<TopicOverride>
  ) => Effect.Effect<
    { readonly applied: ReadonlyArray<TopicOverride>; readonly refused: ReadonlyArray<RefusedTopic> },
    StoreUnavailable
  >
  /**
   * Replaces all settings of the owner, or none. Answers the topics that returned to their defaults. A topic that has
   * been archived keeps its setting: nobody can name it, but messages may still be about it. So does one that the store
   * cannot read.
   */
  readonly replace: (
    owner: Owner,
    overrides: ReadonlyArray<TopicOverride>
  ) => Effect.Effect<
    { readonly applied: ReadonlyArray<TopicOverride>; readonly deleted: ReadonlyArray<string> },
    PreferencesRefused | StoreUnavailable
  >
  /** Returns the topic to its default. Idempotent. */
  readonly remove: (owner: Owner, topicId: string) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/TopicPreferences") {}

/**
 * A setting in its stored form. REQUIRED is only meant as a topic's default; from a user it means opted in. Without
 * `has_custom_routing`, a setting that names channels counts as a choice of channels; one without `custom_routing` is
 * none, whatever it says.
 */
const normal = ({ setting, topicId }: TopicOverride): TopicOverride => {
  const given = setting.custom_routing ?? undefined
  // Each channel once: a list of a hundred thousand is a second's work for whoever reads it.
  const chosen = given && [...new Set(given)]
  return {
    topicId,
    setting: {
      status: setting.status === "OPTED_OUT" ? "OPTED_OUT" : "OPTED_IN",
      has_custom_routing: chosen !== undefined && (setting.has_custom_routing ?? chosen.length > 0),
      custom_routing: chosen ?? []
    }
  }
}

const lastOfEach = (overrides: ReadonlyArray<TopicOverride>): ReadonlyArray<TopicOverride> => [
  ...new Map(overrides.map((override) => [override.topicId, normal(override)])).values()
]

const shown = (
  { record, sectionName }: ListedTopics.ListedTopic,
  standing: Pick<TopicPreference, "channels" | "defaultStatus" | "status">
): TopicPreference => ({
  topicId: record.id,
  topicName: record.topic.name,
  sectionId: record.sectionId,
  sectionName,
  ...standing
})

export const layer = Layer.effect(
  TopicPreferences,
  Effect.gen(function*() {
    const catalogue = yield* PreferenceCatalogue
    const users = yield* UserPreferences
    const overridden = yield* OverriddenTopics
    const patiently = yield* Patience.asking(Patience.callers)
    const standings = yield* TopicStandings.make

    const topics = (scope: Scope) => Effect.map(catalogue.sections(scope), ListedTopics.of)

    /** Why the override cannot be set; `undefined` if it can. */
    const fault = Effect.fnUntraced(
      function*(
        owner: Owner,
        known: ReadonlyMap<string, ListedTopics.ListedTopic>,
        { setting, topicId }: TopicOverride
      ) {
        const listed = known.get(topicId)
        if (listed === undefined) return "The topic does not exist"
        const { allowed, options } = listed.terms
        const chosen = setting.has_custom_routing === true ? setting.custom_routing ?? [] : []
        if (chosen.length > 0 && !allowed.has("channel_preferences"))
          return "The topic does not let users choose channels"
        const foreign = chosen.find((channel) => options?.channels.includes(channel) === false)
        if (foreign !== undefined) return `The topic does not go through ${foreign}`
        if (setting.status !== "OPTED_OUT") return undefined
        return (yield* standings.byDefault(owner, listed.terms)) === "REQUIRED"
          ? "The topic is required and cannot be opted out of"
          : undefined
      }
    )

    const checked = Effect.fnUntraced(function*(owner: Owner, given: ReadonlyArray<TopicOverride>) {
      const known = yield* topics(owner.scope)
      const applied: Array<TopicOverride> = []
      const refused: Array<RefusedTopic> = []
      const wanted = lastOfEach(given)
      if (wanted.some(({ topicId }) => !known.has(topicId))) yield* catalogue.whole(owner.scope)
      const faults = yield* Effect.forEach(
        wanted,
        (override) => fault(owner, known, override),
        TopicStandings.atOnce(owner)
      )
      for (const [index, override] of wanted.entries()) {
        const reason = faults[index]
        if (reason === undefined) applied.push(override)
        else refused.push({ topicId: override.topicId, reason })
      }
      return { known, applied, refused }
    })

    /** Inside a tenant, what the user set outside of any counts as well, and has to be looked up. */
    const standingOf = (
      owner: Owner,
      terms: TopicTerms,
      override: TopicOverride,
      legacy: TopicStandings.Words["legacy"]
    ) => {
      const { setting: own, topicId } = override
      return owner.tenantId === undefined
        ? standings.of(owner, terms, { overrides: { topicId, inTenant: undefined, own }, legacy })
        : Effect.flatMap(
          users.find(owner, topicId),
          (overrides) => standings.of(owner, terms, { overrides, legacy })
        )
    }

    const overriddenBy = (owner: Owner) =>
      Effect.flatMap(overridden.of(owner), ({ legacy, overrides, sections }) => {
        const listed = ListedTopics.of(sections)
        const chosen = overrides.flatMap((override) => {
          const topic = listed.get(override.topicId)
          return topic === undefined ? [] : [{ topic, override }]
        })
        return Effect.forEach(
          chosen,
          ({ override, topic }) =>
            Effect.map(standingOf(owner, topic.terms, override, legacy), (standing) => shown(topic, standing)),
          TopicStandings.atOnce(owner)
        )
      })

    return TopicPreferences.of({
      // A lookup limits by itself how long a caller waits. Inside a tenant a second lookup follows the first, so both
      // share one limit.
      list: (owner) => owner.tenantId === undefined ? overriddenBy(owner) : patiently(overriddenBy(owner)),
      get: Effect.fnUntraced(function*(owner, topicId) {
        const listed = (yield* topics(owner.scope)).get(topicId)
        if (listed === undefined) {
          yield* catalogue.whole(owner.scope)
          return yield* new TopicNotFound({ id: topicId })
        }
        const overrides = yield* users.find(owner, topicId)
        return shown(
          listed,
          yield* standings.of(owner, listed.terms, { overrides, legacy: yield* standings.legacy(owner) })
        )
      }),
      put: Effect.fnUntraced(function*(owner, override) {
        const { applied, known, refused } = yield* checked(owner, [override])
        if (!known.has(override.topicId)) return yield* new TopicNotFound({ id: override.topicId })
        if (refused.length > 0) return yield* new PreferencesRefused({ errors: refused })
        yield* users.put(owner, applied)
      }),
      update: Effect.fnUntraced(function*(owner, overrides) {
        const { applied, refused } = yield* checked(owner, overrides)
        yield* users.put(owner, applied)
        return { applied, refused }
      }),
      replace: Effect.fnUntraced(function*(owner, overrides) {
        const { applied, known, refused } = yield* checked(owner, overrides)
        if (refused.length > 0) return yield* new PreferencesRefused({ errors: refused })
        const deleted = yield* users.replace(owner, applied, [...known.keys()])
        return { applied, deleted }
      }),
      remove: users.remove
    })
  })
)
