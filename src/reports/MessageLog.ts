import type { Attempt } from "#schemas/Attempt.ts"
import type { Kind } from "#schemas/DeliveryError.ts"
import type { ExpansionState } from "#schemas/Expansion.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { KeyState, Scope } from "#schemas/Scope.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Reason, Status } from "#schemas/Status.ts"
import type { RequestRecord } from "#src/delivery/Expansion.ts"
import type { MessageNotFound } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** The kinds of failure after which a call is retried. */
export const transient: ReadonlyArray<Kind> = ["RateLimited", "Unavailable", "Unknown"]

/** A message as readers see it (api.md §4, MessageDetails). Times in epoch ms, each the first of its kind. */
export interface MessageRecord {
  readonly id: MessageId
  readonly requestId: MessageId
  readonly status: Status
  readonly reason: Reason | undefined
  readonly error: string | undefined
  readonly event: string
  readonly template: string
  readonly recipient: string
  /** The user that it is for. `undefined` if it is for an address, which may look just like a user's id. */
  readonly userId: string | undefined
  readonly tenantId: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly traceId: string | undefined
  readonly enqueued: number
  readonly sent: number | undefined
  readonly delivered: number | undefined
  readonly opened: number | undefined
  readonly clicked: number | undefined
  readonly canceledAt: number | undefined
  /**
   * A call that failed, or that was not made after all, will be retried. `false` for a message that was sent and waits
   * only for its escalation.
   */
  readonly willRetry: boolean
  readonly archived: boolean
}

/** A message and all calls that were made for it. */
export interface Snapshot {
  readonly record: MessageRecord
  readonly attempts: ReadonlyArray<Attempt>
}

/** Messages that were read together. `unreadable`: another version wrote them. */
export interface Snapshots {
  readonly snapshots: ReadonlyArray<Snapshot>
  readonly unreadable: ReadonlyArray<MessageId>
}

/** The filters of GET /messages: all must hold; the members of an array are alternatives. */
export interface MessageQuery extends PageQuery {
  readonly archived: boolean
  /** Epoch ms: leaves out what was enqueued before it. */
  readonly enqueuedAfter: number | undefined
  readonly event: string | undefined
  readonly list: string | undefined
  readonly messageId: string | undefined
  readonly notification: string | undefined
  readonly providers: ReadonlyArray<string>
  /** A user's id, or an address as its caller wrote it. */
  readonly recipient: string | undefined
  /** A user's id alone: nothing that was sent to an address. */
  readonly userId: string | undefined
  readonly statuses: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly tenantId: string | undefined
  /** The caller's `metadata.trace_id`, or a request's id. */
  readonly traceId: string | undefined
}

/** No such request: 404. */
export class RequestNotFound extends Schema.TaggedError<RequestNotFound>()("RequestNotFound", { id: Schema.String }) {}

/** What POST /messages/:id/resend runs again. */
export interface Original {
  readonly keyState: KeyState
  readonly recipient: Recipient
  readonly instructions: Instructions
}

/** Reads what the journal wrote. Newest first; cursors are opaque, sealed, and stable while others write. */
export class MessageLog extends Context.Service<MessageLog, {
  readonly get: (scope: Scope, id: MessageId) => Effect.Effect<MessageRecord, MessageNotFound | StoreUnavailable>
  /**
   * A page may be short, or even empty, and still have a cursor: one page does not search everything for rare messages.
   */
  readonly list: (
    scope: Scope,
    query: MessageQuery
  ) => Effect.Effect<Page<MessageRecord>, InvalidCursor | StoreUnavailable>
  readonly attempts: (scope: Scope, id: MessageId) => Effect.Effect<ReadonlyArray<Attempt>, StoreUnavailable>
  /** Some hundreds of messages at once, as far as they exist, in any order. */
  readonly snapshots: (scope: Scope, ids: ReadonlyArray<MessageId>) => Effect.Effect<Snapshots, StoreUnavailable>
  /** Oldest first, ENQUEUED included. */
  readonly history: (
    scope: Scope,
    id: MessageId
  ) => Effect.Effect<ReadonlyArray<HistoryEvent>, MessageNotFound | StoreUnavailable>
  readonly original: (scope: Scope, id: MessageId) => Effect.Effect<Original, MessageNotFound | StoreUnavailable>
  /** Requests to many recipients; with `state`, only those in that state. */
  readonly requests: (
    scope: Scope,
    query: PageQuery & { readonly state: ExpansionState | undefined }
  ) => Effect.Effect<Page<RequestRecord>, InvalidCursor | StoreUnavailable>
  /** Hides a request's messages from the default list. Idempotent. */
  readonly archive: (scope: Scope, requestId: MessageId) => Effect.Effect<void, RequestNotFound | StoreUnavailable>
}>()("tidings/MessageLog") {}
