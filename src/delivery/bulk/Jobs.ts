import type { BulkMessage, BulkUser } from "#schemas/Bulk.ts"
import type { ExpansionState } from "#schemas/Expansion.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such bulk job: 404. */
export class JobNotFound extends Schema.TaggedError<JobNotFound>()("JobNotFound", { id: Schema.String }) {}

/** Nobody can be added to a job that is run. */
export class JobClosed extends Schema.TaggedError<JobClosed>()("JobClosed", { id: Schema.String }) {}

/**
 * A user to be added. `key` is that of its mailbox (`Recipients.Identity`). If nothing can be sent to the user, it is
 * the key of no mailbox, and `error` says why.
 */
export interface NewUser {
  readonly key: string
  readonly user: BulkUser
  readonly error: string | undefined
}

/** A user as the job has it; `position` counts from 0 in the order in which they were added. */
export interface JobUser extends NewUser {
  readonly position: number
}

/**
 * How long a closed job's request may still be accepted, in ms; later, the job is run as another one. The ids of a
 * request's messages are of the day on which it was made, and a day that is over gets no new ones. Longer than any call
 * needs from closing a job to the journal, and less than a day.
 */
export const longestClosing = 12 * 3_600_000

/** The next users to become messages; `isLast`: there are no others. */
export interface Batch {
  readonly users: ReadonlyArray<JobUser>
  readonly isLast: boolean
}

/**
 * How far the request has come that a job became: its users before `index` are messages. `isNumbered`: whose ids are by
 * the users' positions (`Progress.messageIdOf`).
 */
export interface Running {
  readonly state: ExpansionState
  readonly messages: number
  readonly index: number
  readonly isNumbered: boolean
}

/**
 * A bulk job. `received`: its users; `failures`: those of them that have an error; `requestId`: the request that it is
 * run as.
 */
export interface Job {
  readonly id: string
  readonly definition: BulkMessage
  readonly received: number
  readonly failures: number
  readonly requestId: MessageId | undefined
  /** Absent until its request is accepted. */
  readonly running: Running | undefined
}

/**
 * Bulk jobs and their users. A job does not keep its progress: its request to many does, which is accepted with the
 * journal like any other and moved by its owner alone.
 */
export class Jobs extends Context.Service<Jobs, {
  readonly create: (scope: Scope, definition: BulkMessage) => Effect.Effect<string, StoreUnavailable>
  /** Adds those whose keys are new; answers the keys that were there. All or none. */
  readonly add: (
    scope: Scope,
    id: string,
    users: ReadonlyArray<NewUser>
  ) => Effect.Effect<ReadonlySet<string>, JobNotFound | JobClosed | StoreUnavailable>
  /**
   * Takes no more users from then on, and answers the id of the request that the job is run as. A repeat answers the
   * same, unless that request was not accepted for half a day (`longestClosing`).
   */
  readonly close: (scope: Scope, id: string) => Effect.Effect<MessageId, JobNotFound | StoreUnavailable>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Job, JobNotFound | StoreUnavailable>
  /** In the order in which they were added; a page ends early at `PageBytes.most`. */
  readonly users: (
    scope: Scope,
    id: string,
    query: PageQuery
  ) => Effect.Effect<Page<JobUser>, InvalidCursor | StoreUnavailable>
  /** At most `limit` users without an error, from a position on; fewer where `PageBytes.most` ends the page. */
  readonly sendable: (
    scope: Scope,
    id: string,
    from: number,
    limit: number
  ) => Effect.Effect<Batch, StoreUnavailable>
}>()("tidings/bulk/Jobs") {}
