import type { PreferenceSection, PreferenceTopic } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, type Option, Schema } from "effect"

/** No such section: 404. */
export class SectionNotFound extends Schema.TaggedError<SectionNotFound>()("SectionNotFound", { id: Schema.String }) {}

/** No such topic, or not in the section named: 404. */
export class TopicNotFound extends Schema.TaggedError<TopicNotFound>()("TopicNotFound", { id: Schema.String }) {}

/** The section still has topics: 409. */
export class SectionNotEmpty extends Schema.TaggedError<SectionNotEmpty>()("SectionNotEmpty", { id: Schema.String }) {}

/** The environment has as many sections, or topics, as it may have: 400. */
export class CatalogueFull
  extends Schema.TaggedError<CatalogueFull>()("CatalogueFull", { of: Schema.Literals(["sections", "topics"]) })
{}

/** Times in epoch ms. */
export interface TopicRecord {
  readonly id: string
  readonly sectionId: string
  readonly topic: PreferenceTopic
  readonly created: number
  readonly updated: number
}

/** A topic as a send finds it. `section` is `undefined` once it is archived. */
export interface ResolvedTopic extends TopicRecord {
  readonly section: PreferenceSection | undefined
}

/** A section with its topics, oldest first. Times in epoch ms. */
export interface SectionRecord {
  readonly id: string
  readonly section: PreferenceSection
  readonly topics: ReadonlyArray<TopicRecord>
  readonly created: number
  readonly updated: number | undefined
}

/** The look of the hosted page. */
export interface PageSettings {
  readonly brandId: string | undefined
  readonly heading: string | undefined
  readonly description: string | undefined
}

/** The hosted page as it was published. */
export interface PublishedCatalogue extends PageSettings {
  readonly sections: ReadonlyArray<SectionRecord>
}

/** `version` is `publishedAt` (epoch ms), or the next number if that is taken. */
export interface PublishedPage {
  readonly id: string
  readonly publishedAt: number
  readonly version: number
}

type MissingSection = SectionNotFound | StoreUnavailable
type MissingTopic = SectionNotFound | TopicNotFound | StoreUnavailable

/** The workspace's sections and topics (api.md 10.2). Each write is one atomic change. */
export class PreferenceCatalogue extends Context.Service<PreferenceCatalogue, {
  /** Oldest first. What a store holds and cannot read is left out. */
  readonly sections: (scope: Scope) => Effect.Effect<ReadonlyArray<SectionRecord>, StoreUnavailable>
  /** `sections`; a defect if one would be left out. To be asked before a user is told that a topic does not exist. */
  readonly whole: (scope: Scope) => Effect.Effect<ReadonlyArray<SectionRecord>, StoreUnavailable>
  readonly section: (scope: Scope, id: string) => Effect.Effect<SectionRecord, MissingSection>
  /** At most `mostSections`. */
  readonly createSection: (
    scope: Scope,
    section: PreferenceSection
  ) => Effect.Effect<SectionRecord, CatalogueFull | StoreUnavailable>
  /** Replaces it whole: fields that are not given are cleared. Its topics stay. */
  readonly replaceSection: (
    scope: Scope,
    id: string,
    section: PreferenceSection
  ) => Effect.Effect<SectionRecord, MissingSection>
  readonly archiveSection: (scope: Scope, id: string) => Effect.Effect<void, SectionNotEmpty | MissingSection>
  readonly topic: (scope: Scope, sectionId: string, id: string) => Effect.Effect<TopicRecord, MissingTopic>
  /** At most `mostTopics`, in all sections together; archived ones do not count. */
  readonly createTopic: (
    scope: Scope,
    sectionId: string,
    topic: PreferenceTopic
  ) => Effect.Effect<TopicRecord, CatalogueFull | MissingSection>
  /** Whole: what is not given is cleared. */
  readonly replaceTopic: (
    scope: Scope,
    sectionId: string,
    id: string,
    topic: PreferenceTopic
  ) => Effect.Effect<TopicRecord, MissingTopic>
  /** From now on only `resolve` finds the topic. */
  readonly archiveTopic: (scope: Scope, sectionId: string, id: string) => Effect.Effect<void, MissingTopic>
  /** Stores a copy of all sections and topics for the hosted page, with a version higher than any before. */
  readonly publish: (scope: Scope, page: PageSettings) => Effect.Effect<PublishedPage, StoreUnavailable>
  /** The published copy with the highest version. */
  readonly published: (scope: Scope) => Effect.Effect<Option.Option<PublishedCatalogue>, StoreUnavailable>
  /**
   * For a send. Finds archived topics too, since users who opted out of one stay opted out of messages that still name
   * it. As cheap and as fresh as `Templates.resolve`.
   */
  readonly resolve: (scope: Scope, id: string) => Effect.Effect<Option.Option<ResolvedTopic>, StoreUnavailable>
}>()("tidings/PreferenceCatalogue") {}
