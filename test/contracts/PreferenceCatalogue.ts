import { mostSections, mostTopics, type PreferenceSection, type PreferenceTopic } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

const section: PreferenceSection = {
  name: "Account \u0000",
  description: "d",
  has_custom_routing: true,
  routing_options: ["email", "push"]
}

const topic: PreferenceTopic = {
  name: "News",
  default_status: "OPTED_IN",
  description: "\ud800",
  routing_options: ["email"],
  allowed_preferences: ["snooze"],
  include_unsubscribe_header: true,
  topic_data: { ...Fixture.withProto }
}

const bare: PreferenceTopic = { name: "Bare", default_status: "REQUIRED" }

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  return { scope, at: yield* Clock.currentTimeMillis, catalogue: yield* PreferenceCatalogue }
})

const tagOf = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** What every store of the catalogue promises. */
export const preferenceCatalogueContract = <E>(name: string, stores: Layer.Layer<PreferenceCatalogue, E>) =>
  layer(stores)(`PreferenceCatalogue: ${name}`, (it) => {
    it.effect("sections and topics are kept as they were given, and replaced whole", () =>
      Effect.gen(function*() {
        const { at, catalogue, scope } = yield* start
        const made = yield* catalogue.createSection(scope, section)
        assert.match(made.id, /^ps_[0-9a-hjkmnp-tv-z]{26}$/)
        assert.deepStrictEqual(made, { id: made.id, section, topics: [], created: at, updated: undefined })
        yield* TestClock.adjust("1 second")
        const news = yield* catalogue.createTopic(scope, made.id, topic)
        assert.match(news.id, /^pt_[0-9a-hjkmnp-tv-z]{26}$/)
        assert.deepStrictEqual(news, {
          id: news.id,
          sectionId: made.id,
          topic,
          created: at + 1_000,
          updated: at + 1_000
        })
        assert.deepStrictEqual(yield* catalogue.topic(scope, made.id, news.id), news)
        assert.deepStrictEqual(yield* catalogue.section(scope, made.id), { ...made, topics: [news] })
        yield* TestClock.adjust("1 second")
        const replaced = { ...news, topic: bare, updated: at + 2_000 }
        assert.deepStrictEqual(yield* catalogue.replaceTopic(scope, made.id, news.id, bare), replaced)
        assert.deepStrictEqual(yield* catalogue.replaceSection(scope, made.id, { name: "B" }), {
          ...made,
          section: { name: "B" },
          topics: [replaced],
          updated: at + 2_000
        })
      }))

    it.effect("sections and their topics are listed oldest first", () =>
      Effect.gen(function*() {
        const { catalogue, scope } = yield* start
        for (const name of ["a", "b"]) {
          const { id } = yield* catalogue.createSection(scope, { name })
          for (const n of [1, 2, 3]) {
            yield* TestClock.adjust("1 milli")
            yield* catalogue.createTopic(scope, id, { ...bare, name: `${name}${n}` })
          }
        }
        assert.deepStrictEqual(
          (yield* catalogue.sections(scope)).map(({ section, topics }) => [
            section.name,
            topics.map(({ topic }) => topic.name)
          ]),
          [["a", ["a1", "a2", "a3"]], ["b", ["b1", "b2", "b3"]]]
        )
      }))

    it.effect("a section is archived only when no topic is left in it", () =>
      Effect.gen(function*() {
        const { catalogue, scope } = yield* start
        const { id } = yield* catalogue.createSection(scope, section)
        const news = yield* catalogue.createTopic(scope, id, topic)
        assert.strictEqual(yield* tagOf(catalogue.archiveSection(scope, id)), "SectionNotEmpty")
        yield* catalogue.archiveTopic(scope, id, news.id)
        assert.deepStrictEqual((yield* catalogue.section(scope, id)).topics, [])
        yield* catalogue.archiveSection(scope, id)
        assert.deepStrictEqual(yield* catalogue.sections(scope), [])
        const refused = yield* Effect.all([
          tagOf(catalogue.section(scope, id)),
          tagOf(catalogue.replaceSection(scope, id, section)),
          tagOf(catalogue.archiveSection(scope, id)),
          tagOf(catalogue.createTopic(scope, id, topic))
        ])
        assert.deepStrictEqual(refused, Array.from(refused, () => "SectionNotFound"))
      }))

    it.effect("a topic is found in its own section and environment only (P10)", () =>
      Effect.gen(function*() {
        const { catalogue, scope } = yield* start
        const elsewhere = yield* start
        const { id } = yield* catalogue.createSection(scope, section)
        const other = yield* catalogue.createSection(scope, section)
        const news = yield* catalogue.createTopic(scope, id, topic)
        const all = (of: Scope, sectionId: string, topicId: string) =>
          Effect.all([
            tagOf(catalogue.topic(of, sectionId, topicId)),
            tagOf(catalogue.replaceTopic(of, sectionId, topicId, topic)),
            tagOf(catalogue.archiveTopic(of, sectionId, topicId))
          ])
        assert.deepStrictEqual(yield* all(scope, other.id, news.id), Array.from({ length: 3 }, () => "TopicNotFound"))
        assert.deepStrictEqual(yield* all(scope, id, "pt_none"), Array.from({ length: 3 }, () => "TopicNotFound"))
        assert.deepStrictEqual(
          yield* all(elsewhere.scope, id, news.id),
          Array.from({ length: 3 }, () => "SectionNotFound")
        )
        assert.isTrue(Option.isNone(yield* catalogue.resolve(elsewhere.scope, news.id)))
        const read = yield* Effect.forEach([other.id, id], (one) => catalogue.section(scope, one))
        assert.deepStrictEqual(read.map((one) => [one.id, one.topics.map((found) => found.id)]), [
          [other.id, []],
          [id, [news.id]]
        ])
      }))

    it.effect("an environment has so many sections and topics and no more; archived ones do not count", () =>
      Effect.gen(function*() {
        const { catalogue, scope } = yield* start
        const elsewhere = yield* start
        const { id } = yield* catalogue.createSection(scope, section)
        const other = yield* catalogue.createSection(elsewhere.scope, section)
        const made = yield* Effect.forEach(
          Array.from({ length: mostTopics }),
          () => catalogue.createTopic(scope, id, bare)
        )
        const late = yield* Effect.flip(catalogue.createTopic(scope, id, bare))
        assert.deepInclude(late, { _tag: "CatalogueFull", of: "topics" })
        yield* catalogue.createTopic(elsewhere.scope, other.id, bare)
        for (const { id: topicId } of made.slice(0, 1)) yield* catalogue.archiveTopic(scope, id, topicId)
        const last = [catalogue.createTopic(scope, id, bare), catalogue.createTopic(scope, id, bare)]
        const ends = yield* Effect.forEach(last, (one) => Effect.result(one), { concurrency: 2 })
        assert.sameMembers(ends.map(({ _tag }) => _tag), ["Success", "Failure"])
        assert.lengthOf((yield* catalogue.section(scope, id)).topics, mostTopics)
        for (let n = 1; n < mostSections; n++) yield* catalogue.createSection(scope, { name: `${n}` })
        assert.deepInclude(yield* Effect.flip(catalogue.createSection(scope, { name: "late" })), { of: "sections" })
        assert.lengthOf(yield* catalogue.sections(scope), mostSections)
      }))

    it.effect("a send sees a change at once, and an archived topic still", () =>
      Effect.gen(function*() {
        const { catalogue, scope } = yield* start
        assert.isTrue(Option.isNone(yield* catalogue.resolve(scope, "pt_none")))
        const { id } = yield* catalogue.createSection(scope, section)
        const news = yield* catalogue.createTopic(scope, id, topic)
        assert.deepStrictEqual(yield* catalogue.resolve(scope, news.id), Option.some({ ...news, section }))
        const replaced = yield* catalogue.replaceTopic(scope, id, news.id, bare)
        assert.deepStrictEqual(yield* catalogue.resolve(scope, news.id), Option.some({ ...replaced, section }))
        yield* catalogue.archiveTopic(scope, id, news.id)
        yield* catalogue.replaceSection(scope, id, { name: "B" })
        const gone = { ...replaced, section: { name: "B" } }
        assert.deepStrictEqual(yield* catalogue.resolve(scope, news.id), Option.some(gone))
        yield* catalogue.archiveSection(scope, id)
        assert.isUndefined(Option.getOrThrow(yield* catalogue.resolve(scope, news.id)).section)
      }))

    it.effect("every publication has a higher version, within a millisecond too", () =>
      Effect.gen(function*() {
        const { at, catalogue, scope } = yield* start
        const settings = { brandId: undefined, heading: "\u0000", description: undefined }
        assert.isTrue(Option.isNone(yield* catalogue.published(scope)))
        const pages = yield* Effect.forEach([1, 2, 3], () => catalogue.publish(scope, settings), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(pages.map(({ version }) => version).toSorted(), [at, at + 1, at + 2])
        yield* TestClock.adjust("1 second")
        assert.deepInclude(yield* catalogue.publish(scope, settings), { publishedAt: at + 1_000, version: at + 1_000 })
      }))

    it.effect("the published page is the last one's copy: later edits are not on it, nor another environment's", () =>
      Effect.gen(function*() {
        const { catalogue, scope } = yield* start
        const elsewhere = yield* start
        const { id } = yield* catalogue.createSection(scope, section)
        const news = yield* catalogue.createTopic(scope, id, topic)
        yield* catalogue.publish(scope, { brandId: "none", heading: "old", description: "d" })
        const settings = { brandId: "default", heading: "News \ud800", description: undefined }
        yield* catalogue.publish(scope, settings)
        const copy = yield* catalogue.sections(scope)
        yield* catalogue.replaceTopic(scope, id, news.id, bare)
        yield* catalogue.createTopic(scope, id, bare)
        assert.deepStrictEqual(yield* catalogue.published(scope), Option.some({ ...settings, sections: copy }))
        assert.isTrue(Option.isNone(yield* catalogue.published(elsewhere.scope)))
      }))
  })
