import { Database } from "#layers/memory/Database.ts"
import type { PreferenceState, SectionRow, TopicRow } from "#layers/memory/PreferenceState.ts"
import { inScope, nameOf } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { mostSections, mostTopics, PreferenceSection, PreferenceTopic } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as TypeId from "#src/access/TypeId.ts"
import {
  CatalogueFull,
  PreferenceCatalogue,
  SectionNotEmpty,
  SectionNotFound,
  type SectionRecord,
  TopicNotFound,
  type TopicRecord
} from "#src/people/PreferenceCatalogue.ts"
import * as PreferenceSnapshot from "#src/people/PreferenceSnapshot.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const sectionText = Schema.fromJsonString(PreferenceSection)
const topicText = Schema.fromJsonString(PreferenceTopic)
const encodeSection = Schema.encodeEffect(sectionText)
const encodeTopic = Schema.encodeEffect(topicText)
const decodeSection = Schema.decodeEffect(sectionText)
const decodeTopic = Schema.decodeEffect(topicText)

const oldestFirst = (a: { created: number; id: string }, b: { created: number; id: string }): number =>
  a.created - b.created || (a.id < b.id ? -1 : 1)

const topicRecord = Effect.fnUntraced(function*({ archived: _, scope: __, topic, ...row }: TopicRow) {
  return { ...row, topic: yield* orUnavailable(decodeTopic(topic)) } satisfies TopicRecord
})

