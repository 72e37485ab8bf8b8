import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { SectionRecord } from "#src/people/PreferenceCatalogue.ts"
import type { Owner, TopicOverride } from "#src/people/UserPreferences.ts"
import { Context, type Effect } from "effect"

/** The topics that a user has set, with all that is needed to show them. */
export interface Overridden {
  /**
   * The settings stored for this owner, inside the tenant or outside of any, ordered by the topics' ids. Includes
   * topics that are archived or unknown.
   */
  readonly overrides: ReadonlyArray<TopicOverride>
  /** The user's legacy preferences, by notification and category. */
  readonly legacy: RecipientPreferences | undefined
  /** The catalogue, as it was at some moment since the call. The same object for as long as it does not change. */
  readonly sections: ReadonlyArray<SectionRecord>
}

/** Reads at once all that the list of a user's topics needs (api.md 10.3). */
export class OverriddenTopics extends Context.Service<OverriddenTopics, {
  /** Batched: calls of one turn of the event loop share a statement. */
  readonly of: (owner: Owner) => Effect.Effect<Overridden, StoreUnavailable>
}>()("tidings/OverriddenTopics") {}
