import type { SectionRecord, TopicRecord } from "#src/people/PreferenceCatalogue.ts"
import { terms, type TopicTerms } from "#src/people/PreferenceStatements.ts"

/** A topic of the catalogue, with its section. */
export interface ListedTopic {
  readonly record: TopicRecord
  readonly sectionName: string
  readonly terms: TopicTerms
}

const listed = (sections: ReadonlyArray<SectionRecord>): ReadonlyMap<string, ListedTopic> =>
  new Map(
    sections.flatMap(({ section, topics }) =>
      topics.map((record) =>
        [record.id, { record, sectionName: section.name, terms: terms({ ...record, section }) }] as const
      )
    )
  )

/** Remembered by the identity of `sections`: callers that read the catalogue at the same time get the same object. */
const known = new WeakMap<ReadonlyArray<SectionRecord>, ReadonlyMap<string, ListedTopic>>()

/** The topics of a catalogue by their ids. */
export const of = (sections: ReadonlyArray<SectionRecord>): ReadonlyMap<string, ListedTopic> => {
  const topics = known.get(sections) ?? listed(sections)
  known.set(sections, topics)
  return topics
}
