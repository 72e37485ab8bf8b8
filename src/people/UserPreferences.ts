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

/** What a user said of one topic. */
export interface TopicOverride {
  readonly topicId: string
  readonly setting: TopicSetting
}

/** What counts for a message of a topic: what its user said of it inside the tenant, and outside of any. */
export interface TopicOverrides {
  readonly topicId: string
  readonly inTenant: TopicSetting | undefined
  readonly own: TopicSetting | undefined
}

/**
 * What users said of topics, inside a tenant and (`tenantId` is `undefined`) outside of any (api.md 10.3). Each write is
 * one atomic change; it does not ask whether the topic exists.
 */
export class UserPreferences extends Context.Service<UserPreferences, {
  /** For a send. Batched: calls of one turn of the event loop share a statement. */
  readonly find: (
    scope: Scope,
    userId: UserId,
    tenantId: string | undefined,
    topicId: string
  ) => Effect.Effect<TopicOverrides, StoreUnavailable>
  /** Creates or replaces these; others stay. Of a topic named twice the last counts. */
  readonly put: (
    scope: Scope,
    userId: UserId,
    tenantId: string | undefined,
    overrides: ReadonlyArray<TopicOverride>
  ) => Effect.Effect<void, StoreUnavailable>
  /** The same, but what a setting leaves out, as its channels, stays as it is stored: of two who say different things at once, both are heard. */
  readonly merge: (
    scope: Scope,
    userId: UserId,
    tenantId: string | undefined,
    overrides: ReadonlyArray<TopicOverride>
  ) => Effect.Effect<void, StoreUnavailable>
  /** These are all there are from now on. Answers the topics of those that are gone, in the order of their ids. */
  readonly replace: (
    scope: Scope,
    userId: UserId,
    tenantId: string | undefined,
    overrides: ReadonlyArray<TopicOverride>
  ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
  /** Idempotent. */
  readonly remove: (
    scope: Scope,
    userId: UserId,
    tenantId: string | undefined,
    topicId: string
  ) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/UserPreferences") {}
