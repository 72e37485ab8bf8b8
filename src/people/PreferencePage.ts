import {
  PreferenceChannel,
  type PreferenceStatus,
  type RecipientPreferences,
  type TopicSetting
} from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { SecretKey } from "#src/access/SecretKey.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as ListedTopics from "#src/people/ListedTopics.ts"
import { PreferenceCatalogue, type TopicRecord } from "#src/people/PreferenceCatalogue.ts"
import * as PreferenceLinks from "#src/people/PreferenceLinks.ts"
import type { Profiles } from "#src/people/Profiles.ts"
import * as ReaderChoices from "#src/people/ReaderChoices.ts"
import type { TenantPreferences } from "#src/people/TenantPreferences.ts"
import * as TopicStandings from "#src/people/TopicStandings.ts"
import { LinkBroken } from "#src/people/Unsubscribing.ts"
import { type Owner, UserPreferences } from "#src/people/UserPreferences.ts"
import { Context, Effect, Layer, Option } from "effect"

/** One channel that a topic offers. */
export interface OfferedChannel {
  readonly channel: PreferenceChannel
  readonly isChosen: boolean
}

export interface ShownTopic {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly status: PreferenceStatus
  /** Empty if the topic does not let users choose channels. */
  readonly channels: ReadonlyArray<OfferedChannel>
}

export interface ShownSection {
  readonly name: string
  readonly topics: ReadonlyArray<ShownTopic>
}

/** The hosted page as one user sees it. */
export interface ShownPage {
  readonly scope: Scope
  readonly brandId: string | undefined
  readonly heading: string | undefined
  readonly description: string | undefined
  readonly sections: ReadonlyArray<ShownSection>
}

/** What a user submits for one topic. */
export interface Wish {
  readonly topicId: string
  readonly isIn: boolean
  readonly channels: ReadonlySet<string>
}

type Refusal = LinkBroken | StoreUnavailable

/**
 * What a user sees and chooses on the hosted page (api.md 25.5). It shows the published catalogue, or the current one
 * until the first publication, without topics that have been archived since. Names and texts are those of the
 * publication; statuses and channels are those that hold now.
 */
export class PreferencePage extends Context.Service<PreferencePage, {
  /** Reads the page; changes nothing. */
  readonly look: (token: string) => Effect.Effect<ShownPage, Refusal>
  /**
   * Writes the wishes that differ from what holds now, all or none where a tenant was named or there is none
   * (`ReaderChoices`); other topics keep following their defaults. A required topic cannot be opted out of. A topic whose
   * last channel is deselected is opted out of. Idempotent.
   */
  readonly choose: (token: string, wishes: ReadonlyArray<Wish>) => Effect.Effect<ShownPage, Refusal>
}>()("tidings/PreferencePage") {}

/**
 * The channels that a user may choose from: none unless the topic's `allowed_preferences` say so; otherwise the topic's
 * channels, or all if it names none.
 */
const offered = (
  { record: { topic }, terms: { options } }: ListedTopics.ListedTopic
): ReadonlyArray<PreferenceChannel> =>
  topic.allowed_preferences?.includes("channel_preferences") === true
    ? options?.channels ?? PreferenceChannel.literals
    : []

/** The setting to store for a wish; `undefined` if it is what holds already. */
const changed = ({ channels, status }: ShownTopic, wish: Wish): TopicSetting | undefined => {
  const chosen = channels.filter(({ channel }) => wish.channels.has(channel))
  const isLeftNone = chosen.length === 0 && channels.some(({ isChosen }) => isChosen)
  const isIn = status === "REQUIRED" || (wish.isIn && !isLeftNone)
  const isRouted = chosen.length > 0 &&
    channels.some(({ channel, isChosen }) => isChosen !== wish.channels.has(channel))
  if (isIn === (status !== "OPTED_OUT") && !isRouted) return undefined
  return {
    status: isIn ? "OPTED_IN" : "OPTED_OUT",
    ...(isRouted ? { has_custom_routing: true, custom_routing: chosen.map(({ channel }) => channel) } : {})
  }
}

/** For lists of topics: run at once, so that their lookups share a statement. */
const atOnce = { concurrency: "unbounded" } as const

export const layer: Layer.Layer<
  PreferencePage,
  never,
  PreferenceCatalogue | Profiles | SecretKey | TenantPreferences | UserPreferences
> = Layer.effect(
  PreferencePage,
  Effect.gen(function*() {
    const catalogue = yield* PreferenceCatalogue
    const users = yield* UserPreferences
    const standings = yield* TopicStandings.make
    const tokens = yield* PreferenceLinks.tokens

    const foundTopic = Effect.fnUntraced(
      function*(
        owner: Owner,
        legacy: RecipientPreferences | undefined,
        published: TopicRecord,
        live: ListedTopics.ListedTopic
      ) {
        const { id } = live.record
        const overrides = yield* users.find(owner, id)
        const { channels, status } = yield* standings.of(owner, live.terms, { overrides, legacy })
        const shown: ShownTopic = {
          id,
          name: published.topic.name,
          description: published.topic.description ?? undefined,
          status,
          channels: offered(live).map((channel) => ({
            channel,
            isChosen: channels?.includes(channel) ?? true
          }))
        }
        return shown
      }
    )

    const found = Effect.fnUntraced(function*(token: string) {
      const owner = tokens.openPreferences(token)
      if (owner === undefined) return yield* new LinkBroken()
      const live = yield* catalogue.sections(owner.scope)
      const legacy = yield* standings.legacy(owner)
      const records = ListedTopics.of(live)
      const page = Option.getOrElse(yield* catalogue.published(owner.scope), () => ({
        brandId: undefined,
        heading: undefined,
        description: undefined,
        sections: live
      }))
      const sections = yield* Effect.forEach(page.sections, (section) =>
        Effect.map(
          Effect.forEach(section.topics, (topic) => {
            const record = records.get(topic.id)
            return record === undefined ? Effect.succeed([]) : Effect.map(
              foundTopic(owner, legacy, topic, record),
              (shown) => [shown]
            )
          }, atOnce),
          (topics) => ({ name: section.section.name, topics: topics.flat() })
        ), atOnce)
      const shown: ShownPage = {
        scope: owner.scope,
        brandId: page.brandId,
        heading: page.heading,
        description: page.description,
        sections: sections.flatMap(({ name, topics }) => topics.length === 0 ? [] : [{ name, topics }])
      }
      return { owner, shown, topics: sections.flatMap(({ topics }) => topics) }
    })

    const look = (token: string) => Effect.map(found(token), ({ shown }) => shown)

    return PreferencePage.of({
      look,
      choose: Effect.fnUntraced(function*(token, wishes) {
        const { owner, topics } = yield* found(token)
        const wanted = new Map(wishes.map((wish) => [wish.topicId, wish]))
        // Another node may have shown what this one cannot read: a wish for that must not be lost.
        const known = new Set(topics.map(({ id }) => id))
        if (wishes.some(({ topicId }) => !known.has(topicId))) yield* catalogue.whole(owner.scope)
        const overrides = topics.flatMap((topic) => {
          const wish = wanted.get(topic.id)
          const setting = wish === undefined ? undefined : changed(topic, wish)
          return setting === undefined ? [] : [{ topicId: topic.id, setting }]
        })
        if (overrides.length > 0) yield* ReaderChoices.write(users, owner, overrides)
        return yield* look(token)
      })
    })
  })
)
