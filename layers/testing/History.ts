import type { MessageRow } from "#layers/memory/State.ts"
import type { Given, GivenTemplate } from "#layers/testing/Given.ts"
import type { ListenerOptions } from "#layers/testing/ListenerOptions.ts"
import type { Stored } from "#layers/testing/Stored.ts"
import type { Telling } from "#layers/testing/Telling.ts"
import type { AudienceBody } from "#schemas/Audience.ts"
import type { BulkMessage, BulkUser } from "#schemas/Bulk.ts"
import type { TokenWrite } from "#schemas/DeviceToken.ts"
import type { PreferenceChannel } from "#schemas/Preferences.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { LimitedBy, LimitPeriod, SendLimit } from "#schemas/SendLimit.ts"
import type { Status } from "#schemas/Status.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import type { TenantDraft } from "#schemas/Tenant.ts"

/**
 * One try of a call, which reached a node. Times in ms since the world began. Without `answeredAt`, the caller got no
 * answer and does not know whether the call took effect.
 */
export interface Try {
  readonly node: string
  readonly at: number
  answeredAt: number | undefined
  status: number | undefined
  body: string | undefined
}

/** The caller's own record of one POST /send and its tries. */
export interface Request {
  readonly number: number
  readonly scope: Scope
  readonly key: string | undefined
  /** As the story said it. */
  readonly message: typeof SendMessage.Encoded
  readonly tries: Array<Try>
  /** The request's id, once a 202 came. If it names one recipient, this is the id of the message, too. */
  requestId: string | undefined
}

/** The caller's own record of one POST /messages/:id/resend and its tries. */
export interface Resend {
  readonly scope: Scope
  readonly key: string | undefined
  /** The id of the message to send again. */
  readonly messageId: string
  readonly tries: Array<Try>
  /** The new message's id, once a 200 came. */
  resentId: string | undefined
}

/**
 * The caller's own record of one bulk job: of POST /bulk (`create`), POST /bulk/:job_id (`add`) and POST
 * /bulk/:job_id/run (`run`), and the tries of each.
 */
export interface BulkJob {
  readonly number: number
  readonly scope: Scope
  readonly key: string | undefined
  /** As the story said them. */
  readonly message: typeof BulkMessage.Encoded
  readonly users: ReadonlyArray<typeof BulkUser.Encoded>
  readonly tries: Readonly<Record<"create" | "add" | "run", Array<Try>>>
  /** The job's id, once it was made. */
  jobId: string | undefined
  /** The users who were not added, and why: to whom nothing can be sent, or who are in the job already. */
  errors: ReadonlyArray<{ readonly user: typeof BulkUser.Encoded; readonly error: string }>
  /** The request that the job is run as, once the 204 came: its messages have this `requestId`. */
  requestId: string | undefined
}

