import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { mostSections, mostTopics, PreferenceSection, PreferenceTopic } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as TypeId from "#src/access/TypeId.ts"
import {
  CatalogueFull,
  type PageSettings,
  PreferenceCatalogue,
  SectionNotEmpty,
  SectionNotFound,
  type SectionRecord,
  TopicNotFound,
  type TopicRecord
} from "#src/people/PreferenceCatalogue.ts"
import * as PreferenceSnapshot from "#src/people/PreferenceSnapshot.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const sectionText = Schema.fromJsonString(PreferenceSection)
const topicText = Schema.fromJsonString(PreferenceTopic)
const encodeSection = Schema.encodeEffect(sectionText)
const encodeTopic = Schema.encodeEffect(topicText)

const Section = Schema.Struct({
  id: Schema.String,
  section: sectionText,
  created: Schema.Number,
  updated: Schema.NullOr(Schema.Number)
})
const Topic = Schema.Struct({
  id: Schema.String,
  sectionId: Schema.String,
  topic: topicText,
  created: Schema.Number,
  updated: Schema.Number
})
const decodeSections = Schema.decodeUnknownEffect(Schema.Array(Section))
const decodeTopics = Schema.decodeUnknownEffect(Schema.Array(Topic))
type Decode<A> = (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, Schema.SchemaError>
const decodePages = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ page: Schema.String })))
const decodeVersion = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ version: Schema.Number })]))

const sectionColumns = `id, section, created_at::float8 as created, updated_at::float8 as updated`
const topicColumns =
  `id, section_id as "sectionId", topic, created_at::float8 as created, updated_at::float8 as updated`

const records = (
  sections: ReadonlyArray<typeof Section.Type>,
  topics: ReadonlyArray<TopicRecord>
): ReadonlyArray<SectionRecord> => {
  const of = Map.groupBy(topics, ({ sectionId }) => sectionId)
  return sections.map(({ updated, ...section }) => ({
    ...section,
    updated: updated ?? undefined,
    topics: of.get(section.id) ?? []
  }))
}

