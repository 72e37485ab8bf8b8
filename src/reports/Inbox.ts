import type { MessageId } from "#schemas/MessageId.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** The message is not in the user's inbox, or not any more: 404. */
export class InboxItemNotFound
  extends Schema.TaggedError<InboxItemNotFound>()("InboxItemNotFound", { id: Schema.String })
{}

/** Since when its user has read an item, opened it and put it away, in epoch ms; `undefined`: not, or not any more. */
export interface Marks {
  readonly readAt: number | undefined
  readonly openedAt: number | undefined
  readonly archivedAt: number | undefined
}

export const unmarked: Marks = { readAt: undefined, openedAt: undefined, archivedAt: undefined }

/** A message in a user's in-app inbox. Times in epoch ms. */
export interface InboxMessage extends Marks {
  readonly messageId: MessageId
  readonly rendered: Rendered
  readonly tenantId: string | undefined
  readonly createdAt: number
  readonly expiresAt: number | undefined
}

/** What is to be marked, and what no longer; what is `undefined` stays. A mark that is there keeps its time. */
export interface Marking {
  readonly read?: boolean | undefined
  readonly opened?: boolean | undefined
  readonly archived?: boolean | undefined
}

/** Which items are listed, and which page of them. */
export interface InboxQuery extends PageQuery {
  /** `undefined`: read or not. */
  readonly isRead?: boolean | undefined
  readonly isArchived?: boolean | undefined
}

/** What of a query a cursor belongs to, besides its user. A plain list has none: cursors of before there were any go on. */
export const filtersOf = ({ isArchived = false, isRead }: InboxQuery): ReadonlyArray<boolean | null> =>
  isArchived || isRead !== undefined ? [isArchived, isRead ?? null] : []

/** So many unread items are counted at most: nobody reads a larger number on a badge, and counting costs time. */
export const mostUnread = 100

/** What the in-app channel delivered and what has not expired, newest first. The journal writes it. */
export class Inbox extends Context.Service<Inbox, {
  readonly list: (
    scope: Scope,
    userId: UserId,
    options: InboxQuery
  ) => Effect.Effect<Page<InboxMessage>, InvalidCursor | StoreUnavailable>
  /** How many are neither read nor archived: `mostUnread` stands for as many, or more. */
  readonly unread: (scope: Scope, userId: UserId) => Effect.Effect<number, StoreUnavailable>
  /** Marks one, at this time. */
  readonly mark: (
    scope: Scope,
    userId: UserId,
    id: MessageId,
    marking: Marking
  ) => Effect.Effect<InboxMessage, InboxItemNotFound | StoreUnavailable>
  /** Marks all that are not archived, or of these only what is read or what is not. */
  readonly markAll: (
    scope: Scope,
    userId: UserId,
    marking: Marking,
    isRead: boolean | undefined
  ) => Effect.Effect<void, StoreUnavailable>
  /** Deletes up to `limit` messages that have expired; answers how many. */
  readonly sweep: (limit: number) => Effect.Effect<number, StoreUnavailable>
}>()("tidings/Inbox") {}
