import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Reason, Status } from "#schemas/Status.ts"
import type { IdempotencyKey, StoredResponse } from "#src/access/Idempotency.ts"
import type { NewExpansion } from "#src/delivery/Expansion.ts"
import type * as Lifecycle from "#src/delivery/Lifecycle.ts"
import type { DueRow, Lane, OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Ticket } from "#src/delivery/Provider.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, Effect, Schema } from "effect"

/** A message as it is accepted, with the columns that readers filter by. Strings hold no NUL. */
export interface NewMessage extends OpenMessage {
  readonly event: string
  readonly template: string
  readonly recipientName: string
  /** The list that the recipient was found in. */
  readonly listId?: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly traceId: string | undefined
  /** What the timeline holds besides ENQUEUED, which is the row itself. */
  readonly events: ReadonlyArray<HistoryEvent>
}

/** A user to be created on the fly if absent (spec.md, What the service does). */
export interface NewProfile {
  readonly scope: Scope
  readonly userId: string
  readonly profile: Schema.JsonObject
}

/** What one POST wants to make durable, all of it or nothing (P1, P5). */
export interface Acceptance {
  readonly key: IdempotencyKey | undefined
  readonly response: StoredResponse
  readonly messages: ReadonlyArray<NewMessage>
  /** A request to many, which becomes messages later. */
  readonly expansion?: NewExpansion | undefined
  readonly profiles: ReadonlyArray<NewProfile>
  /** Epoch ms of the acceptance. */
  readonly at: number
}

/** `replayed`: an earlier request had the key; the response is that one's and nothing was written. */
export interface Accepted {
  readonly response: StoredResponse
  readonly replayed: boolean
}

/** The database refuses this row, and only this one: its neighbours of the flush are stored. */
export class RowRefused extends Schema.TaggedError<RowRefused>()("RowRefused", { cause: Schema.Defect() }) {}

/** A message in the in-app inbox; stored by the settle of its attempt, so it needs no provider call. */
export interface InboxItem {
  readonly userId: string
  readonly tenantId: string | undefined
  readonly rendered: Rendered
  readonly createdAt: number
  /** Nobody sees it from then on. */
  readonly expiresAt: number | undefined
}

/**
 * One step of one message by its owner: a begin, an intent or a settle. It is written whole or not at all, and only
 * while `epoch` is the shard's current one (P2). The status moves by `lifecycle`, one event after the other, if the
 * stored status has those edges (P6); an attempt is inserted as `intent`, or gives the stored intent its outcome. A
 * step repeated after an unknown commit changes nothing and is answered `Written` again; it is recognised by its
 * attempt.
 */
export interface Step {
  /**
   * The tenant of `recipient` becomes the message's, unless it has one (api.md 11); `templateId` becomes the message's,
   * whatever it had. `dueAt` is as it was read: where the second door (`Journal.observe`) has set another one since,
   * that one stays.
   */
  readonly message:
    & Pick<OpenMessage, "id" | "scope" | "shard" | "lane" | "dueAt">
    & Partial<Pick<OpenMessage, "recipient" | "templateId">>
  readonly epoch: number
  readonly at: number
  readonly attempt?: Attempt | undefined
  readonly lifecycle: ReadonlyArray<Lifecycle.Event>
  /**
   * Write nothing at all if the message is closed or its status lacks the edges: no intent for what was cancelled
   * meanwhile.
   */
  readonly conditional: boolean
  /** The statuses that a conditional step is written from; absent: those that have the edges. */
  readonly from?: ReadonlyArray<Status> | undefined
  readonly reason?: Reason | undefined
  readonly error?: string | undefined
  /**
   * Epoch ms of the next step; null: there is none, the message is closed; absent: unchanged. What is closed never
   * opens again.
   */
  readonly dueAt?: number | null | undefined
  /** What `tries` becomes; absent: unchanged. */
  readonly tries?: number | undefined
  /** The timeline's new lines. A RENDERED line that shows the same as the last one of its channel is not kept. */
  readonly events: ReadonlyArray<HistoryEvent>
  readonly inbox?: InboxItem | undefined
  /** Of the attempt's pushes: stored with its outcome, to be asked about later (`PushTickets`). */
  readonly tickets?: ReadonlyArray<Ticket> | undefined
}

/**
 * `Written`: with the status it left. `Refused`: it was conditional, and the message was closed or lacked the edge.
 * `Fenced`: another owner has the shard.
 */
export type StepResult =
  | {
    readonly _tag: "Written"
    readonly status: Status
    /**
     * A monotonic time before the commit: the commit proves that the shard was still its owner's at some moment after
     * it.
     */
    readonly provenAtNanos: bigint
    /**
     * Epoch ms. The second door has changed the message since it was read: it stays open, and is due again at this
     * time.
     */
    readonly stirred?: number | undefined
  }
  | { readonly _tag: "Refused" }
  | { readonly _tag: "Fenced" }

/**
 * A bounded look at what is due in the owned shards: ready rows (`dueAt` 0) by turns (`LaneShares.turnOf`), each of
 * which gets its share of the limit, the oldest first; and the most overdue timed rows, by turns as well if there are
 * more than the limit. A ready row does not pass an older unread one of its recipient and lane (P3).
 */
