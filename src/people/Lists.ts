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
 * subscriptions; it and they are back when it is restored, or written again. Pages are in the order of ids, so that
 * nobody is passed over or met twice while others write.
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
  /** Whether it was deleted: what is there stays as it is. What never was is not found. */
  readonly restore: (scope: Scope, id: string) => Effect.Effect<boolean, ListNotFound | StoreUnavailable>
  readonly subscriptions: (
    scope: Scope,
    id: string,
    query: PageQuery
  ) => Effect.Effect<Page<SubscriptionRecord>, InvalidCursor | ListNotFound | StoreUnavailable>
  /** Adds: who is subscribed stays as he is. Creates the list, under its id as its name. */
  readonly subscribe: (
    scope: Scope,
    id: ListId,
    subscriptions: ReadonlyArray<NewSubscription>
  ) => Effect.Effect<void, StoreUnavailable>
  /** These and no others; who was subscribed keeps his date. Creates the list. */
  readonly replaceSubscriptions: (
    scope: Scope,
    id: ListId,
    subscriptions: ReadonlyArray<NewSubscription>
  ) => Effect.Effect<void, StoreUnavailable>
  /** Subscribes one user or replaces his preferences. Creates the list. */
  readonly putSubscription: (
    scope: Scope,
    id: ListId,
    subscription: NewSubscription
  ) => Effect.Effect<void, StoreUnavailable>
  readonly removeSubscription: (
    scope: Scope,
    id: string,
    userId: UserId
  ) => Effect.Effect<void, ListNotFound | SubscriptionNotFound | StoreUnavailable>
  /** The lists that the user is subscribed to, each with the preferences of his subscription. */
  readonly listsOf: (
    scope: Scope,
    userId: UserId,
    query: PageQuery
  ) => Effect.Effect<Page<ListRecord>, InvalidCursor | StoreUnavailable>
  /**
   * Subscribes the user to every list, creating those that are missing; preferences that are not given stay. Of a list named twice the last
   * that are given count.
   */
  readonly join: (
    scope: Scope,
    userId: UserId,
    memberships: ReadonlyArray<Membership>
  ) => Effect.Effect<void, StoreUnavailable>
  /** Ends every subscription of the user. */
  readonly leave: (scope: Scope, userId: UserId) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/Lists") {}
