import type { TopicSetting } from "#schemas/Preferences.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/** Whose preferences: a user's, inside a tenant or (`undefined`) outside of any. */
export interface Owner {
  readonly scope: Scope
  readonly userId: UserId
  readonly tenantId: string | undefined
}

/** A user's setting for one topic. */
export interface TopicOverride {
  readonly topicId: string
  readonly setting: TopicSetting
}

/** A user's settings for one topic that count for a message: inside its tenant, and outside of any. */
export interface TopicOverrides {
  readonly topicId: string
  readonly inTenant: TopicSetting | undefined
  readonly own: TopicSetting | undefined
}

/** Users' settings for topics (api.md 10.3). Each write is one atomic change, and does not check whether the topic exists. */
export class UserPreferences extends Context.Service<UserPreferences, {
  /** For a send. Batched: calls of one turn of the event loop share a statement. */
  readonly find: (owner: Owner, topicId: string) => Effect.Effect<TopicOverrides, StoreUnavailable>
  /** Creates or replaces these settings; others stay. If a topic is named twice, the last one counts. */
  readonly put: (owner: Owner, overrides: ReadonlyArray<TopicOverride>) => Effect.Effect<void, StoreUnavailable>
  /**
   * The same, but fields that a setting leaves out, such as its channels, stay as they are stored: two concurrent
   * writes of different fields both count.
   */
  readonly merge: (owner: Owner, overrides: ReadonlyArray<TopicOverride>) => Effect.Effect<void, StoreUnavailable>
  /**
   * Replaces the owner's settings of these topics; those of others, such as archived ones, stay. Answers the topics whose
   * setting was removed, ordered by id.
   */
  readonly replace: (
    owner: Owner,
    overrides: ReadonlyArray<TopicOverride>,
    topicIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
  /** Idempotent. */
  readonly remove: (owner: Owner, topicId: string) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/UserPreferences") {}