/** What a story can change while messages are under way. */
export type Change =
  | {
    readonly _tag: "Prefer"
    readonly userId: string
    /** One of `given.topics`. */
    readonly topicId: string
    readonly status: "OPTED_IN" | "OPTED_OUT"
    /** The tenant in which the preference holds; without one, it holds outside of tenants. */
    readonly tenantId?: string
    /** The channels that the user wants the topic by, as PUT /users/:id/preferences/:topic takes them. */
    readonly has_custom_routing?: boolean
    readonly custom_routing?: ReadonlyArray<PreferenceChannel>
  }
  /** PUT /profiles/:id: `profile` replaces the whole profile. */
  | { readonly _tag: "PutProfile"; readonly userId: string; readonly profile: Profile }
  | { readonly _tag: "DeleteProfile"; readonly userId: string }
  | { readonly _tag: "Subscribe" | "Unsubscribe"; readonly listId: string; readonly userId: string }
  | { readonly _tag: "DeleteList" | "RestoreList"; readonly listId: string }
  /** PUT and DELETE of /users/:id/tenants/:id. */
  | { readonly _tag: "Join" | "Leave"; readonly tenantId: string; readonly userId: string }
  /** PUT and DELETE of /tenants/:id. `tenant` replaces it whole; its members stay. */
  | { readonly _tag: "PutTenant"; readonly tenantId: string; readonly tenant: TenantDraft }
  | { readonly _tag: "DeleteTenant"; readonly tenantId: string }
  /** PUT and DELETE of /audiences/:id. */
  | { readonly _tag: "PutAudience"; readonly audienceId: string; readonly audience: AudienceBody }
  | { readonly _tag: "DeleteAudience"; readonly audienceId: string }
  /** PUT /notifications/:id with the state PUBLISHED: `template` is what one of `given.templates` says from then on. */
  | { readonly _tag: "Publish"; readonly templateId: string; readonly template: GivenTemplate }
  /** DELETE /notifications/:id. */
  | { readonly _tag: "Archive"; readonly templateId: string }
  /** PUT /translations/default/:locale: `po` is the text of a .po file. */
  | { readonly _tag: "Translate"; readonly locale: string; readonly po: string }
  /** PUT and DELETE of /users/:id/tokens/:token: a device of the user, with what the former takes of it. */
  | {
    readonly _tag: "PutToken"
    readonly userId: string
    readonly token: string
    readonly device: typeof TokenWrite.Encoded
  }
  | { readonly _tag: "DeleteToken"; readonly userId: string; readonly token: string }
  /** PUT and DELETE of /send-limits/:per/:period. */
  | {
    readonly _tag: "PutSendLimit"
    readonly per: LimitedBy
    readonly period: LimitPeriod
    readonly limit: SendLimit
  }
  | { readonly _tag: "DeleteSendLimit"; readonly per: LimitedBy; readonly period: LimitPeriod }
  /** POST /requests/:id/resume: a request to many that was set aside goes on. */
  | { readonly _tag: "Resume"; readonly requestId: string }
  /** `Configure` gives a provider new settings, and brings it back if it was withdrawn. */
  | { readonly _tag: "Configure" | "Withdraw"; readonly provider: string }

/** The store's own record of one change, in commit order. A change that was tried again may be recorded twice. */
export interface Changed {
  readonly at: number
  readonly scope: Scope
  readonly change: Change
}

/** The provider's own record of one call. Times in ms since the world began, except `wall`. */
export interface Call {
  readonly number: number
  readonly node: string
  /** The environment whose credentials were used. */
  readonly scope: Scope
  readonly provider: string
  /** The version of its settings that the call used; 1 until they are changed. */
  readonly version: number
  readonly channel: string
  readonly messageId: string
  readonly attempt: number
  readonly token: string
  readonly address: string | undefined
  /** What was rendered for its channel: `body`; for an email `subject`, `text` and `html`. */
  readonly rendered: Rendered
  /** What the recipient reads, a part a line: all of `rendered` but the `html`, with its style sheets. */
  readonly text: string
  readonly calledAt: number
  /** The wall clock at `calledAt`, in epoch ms. */
  readonly wall: number
  /** Whether the provider took the message. */
  taken: boolean
  /** Whether it was taken but folded into an earlier call with the same token: the recipient got nothing new by it. */
  folded: boolean
  /** The outcome that the node learned, if it was alive. `lost`: it cannot know whether the message was taken. */
  heard: "accepted" | "refused" | "lost" | undefined
  /** How long the answer asked the node to wait before it tries again, in ms. */
  retryAfter: number | undefined
  heardAt: number | undefined
}

/**
 * The store's own record of one write. A step of a request to many is recorded as a `page` under the request's id, and
 * so is each message that the step made, under the message's id.
 */
export interface Commit {
  readonly at: number
  readonly wall: number
  readonly node: string
  readonly kind: "accept" | "page" | "step" | "observe"
  readonly scope: Scope
  readonly messageId: string
  readonly shard: number
  /** The epoch that the writer named, if it wrote as the shard's owner; `newest` is the shard's epoch at that time. */
  readonly epoch: number | undefined
  readonly newest: number
  readonly result: "Written" | "Refused" | "Fenced" | "Replayed"
  readonly before: Status | undefined
  readonly after: Status | undefined
  readonly dueAt: number | undefined
  readonly attempt: { readonly number: number; readonly state: string } | undefined
  /** The lifecycle events by which the write moved the message, separated by commas; `undefined` if there were none. */
  readonly event: string | undefined
  /** Whether the answer to the writer was lost. */
  lost: boolean
}

