import type { MessageId } from "#schemas/MessageId.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect } from "effect"

/** A message in a user's in-app inbox. Times in epoch ms. */
export interface InboxMessage {
  readonly messageId: MessageId
  readonly rendered: Rendered
  readonly tenantId: string | undefined
  readonly createdAt: number
  readonly expiresAt: number | undefined
}

/** What the in-app channel delivered and what has not expired, newest first. The journal writes it. */
export class Inbox extends Context.Service<Inbox, {
  readonly list: (
    scope: Scope,
    userId: UserId,
    options: PageQuery
  ) => Effect.Effect<Page<InboxMessage>, InvalidCursor | StoreUnavailable>
  /** Deletes up to `limit` messages that have expired; answers how many. */
  readonly sweep: (limit: number) => Effect.Effect<number, StoreUnavailable>
}>()("tidings/Inbox") {}
