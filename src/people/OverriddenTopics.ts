import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { SectionRecord } from "#src/people/PreferenceCatalogue.ts"
import type { Owner, TopicOverride } from "#src/people/UserPreferences.ts"
import { Context, type Effect } from "effect"

/** What a user said of topics, and what it is held against. */
export interface Overridden {
  /** What was said where the owner's writes go, in the order of the topics' ids; topics that are archived or unknown too. */
  readonly overrides: ReadonlyArray<TopicOverride>
  /** The user's words on notifications and categories. */
  readonly legacy: RecipientPreferences | undefined
  /** The catalogue, as it is or was since one asked; the same object for as long as it does not change. */
  readonly sections: ReadonlyArray<SectionRecord>
}

/** All that the list of a user's topics is made of, in one read (api.md 10.3). */
export class OverriddenTopics extends Context.Service<OverriddenTopics, {
  /** Batched: calls of one turn of the event loop share a statement. */
  readonly of: (owner: Owner) => Effect.Effect<Overridden, StoreUnavailable>
}>()("tidings/OverriddenTopics") {}