export interface Window {
  /** `takenAtSeq`: rows up to this `seq` were there when the owner took the shard. */
  readonly shards: ReadonlyArray<{ readonly shard: number; readonly takenAtSeq: number }>
  /** Only this lane; absent: both, each with its own limit. */
  readonly lane?: Lane | undefined
  readonly now: number
  /** Messages already in this owner's hands. */
  readonly held: ReadonlyArray<MessageId>
  /** Recipients whose mailboxes are full. */
  readonly fullMailboxes: ReadonlyArray<string>
  /** Turns that hold so much in hand that nothing is read for them. */
  readonly fullTurns: ReadonlyArray<string>
  /** Only ready rows of turns behind this one; absent: from the first turn on. */
  readonly after?: string | undefined
  /** The same for timed rows. */
  readonly timedAfter?: string | undefined
  /** Turns that are held up, as the last look left them (`Due.heldUp`). */
  readonly heldUp?: Due["heldUp"] | undefined
  /** At most so many ready rows, and as many timed rows. */
  readonly limit: number
  /**
   * Ready rows are read until what callers said in them is more than this, timed rows likewise; one of each at least,
   * however large.
   */
  readonly bytes: number
}

/** What a look found. */
export interface Due {
  readonly rows: ReadonlyArray<DueRow>
  /** Nothing due was left out by `limit` or `bytes`. */
  readonly complete: boolean
  /** The last turn that was looked at for ready rows, if there are turns behind it. */
  readonly upTo: string | undefined
  /** The same for timed rows. */
  readonly timedUpTo: string | undefined
  /** Turns of which more ready rows wait for others than one look passes, and up to which `seq` they were passed. */
  readonly heldUp: ReadonlyMap<string, number>
  /** Epoch ms of the earliest timed row after `now`; looked up only if the look is `complete`. */
  readonly next: number | undefined
}

/** An event that comes through the second door (`Journal.observe`), and the entry that it leaves in the timeline. */
export interface Observed {
  readonly scope: Scope
  readonly id: MessageId
  readonly event: Lifecycle.Event
  readonly history: HistoryEvent
  readonly reason?: Reason | undefined
  /** The provider's own id of the event: once stored, the event changes nothing more. Holds no NUL. */
  readonly eventId?: string | undefined
  /**
   * The provider call that the event is evidence for. While its outcome is `intent` or `unknown` it becomes `accepted`,
   * so that it is not made again. Strings hold no NUL.
   */
  readonly call?: {
    /** The names under which calls through this configuration are stored. */
    readonly providers: ReadonlyArray<string>
    readonly number?: number | undefined
    readonly reference?: string | undefined
  } | undefined
}

/**
 * What a second-door event found and left. `applied`: the event moved the status. `inFlight`: a provider call without
 * outcome exists. `repeated`: it was stored before. `provider`: the name under which the call that it means is stored.
 */
export interface Observation {
  readonly before: Status
  readonly after: Status
  readonly applied: boolean
  readonly inFlight: boolean
  readonly repeated: boolean
  readonly provider: string | undefined
}

/** No such message: 404. */
export class MessageNotFound extends Schema.TaggedError<MessageNotFound>()("MessageNotFound", { id: Schema.String }) {}

/** A shard as its new owner finds it: rows up to `seq` were there before. */
export interface Ownership {
  readonly shard: number
  readonly epoch: number
  readonly seq: number
}

/**
 * The only writer of messages, attempts and history (design.md §3). Callers wait for the flush that holds their row;
 * there is no timer: a flush starts when a writer is free. Ids are made by the caller, so a flush repeated after an
 * unknown commit changes nothing.
 */
export class Journal extends Context.Service<Journal, {
  readonly accept: (acceptance: Acceptance) => Effect.Effect<Accepted, RowRefused | StoreUnavailable>
  readonly record: (step: Step) => Effect.Effect<StepResult, RowRefused | StoreUnavailable>
  /**
   * The second door: a cancel, a receipt or an open may come on any node. Locks the message row and applies the
   * lifecycle table to the stored status, whatever the epoch.
   */
  readonly observe: (observed: Observed) => Effect.Effect<Observation, MessageNotFound | StoreUnavailable>
  /**
   * Some dozens of events in their order; what became of each. One of an unknown message has no effect (`undefined`).
   * After a `StoreUnavailable` some may be stored.
   */
  readonly observeAll: (
    events: ReadonlyArray<Observed>
  ) => Effect.Effect<ReadonlyArray<Observation | undefined>, StoreUnavailable>
  /** A new epoch for the shard: from here on no write of an earlier owner is taken. */
  readonly take: (shard: number, node: string, at: number) => Effect.Effect<Ownership, StoreUnavailable>
  readonly due: (window: Window) => Effect.Effect<Due, StoreUnavailable>
}>()("tidings/Journal") {}

/** `observeAll` of a store that writes each event for itself. */
export const eachAlone = (observe: Journal["Service"]["observe"]): Journal["Service"]["observeAll"] => (events) =>
  Effect.forEach(events, (event) => Effect.catchTag(observe(event), "MessageNotFound", () => Effect.undefined))