/** A caller's record of one POST /messages/:id/cancel. `confirmedAt`: when the answer said that it is cancelled. */
export interface Cancellation {
  readonly scope: Scope
  readonly messageId: string
  readonly at: number
  confirmedAt: number | undefined
}

/**
 * What a provider can tell of one of its calls. Only some of it is about the message, and only some about the address,
 * which then is sent to no more (api.md 25.2):
 * - `Deliver`, `Open`, `Click`: the message arrived, and was opened or clicked.
 * - `Bounce`: it was returned; of a mail, since its address is dead.
 * - `SoftBounce`: it was returned for another reason, such as a full mailbox. The address stays.
 * - `Complain`, `Unsubscribe`: whoever has the address wants no more mail there. The message stays as it is.
 */
export type ReportEvent = "Deliver" | "Open" | "Click" | "Bounce" | "SoftBounce" | "Complain" | "Unsubscribe"

/** A provider's record of a receipt for the call of this number. `takenAt`: when a node acknowledged it. */
export interface Report {
  readonly call: number
  readonly messageId: string
  readonly event: ReportEvent
  readonly at: number
  takenAt: number | undefined
}

/**
 * A fault, from `at` until `until`. Two kinds are not drawn: `lostAnswer` (an answer of the store was lost after its
 * commit) and `move` (a node gave a shard up in order, to another one), which is no fault.
 */
export interface Incident {
  readonly kind: "crash" | "freeze" | "rob" | "leave" | "jump" | "outage" | "lag" | "lostAnswer" | "move"
  readonly node: string | undefined
  readonly at: number
  until: number
  /** Its number among the faults that the seed drew, from 0 (`Faults.only`); `undefined` if it is none of them. */
  readonly drawn: number | undefined
  /** By how much a `jump` set the wall clock forward, or back (below 0), in ms. */
  readonly by?: number
  /** What a `move` gave up. */
  readonly shard?: number
}

/** A line that a node logged, as an operator would read it. */
export interface LogLine {
  readonly node: string
  readonly level: string
  readonly text: string
}

/** Everything that happened in one world, as its callers, its providers and its store each recorded it. */
export interface History {
  readonly seed: number
  /** What was stored when the world began (`Options.given`, or what the seed drew of it). */
  readonly given: Given
  /** Equal for two runs that did the same. */
  readonly hash: string
  readonly requests: ReadonlyArray<Request>
  readonly resends: ReadonlyArray<Resend>
  readonly bulkJobs: ReadonlyArray<BulkJob>
  readonly cancellations: ReadonlyArray<Cancellation>
  readonly changes: ReadonlyArray<Changed>
  readonly reports: ReadonlyArray<Report>
  readonly calls: ReadonlyArray<Call>
  /** The servers that were told of events (`Options.listeners`), and their calls. */
  readonly listeners: ReadonlyArray<ListenerOptions>
  readonly tellings: ReadonlyArray<Telling>
  readonly commits: ReadonlyArray<Commit>
  readonly incidents: ReadonlyArray<Incident>
  readonly logs: ReadonlyArray<LogLine>
  /** The stored messages at the end, with attempts and timeline. */
  readonly messages: ReadonlyArray<MessageRow>
  /** What recipients got: the calls that a provider took, without those that it folded into an earlier one. */
  readonly deliveries: ReadonlyArray<Call>
  /** The in-app messages of all users. */
  readonly inbox: ReadonlyArray<{ readonly scope: Scope; readonly userId: string; readonly messageId: string }>
  /** Reads of the store as it is at the end: messages, inboxes, preferences. */
  readonly stored: Stored
  /** Why the story broke off, if it did. */
  readonly failure: string | undefined
  /** Whether everything that was accepted came to its end. */
  readonly drained: boolean
  /**
   * What each node had left at the end; empty if the world did not drain. `pending`: its tasks and timers that still
   * wait after an orderly stop. `held`: the messages that it had in hand before it.
   */
  readonly leftovers: ReadonlyArray<{ readonly node: string; readonly pending: number; readonly held: number }>
  /** How long the world lasted, in ms of virtual time. */
  readonly lasted: number
}
