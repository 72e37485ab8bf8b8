import type { ListId } from "#schemas/List.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import type { ListPattern } from "#src/people/ListPattern.ts"
import { Context, type Effect, Schema } from "effect"

/** No such list, or a deleted one: 404. */
export class ListNotFound extends Schema.TaggedError<ListNotFound>()("ListNotFound", { id: Schema.String }) {}

/** The user is not subscribed to the list: 404. */
export class SubscriptionNotFound extends Schema.TaggedError<SubscriptionNotFound>()("SubscriptionNotFound", {
  listId: Schema.String,
  userId: Schema.String
}) {}

/** Times in epoch ms. */
export interface ListRecord {
  readonly id: string
  readonly name: string
  readonly preferences: RecipientPreferences | undefined
  readonly created: number
  readonly updated: number
}

export interface NewSubscription {
  readonly userId: UserId
  readonly preferences: RecipientPreferences | undefined
}

/** `created` in epoch ms. */
export interface SubscriptionRecord {
  readonly userId: string
  readonly preferences: RecipientPreferences | undefined
  readonly created: number
}

export interface Membership {
  readonly listId: ListId
  readonly preferences: RecipientPreferences | undefined
}

/**
 * Lists and who is subscribed to them (api.md §7). Each write is one atomic change. A deleted list keeps its
 * subscriptions: both are back once it is restored or written again. Pages are ordered by id, so that nobody is skipped
 * or repeated while others write.
 */
export class Lists extends Context.Service<Lists, {
  /** Creates, or replaces name and preferences. */
  readonly put: (
    scope: Scope,
    id: ListId,
    list: { readonly name: string; readonly preferences: RecipientPreferences | undefined }
  ) => Effect.Effect<void, StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<ListRecord, ListNotFound | StoreUnavailable>
  readonly list: (
    scope: Scope,
    query: PageQuery & { readonly pattern: ListPattern | undefined }
  ) => Effect.Effect<Page<ListRecord>, InvalidCursor | StoreUnavailable>
  readonly remove: (scope: Scope, id: string) => Effect.Effect<void, ListNotFound | StoreUnavailable>
  /**
   * Restores a deleted list, and answers whether it was deleted. A list that is not deleted stays as it is; one that
   * never existed is not found.
   */
  readonly restore: (scope: Scope, id: string) => Effect.Effect<boolean, ListNotFound | StoreUnavailable>
  readonly subscriptions: (
    scope: Scope,
    id: string,
    query: PageQuery
  ) => Effect.Effect<Page<SubscriptionRecord>, InvalidCursor | ListNotFound | StoreUnavailable>
  /**
   * Adds subscriptions; users who are subscribed already are left as they are. Creates a missing list, named by its id.
   */
  readonly subscribe: (
    scope: Scope,
    id: ListId,
    subscriptions: ReadonlyArray<NewSubscription>
  ) => Effect.Effect<void, StoreUnavailable>
  /** Replaces all subscriptions; users who were subscribed already keep their `created`. Creates a missing list. */
  readonly replaceSubscriptions: (
    scope: Scope,
    id: ListId,
    subscriptions: ReadonlyArray<NewSubscription>
  ) => Effect.Effect<void, StoreUnavailable>
  /** Subscribes one user, or replaces his preferences. Creates a missing list. */
  readonly putSubscription: (
    scope: Scope,
    id: ListId,
    subscription: NewSubscription
  ) => Effect.Effect<void, StoreUnavailable>
  /** Also from a deleted list, which would bring the subscription back when it is restored. */
  readonly removeSubscription: (
    scope: Scope,
    id: string,
    userId: UserId
  ) => Effect.Effect<void, ListNotFound | SubscriptionNotFound | StoreUnavailable>
  /** The lists that the user is subscribed to, each with the preferences of the user's subscription. */
  readonly listsOf: (
    scope: Scope,
    userId: UserId,
    query: PageQuery
  ) => Effect.Effect<Page<ListRecord>, InvalidCursor | StoreUnavailable>
  /**
   * Subscribes the user to each of these lists, creating missing ones. A subscription keeps its preferences if none are
   * given. If a list is named twice, the last given preferences count.
   */
  readonly join: (
    scope: Scope,
    userId: UserId,
    memberships: ReadonlyArray<Membership>
  ) => Effect.Effect<void, StoreUnavailable>
  /** Ends every subscription of the user. */
  readonly leave: (scope: Scope, userId: UserId) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/Lists") {}