/** The catalogue in memory, kept as JSON text like everywhere. */
export const layer = Layer.effect(
  PreferenceCatalogue,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database
    const newSectionId = yield* TypeId.generator("ps")
    const newTopicId = yield* TypeId.generator("pt")
    const newPageId = yield* TypeId.generator("pp")

    const change = (f: (preferences: PreferenceState) => Partial<PreferenceState>) =>
      update((state) => ({ ...state, preferences: { ...state.preferences, ...f(state.preferences) } }))

    const putSection = (row: SectionRow) =>
      change(({ sections }) => ({ sections: HashMap.set(sections, nameOf(row.scope, row.id), row) }))

    const putTopic = (row: TopicRow) =>
      change(({ topics }) => ({ topics: HashMap.set(topics, nameOf(row.scope, row.id), row) }))

    const topicsOf = (scope: Scope, sectionId: string) =>
      read((state) =>
        inScope(state.preferences.topics, scope)
          .filter((row) => row.sectionId === sectionId && !row.archived)
          .toSorted(oldestFirst)
      )

    const record = Effect.fnUntraced(function*({ scope, section, ...row }: SectionRow) {
      return {
        ...row,
        section: yield* orUnavailable(decodeSection(section)),
        topics: yield* Effect.forEach(yield* topicsOf(scope, row.id), topicRecord)
      } satisfies SectionRecord
    })

    const findSection = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* read((state) => HashMap.get(state.preferences.sections, nameOf(scope, id)))
      return Option.isSome(row) ? row.value : yield* new SectionNotFound({ id })
    })

    const findTopic = Effect.fnUntraced(function*(scope: Scope, sectionId: string, id: string) {
      yield* findSection(scope, sectionId)
      const row = yield* read((state) => HashMap.get(state.preferences.topics, nameOf(scope, id)))
      return Option.isSome(row) && row.value.sectionId === sectionId && !row.value.archived
        ? row.value
        : yield* new TopicNotFound({ id })
    })

    const sections = Effect.fnUntraced(function*(scope: Scope) {
      const rows = yield* read((state) => inScope(state.preferences.sections, scope).toSorted(oldestFirst))
      return yield* Effect.forEach(rows, record)
    })

    return PreferenceCatalogue.of({
      sections,
      whole: sections,
      section: Effect.fnUntraced(function*(scope, id) {
        return yield* record(yield* findSection(scope, id))
      }),
      createSection: Effect.fnUntraced(function*(scope, section) {
        const known = yield* read((state) => inScope(state.preferences.sections, scope))
        if (known.length >= mostSections) return yield* new CatalogueFull({ of: "sections" })
        const row = { id: yield* newSectionId, created: yield* Clock.currentTimeMillis, updated: undefined }
        yield* putSection({ ...row, scope, section: yield* orUnavailable(encodeSection(section)) })
        return { ...row, section, topics: [] }
      }, transaction),
      replaceSection: Effect.fnUntraced(function*(scope, id, section) {
        const before = yield* findSection(scope, id)
        const row = {
          ...before,
          section: yield* orUnavailable(encodeSection(section)),
          updated: yield* Clock.currentTimeMillis
        }
        yield* putSection(row)
        return yield* record(row)
      }, transaction),
      archiveSection: Effect.fnUntraced(function*(scope, id) {
        yield* findSection(scope, id)
        if ((yield* topicsOf(scope, id)).length > 0) return yield* new SectionNotEmpty({ id })
        yield* change(({ sections }) => ({ sections: HashMap.remove(sections, nameOf(scope, id)) }))
      }, transaction),
      topic: Effect.fnUntraced(function*(scope, sectionId, id) {
        return yield* topicRecord(yield* findTopic(scope, sectionId, id))
      }),
      createTopic: Effect.fnUntraced(function*(scope, sectionId, topic) {
        yield* findSection(scope, sectionId)
        const known = yield* read((state) => inScope(state.preferences.topics, scope).filter((row) => !row.archived))
        if (known.length >= mostTopics) return yield* new CatalogueFull({ of: "topics" })
        const now = yield* Clock.currentTimeMillis
        const row = { id: yield* newTopicId, sectionId, created: now, updated: now }
        yield* putTopic({ ...row, scope, archived: false, topic: yield* orUnavailable(encodeTopic(topic)) })
        return { ...row, topic }
      }, transaction),
      replaceTopic: Effect.fnUntraced(function*(scope, sectionId, id, topic) {
        const before = yield* findTopic(scope, sectionId, id)
        const row = {
          ...before,
          topic: yield* orUnavailable(encodeTopic(topic)),
          updated: yield* Clock.currentTimeMillis
        }
        yield* putTopic(row)
        return yield* topicRecord(row)
      }, transaction),
      archiveTopic: Effect.fnUntraced(function*(scope, sectionId, id) {
        yield* putTopic({ ...(yield* findTopic(scope, sectionId, id)), archived: true })
      }, transaction),
      publish: Effect.fnUntraced(function*(scope, settings) {
        const id = yield* newPageId
        const publishedAt = yield* Clock.currentTimeMillis
        const page = PreferenceSnapshot.toText(settings, yield* sections(scope))
        const before = yield* read((state) => Option.getOrUndefined(HashMap.get(state.preferences.pages, scope)))
        const version = Math.max(publishedAt, (before?.version ?? 0) + 1)
        yield* change(({ pages }) => ({ pages: HashMap.set(pages, scope, { version, page }) }))
        return { id, publishedAt, version }
      }, transaction),
      published: Effect.fnUntraced(function*(scope) {
        const found = yield* read((state) => HashMap.get(state.preferences.pages, scope))
        return Option.isNone(found)
          ? Option.none()
          : Option.some(yield* orUnavailable(PreferenceSnapshot.fromText(found.value.page)))
      }),
      resolve: Effect.fnUntraced(function*(scope, id) {
        const row = yield* read((state) => HashMap.get(state.preferences.topics, nameOf(scope, id)))
        if (Option.isNone(row)) return Option.none()
        const record = yield* topicRecord(row.value)
        const found = yield* read((state) => HashMap.get(state.preferences.sections, nameOf(scope, record.sectionId)))
        const section = Option.isNone(found) ? undefined : yield* orUnavailable(decodeSection(found.value.section))
        return Option.some({ ...record, section })
      })
    })
  })
)
