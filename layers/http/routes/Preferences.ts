import * as Group from "#layers/http/Group.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { Configuration, SectionResponse, TopicResponse } from "#schemas/api/Preferences.ts"
import type { PreferenceStatus } from "#schemas/Preferences.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { author } from "#src/content/Author.ts"
import { Brands } from "#src/content/Brands.ts"
import { UnknownBrand } from "#src/content/Templates.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { PreferenceCatalogue, type SectionRecord, type TopicRecord } from "#src/people/PreferenceCatalogue.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const done = { status: "SUCCESS" } as const

const topicResponse = ({ created, id, topic, updated }: TopicRecord): TopicResponse => ({
  id,
  name: topic.name,
  description: topic.description ?? undefined,
  default_status: topic.default_status,
  routing_options: topic.routing_options ?? [],
  allowed_preferences: topic.allowed_preferences ?? [],
  include_unsubscribe_header: topic.include_unsubscribe_header ?? false,
  topic_data: topic.topic_data ?? {},
  created,
  updated,
  creator: author,
  updater: author
})

const sectionResponse = ({ created, id, section, topics, updated }: SectionRecord): SectionResponse => ({
  id,
  name: section.name,
  description: section.description ?? undefined,
  has_custom_routing: section.has_custom_routing ?? false,
  routing_options: section.routing_options ?? [],
  topics: topics.map(topicResponse),
  created,
  updated,
  creator: author,
  updater: updated === undefined ? undefined : author
})

const types = {
  OPTED_IN: { type: "OPT_OUT" },
  OPTED_OUT: { type: "OPT_IN" },
  REQUIRED: { type: "REQUIRED" }
} as const satisfies Record<PreferenceStatus, Configuration["uncategorized"][number]["config"]>

/** A category shows the type of its notifications' status if all have the same one, else that of `OPTED_IN`. */
const configOf = (statuses: ReadonlyArray<PreferenceStatus>) => {
  const [first] = statuses
  return types[first !== undefined && statuses.every((status) => status === first) ? first : "OPTED_IN"]
}

const configuration = (sections: ReadonlyArray<SectionRecord>): Configuration => ({
  uncategorized: [],
  categories: sections.map(({ id, section, topics }) => ({
    id,
    title: section.name,
    config: configOf(topics.map(({ topic }) => topic.default_status)),
    notifications: topics.map(({ id, topic }) => ({ id, title: topic.name, config: types[topic.default_status] }))
  }))
})

/** /preferences: the catalogue, and recipients' legacy preferences. */
export const layer = Group.layer(Effect.gen(function*() {
  const brands = yield* Brands
  const catalogue = yield* PreferenceCatalogue
  const legacy = yield* LegacyPreferences
  const profiles = yield* Profiles
  return HttpApiBuilder.group(Served, "preferences", (handlers) =>
    handlers.handleAll({
      configuration: Effect.fnUntraced(function*() {
        const { scope } = yield* CurrentPrincipal
        return configuration(yield* catalogue.sections(scope))
      }, refusals),
      sections: Effect.fnUntraced(function*() {
        const { scope } = yield* CurrentPrincipal
        return { results: (yield* catalogue.sections(scope)).map(sectionResponse) }
      }, refusals),
      createSection: Effect.fnUntraced(function*({ payload }) {
        const { scope } = yield* CurrentPrincipal
        return sectionResponse(yield* catalogue.createSection(scope, payload))
      }, refusals),
      section: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return sectionResponse(yield* catalogue.section(scope, params.section_id))
      }, refusals),
      replaceSection: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        return sectionResponse(yield* catalogue.replaceSection(scope, params.section_id, payload))
      }, refusals),
      archiveSection: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* catalogue.archiveSection(scope, params.section_id)
      }, refusals),
      topics: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return { results: (yield* catalogue.section(scope, params.section_id)).topics.map(topicResponse) }
      }, refusals),
      createTopic: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        return topicResponse(yield* catalogue.createTopic(scope, params.section_id, payload))
      }, refusals),
      topic: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return topicResponse(yield* catalogue.topic(scope, params.section_id, params.topic_id))
      }, refusals),
      replaceTopic: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        return topicResponse(yield* catalogue.replaceTopic(scope, params.section_id, params.topic_id, payload))
      }, refusals),
      archiveTopic: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* catalogue.archiveTopic(scope, params.section_id, params.topic_id)
      }, refusals),
      publish: Effect.fnUntraced(function*({ payload }) {
        const { scope } = yield* CurrentPrincipal
        const brandId = payload?.brand_id ?? undefined
        if (brandId !== undefined && brandId !== "default" && brandId !== "none") {
          yield* Effect.catchTag(brands.get(scope, brandId), "BrandNotFound", ({ id }) => new UnknownBrand({ id }))
        }
        const page = yield* catalogue.publish(scope, {
          brandId,
          heading: payload?.heading ?? undefined,
          description: payload?.description ?? undefined
        })
        return {
          page_id: page.id,
          published_at: page.publishedAt,
          published_version: page.version,
          published_by: author
        }
      }, refusals),
      recipient: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const { preferences } = yield* profiles.person(scope, params.recipient_id)
        return { notifications: preferences?.notifications ?? {}, categories: preferences?.categories ?? {} }
      }, refusals),
      replaceRecipient: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* legacy.replace(scope, params.recipient_id, payload)
        return done
      }, refusals),
      patchRecipient: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* legacy.patch(scope, params.recipient_id, payload.patch)
        return done
      }, refusals)
    }))
}))
