import type { SectionRecord, TopicRecord } from "#src/people/PreferenceCatalogue.ts"
import { terms, type TopicTerms } from "#src/people/PreferenceStatements.ts"
import { memoize } from "effect/Function"

/** A topic of the catalogue, with its section. */
export interface ListedTopic {
  readonly record: TopicRecord
  readonly sectionName: string
  readonly terms: TopicTerms
}

/**
 * The topics of a catalogue by their ids. Remembered by the identity of `sections`: callers that read the catalogue at
 * the same time get the same object.
 */
export const of = memoize((sections: ReadonlyArray<SectionRecord>): ReadonlyMap<string, ListedTopic> =>
  new Map(
    sections.flatMap(({ section, topics }) =>
      topics.map((record) =>
        [record.id, { record, sectionName: section.name, terms: terms({ ...record, section }) }] as const
      )
    )
  )
)
