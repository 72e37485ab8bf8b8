import { PreferenceSection, PreferenceTopic } from "#schemas/Preferences.ts"
import type { PageSettings, PublishedCatalogue, SectionRecord } from "#src/people/PreferenceCatalogue.ts"
import { Effect, Schema } from "effect"

const Topic = Schema.Struct({
  id: Schema.String,
  sectionId: Schema.String,
  topic: PreferenceTopic,
  created: Schema.Number,
  updated: Schema.Number
})

const Section = Schema.Struct({
  id: Schema.String,
  section: PreferenceSection,
  topics: Schema.Array(Topic),
  created: Schema.Number,
  updated: Schema.optionalKey(Schema.Number)
})

const decode = Schema.decodeEffect(Schema.fromJsonString(Schema.Struct({
  brandId: Schema.optionalKey(Schema.String),
  heading: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  sections: Schema.Array(Section)
})))

/** The form in which stores keep a published page. */
export const toText = (settings: PageSettings, sections: ReadonlyArray<SectionRecord>): string =>
  JSON.stringify({ ...settings, sections })

export const fromText = (text: string): Effect.Effect<PublishedCatalogue, Schema.SchemaError> =>
  Effect.map(decode(text), ({ brandId, description, heading, sections }) => ({
    brandId,
    heading,
    description,
    sections: sections.map(({ updated, ...section }) => ({ ...section, updated }))
  }))