/** The kind under which changes of sections and topics are counted in the table `revisions`. */
export const revisionKind = "preferences"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const newSectionId = yield* TypeId.generator("ps")
  const newTopicId = yield* TypeId.generator("pt")
  const newPageId = yield* TypeId.generator("pp")
  const revisions = yield* Revisions.make(revisionKind)

  const lookup = (sectionsOf: Decode<typeof Section.Type>, topicsOf: Decode<typeof Topic.Type>) => {
    const load = Effect.fnUntraced(function*(scope: Scope) {
      const found = yield* sql`select ${sql.literal(sectionColumns)} from preference_sections
        where scope = ${scope} and not archived order by created_at, id`
      const topics = yield* sql`select ${sql.literal(topicColumns)} from preference_topics
        where scope = ${scope} and not archived order by created_at, id`
      return [scope, records(yield* sectionsOf(found), yield* topicsOf(topics))] as const
    })
    return Lookups.make(Effect.fnUntraced(function*(asked: ReadonlyArray<Scope>) {
      const loaded = new Map(yield* Effect.forEach(new Set(asked), load))
      return asked.map((scope) => loaded.get(scope) ?? [])
    }))
  }
  const listedTopics = Readable.listed("topic of preferences", Topic)
  const sections: PreferenceCatalogue["Service"]["sections"] = yield* lookup(
    Readable.listed("section of preferences", Section),
    listedTopics
  )
  const whole: PreferenceCatalogue["Service"]["whole"] = yield* lookup(decodeSections, decodeTopics)

  const section = Effect.fnUntraced(function*(scope: Scope, id: string) {
    const found = yield* sql`select ${sql.literal(sectionColumns)} from preference_sections
      where scope = ${scope} and id = ${id} and not archived`
    const topics = yield* sql`select ${sql.literal(topicColumns)} from preference_topics
      where scope = ${scope} and section_id = ${id} and not archived order by created_at, id`
    const record = Array.head(records(yield* decodeSections(found), yield* listedTopics(topics)))
    return Option.isSome(record) ? record.value : yield* new SectionNotFound({ id })
  }, orUnavailable)

  /** To be asked once the change has bumped the revision, whose row lets one change of a scope commit after the other. */
  const withinLimit = Effect.fnUntraced(function*(scope: Scope, of: "sections" | "topics", most: number) {
    const more = yield* sql`select 1 from ${sql(`preference_${of}`)} where scope = ${scope} and not archived
      offset ${most}::int limit 1`
    if (more.length > 0) return yield* new CatalogueFull({ of })
  })

  const createSection: PreferenceCatalogue["Service"]["createSection"] = Effect.fnUntraced(
    function*(scope, given) {
      const id = yield* newSectionId
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into preference_sections (scope, id, section, created_at)
        values (${scope}, ${id}, ${yield* encodeSection(given)}, ${now})`
      yield* revisions.bump(scope)
      yield* withinLimit(scope, "sections", mostSections)
      return { id, section: given, topics: [], created: now, updated: undefined }
    },
    sql.withTransaction,
    orUnavailable
  )

  const replaceSection: PreferenceCatalogue["Service"]["replaceSection"] = Effect.fnUntraced(
    function*(scope, id, given) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* sql`update preference_sections set section = ${yield* encodeSection(
        given
      )}, updated_at = ${now}
        where scope = ${scope} and id = ${id} and not archived returning 1`
      if (found.length === 0) return yield* new SectionNotFound({ id })
      yield* revisions.bump(scope)
      return yield* section(scope, id)
    },
    sql.withTransaction,
    orUnavailable
  )

  // The section is locked first. Creating a topic in it holds a shared lock until its commit, and so is seen here.
  const archiveSection: PreferenceCatalogue["Service"]["archiveSection"] = Effect.fnUntraced(
    function*(scope, id) {
      const found = yield* sql`select 1 from preference_sections
        where scope = ${scope} and id = ${id} and not archived for update`
      if (found.length === 0) return yield* new SectionNotFound({ id })
      const topics = yield* sql`select 1 from preference_topics
        where scope = ${scope} and section_id = ${id} and not archived limit 1`
      if (topics.length > 0) return yield* new SectionNotEmpty({ id })
      yield* sql`update preference_sections set archived = true where scope = ${scope} and id = ${id}`
      yield* revisions.bump(scope)
    },
    sql.withTransaction,
    orUnavailable
  )

  const existing = Effect.fnUntraced(function*(scope: Scope, id: string) {
    const found = yield* sql`select 1 from preference_sections
      where scope = ${scope} and id = ${id} and not archived for key share`
    if (found.length === 0) return yield* new SectionNotFound({ id })
  })

  /** The topic in the only row of a result; `TopicNotFound` if there is no row. */
  const only = Effect.fnUntraced(function*(rows: ReadonlyArray<unknown>, id: string) {
    const row = Array.head(yield* decodeTopics(rows))
    return Option.isSome(row) ? row.value : yield* new TopicNotFound({ id })
  })

  const topic: PreferenceCatalogue["Service"]["topic"] = Effect.fnUntraced(
    function*(scope, sectionId, id) {
      yield* existing(scope, sectionId)
      return yield* only(
        yield* sql`select ${sql.literal(topicColumns)} from preference_topics
          where scope = ${scope} and id = ${id} and section_id = ${sectionId} and not archived`,
        id
      )
    },
    sql.withTransaction,
    orUnavailable
  )

  const createTopic: PreferenceCatalogue["Service"]["createTopic"] = Effect.fnUntraced(
    function*(scope, sectionId, given) {
      yield* existing(scope, sectionId)
      const id = yield* newTopicId
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into preference_topics (scope, id, section_id, topic, created_at, updated_at)
        values (${scope}, ${id}, ${sectionId}, ${yield* encodeTopic(given)}, ${now}, ${now})`
      yield* revisions.bump(scope)
      yield* withinLimit(scope, "topics", mostTopics)
      return { id, sectionId, topic: given, created: now, updated: now }
    },
    sql.withTransaction,
    orUnavailable
  )

  const replaceTopic: PreferenceCatalogue["Service"]["replaceTopic"] = Effect.fnUntraced(
    function*(scope, sectionId, id, given) {
      yield* existing(scope, sectionId)
      const now = yield* Clock.currentTimeMillis
      const replaced = yield* only(
        yield* sql`update preference_topics set topic = ${yield* encodeTopic(given)}, updated_at = ${now}
          where scope = ${scope} and id = ${id} and section_id = ${sectionId} and not archived
          returning ${sql.literal(topicColumns)}`,
        id
      )
      yield* revisions.bump(scope)
      return replaced
    },
    sql.withTransaction,
    orUnavailable
  )

  const archiveTopic: PreferenceCatalogue["Service"]["archiveTopic"] = Effect.fnUntraced(
    function*(scope, sectionId, id) {
      yield* existing(scope, sectionId)
      const found = yield* sql`update preference_topics set archived = true
        where scope = ${scope} and id = ${id} and section_id = ${sectionId} and not archived returning 1`
      if (found.length === 0) return yield* new TopicNotFound({ id })
      yield* revisions.bump(scope)
    },
    sql.withTransaction,
    orUnavailable
  )

  const publish: PreferenceCatalogue["Service"]["publish"] = Effect.fnUntraced(
    function*(scope: Scope, settings: PageSettings) {
      const id = yield* newPageId
      const now = yield* Clock.currentTimeMillis
      yield* sql`select pg_advisory_xact_lock(hashtextextended('preference_pages', ${scope}))`
      // What would be left out of a list fails this: a page without a topic would say that there is none.
      const page = PreferenceSnapshot.toText(settings, yield* whole(scope))
      const [{ version }] = yield* sql`insert into preference_pages (scope, version, id, page, published_at)
        select ${scope}, greatest(${now}::bigint, coalesce(max(version), 0) + 1), ${id}, ${page}, ${now}
        from preference_pages where scope = ${scope} returning version::float8 as version`.pipe(
        Effect.flatMap(decodeVersion)
      )
      // Nobody is shown an earlier one.
      yield* sql`delete from preference_pages where scope = ${scope} and version < ${version}::bigint`
      return { id, publishedAt: now, version }
    },
    sql.withTransaction,
    orUnavailable
  )

  const published: PreferenceCatalogue["Service"]["published"] = Effect.fnUntraced(function*(scope) {
    const rows = yield* sql`select page from preference_pages where scope = ${scope} order by version desc limit 1`
    const [row] = yield* decodePages(rows)
    return row === undefined ? Option.none() : Option.some(yield* PreferenceSnapshot.fromText(row.page))
  }, orUnavailable)

  const resolve = revisions.remembering(Effect.fnUntraced(function*(scope, id) {
    const found = yield* sql`select ${sql.literal(topicColumns)} from preference_topics
      where scope = ${scope} and id = ${id}`
    const topic = Array.head(yield* decodeTopics(found))
    if (Option.isNone(topic)) return Option.none()
    const sections = yield* sql`select ${sql.literal(sectionColumns)} from preference_sections
      where scope = ${scope} and id = ${topic.value.sectionId} and not archived`
    const [section] = yield* decodeSections(sections)
    return Option.some({ ...topic.value, section: section?.section })
  }, orUnavailable))

  return PreferenceCatalogue.of({
    sections,
    whole,
    section,
    createSection,
    replaceSection,
    archiveSection,
    topic,
    createTopic,
    replaceTopic,
    archiveTopic,
    publish,
    published,
    resolve
  })
})

export const layer = Layer.effect(PreferenceCatalogue, make)
