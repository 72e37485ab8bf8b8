import * as BulkJobs from "#layers/memory/BulkJobs.ts"
import * as Expansions from "#layers/memory/Expansions.ts"
import * as MessageLog from "#layers/memory/MessageLog.ts"
import { findMessage, inboxOf, messagesOf, type State } from "#layers/memory/State.ts"
import { overridesOf } from "#layers/memory/UserPreferences.ts"
import type { BulkJobStatus, BulkUser, BulkUserStatus } from "#schemas/Bulk.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { TopicSetting } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Progress from "#src/delivery/bulk/Progress.ts"
import type { RequestRecord } from "#src/delivery/Expansion.ts"
import type { InboxMessage } from "#src/reports/Inbox.ts"
import type { MessageRecord } from "#src/reports/MessageLog.ts"
import { Effect, Option, Schema } from "effect"

/** 1 production, 2 test. */
export type Environment = 1 | 2

/** Where to look, by default in production. */
export interface Place {
  readonly environment?: Environment
}

/** A user of a bulk job. `messageId`: the user's message, once there is one. */
export interface StoredBulkUser {
  readonly user: BulkUser
  readonly status: BulkUserStatus
  readonly messageId: string | undefined
  readonly error: string | undefined
}

/**
 * How far a bulk job has come, as GET /bulk/:job_id and GET /bulk/:job_id/users tell. `received`: how many users it has;
 * `enqueued`: how many have a message; `failures`: how many cannot have one.
 */
export interface StoredBulkJob {
  readonly status: BulkJobStatus
  readonly received: number
  readonly enqueued: number
  readonly failures: number
  readonly requestId: string | undefined
  /** In the order in which they were added. */
  readonly users: ReadonlyArray<StoredBulkUser>
}

/**
 * Reads of what the store holds: in a story now, in a history at the end of the world. A read takes no time, and no
 * outage or lost answer affects it.
 */
export interface Stored {
  /** One message as GET /messages/:id shows it; `undefined` if there is none. */
  readonly message: (id: string, place?: Place) => MessageRecord | undefined
  /** All messages, in the order in which they were made. Their `requestId` and `userId` say whose they are. */
  readonly messages: (place?: Place) => ReadonlyArray<MessageRecord>
  /** One bulk job, by its `jobId`; `undefined` if there is none. */
  readonly job: (id: string, place?: Place) => StoredBulkJob | undefined
  /** How far a request has come, as GET /requests/:id shows it; `undefined` if there is none. Times in epoch ms. */
  readonly request: (id: string, place?: Place) => RequestRecord | undefined
  /** The in-app messages of a user, oldest first, including expired ones. */
  readonly inbox: (userId: string, place?: Place) => ReadonlyArray<InboxMessage>
  /**
   * The topic preferences that a user set, by topic id: those in the tenant `tenantId`, or without it those outside of
   * tenants. Topics that the user left at their default are absent.
   */
  readonly preferences: (
    userId: string,
    place?: Place & { readonly tenantId?: string }
  ) => ReadonlyMap<string, TopicSetting>
}

const scopeOf = ({ environment = 1 }: Place): Scope => Scope.make(environment)
const idOf = Schema.decodeUnknownOption(MessageId)
const userOf = Schema.decodeUnknownOption(UserId)

/** Reads the store of a world through `look`. */
export const make = (look: <A>(read: (state: State) => A) => A): Stored => ({
  message: (id, place = {}) => {
    const row = Option.map(idOf(id), (messageId) => look((state) => findMessage(state, scopeOf(place), messageId)))
    const found = Option.getOrUndefined(row)
    return found === undefined ? undefined : MessageLog.record(found)
  },
  messages: (place = {}) =>
    look((state) => [...messagesOf(state, scopeOf(place))].toSorted((a, b) => a.seq - b.seq).map(MessageLog.record)),
  job: (id, place = {}) => {
    const job = look((state) => BulkJobs.jobOf(state, scopeOf(place), id))
    if (job === undefined) return undefined
    const users = look((state) => BulkJobs.usersOf(state, scopeOf(place), id))
    const { failures, received, requestId, running } = job
    return {
      status: Progress.ofJob(job),
      received,
      enqueued: running?.messages ?? 0,
      failures,
      requestId,
      users: users.map((one) => ({ user: one.user, ...Progress.ofUser(job, one), error: one.error }))
    }
  },
  request: (id, place = {}) =>
    Option.getOrUndefined(
      Option.flatMap(idOf(id), (requestId) => look((state) => Expansions.found(state, scopeOf(place), requestId)))
    ),
  inbox: (userId, place = {}) =>
    look((state) => [...inboxOf(state, scopeOf(place), userId)].toSorted((a, b) => a.createdAt - b.createdAt)),
  preferences: (userId, { tenantId, ...place } = {}) => {
    const user = Option.getOrUndefined(userOf(userId))
    if (user === undefined) return new Map()
    const owner = { scope: scopeOf(place), userId: user, tenantId }
    const said = Effect.runSync(Effect.orDie(look((state) => overridesOf(state, owner))))
    return new Map(said.map(({ setting, topicId }) => [topicId, setting]))
  }
})
