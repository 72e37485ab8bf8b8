import type { MessageRow } from "#layers/memory/State.ts"
import type { Stored } from "#layers/testing/Stored.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Status } from "#schemas/Status.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"

/** One try of a caller to be answered. Times in ms since the beginning; no answer: nobody knows whether it was done. */
export interface Try {
  readonly node: string
  readonly at: number
  answeredAt: number | undefined
  status: number | undefined
  body: string | undefined
}

/** The caller's own record of one POST /send, with everything that became of it. */
export interface Request {
  readonly number: number
  readonly scope: Scope
  readonly key: string | undefined
  readonly message: SendMessage
  readonly tries: Array<Try>
  /** The request's id, once a 202 came. */
  requestId: string | undefined
}

/** The caller's own record of one POST /messages/:id/resend, with everything that became of it. */
export interface Resend {
  readonly scope: Scope
  readonly key: string | undefined
  /** The message that is to be sent again. */
  readonly messageId: string
  readonly tries: Array<Try>
  /** The new message's id, once a 200 came. */
  resentId: string | undefined
}

/** What a caller may change of what is stored while messages are under way. */
export type Change =
  | {
    readonly _tag: "Prefer"
    readonly userId: string
    /** One of `given.topics`. */
    readonly topicId: string
    readonly status: "OPTED_IN" | "OPTED_OUT"
    /** The tenant within which it holds; outside of any if there is none. */
    readonly tenantId?: string
  }
  | { readonly _tag: "Subscribe" | "Unsubscribe"; readonly listId: string; readonly userId: string }
  | { readonly _tag: "DeleteList" | "RestoreList"; readonly listId: string }
  /** PUT and DELETE of /users/:id/tenants/:id. */
  | { readonly _tag: "Join" | "Leave"; readonly tenantId: string; readonly userId: string }
  /** The provider gets new settings, and is there again if it was withdrawn. */
  | { readonly _tag: "Configure" | "Withdraw"; readonly provider: string }

/** The store's own record of one change, in the order of their commits. Of a change that was tried again there may be two. */
export interface Changed {
  readonly at: number
  readonly scope: Scope
  readonly change: Change
}

/** The provider's own record of one call. Times in ms since the beginning. */
export interface Call {
  readonly number: number
  readonly node: string
  /** The environment whose credentials were used. */
  readonly scope: Scope
  readonly provider: string
  /** Of its settings; 1 until they are changed. */
  readonly version: number
  readonly channel: string
  readonly messageId: string
  readonly attempt: number
  readonly token: string
  readonly address: string | undefined
  /** What was rendered for its channel, as JSON: `body`; of an e-mail `subject`, `text` and `html`. */
  readonly text: string
  readonly calledAt: number
  /** Epoch ms at the call. */
  readonly wall: number
  /** Whether the provider took it: the recipient has it. */
  taken: boolean
  /** Taken, but folded with an earlier call of the same token: the recipient has it once. */
  folded: boolean
  /** The outcome that a living caller was told; `lost`: that nobody knows. */
  heard: "accepted" | "refused" | "lost" | undefined
  /** What the answer asked the caller to wait, in ms. */
  retryAfter: number | undefined
  heardAt: number | undefined
}

/** The store's own record of one write. `page`: a step of a request to many, under its id, and each message that the step made. */
export interface Commit {
  readonly at: number
  readonly wall: number
  readonly node: string
  readonly kind: "accept" | "page" | "step" | "observe"
  readonly scope: Scope
  readonly messageId: string
  readonly shard: number
  /** The epoch that the writer named, and the newest one at that moment. */
  readonly epoch: number | undefined
  readonly newest: number
  readonly result: "Written" | "Refused" | "Fenced" | "Replayed"
  readonly before: Status | undefined
  readonly after: Status | undefined
  readonly dueAt: number | undefined
  readonly attempt: { readonly number: number; readonly state: string } | undefined
  /** The event that a second door brought. */
  readonly event: string | undefined
  /** Whether the writer was never told. */
  lost: boolean
}

/** A caller's record of POST /messages/:id/cancel; `confirmedAt`: the answer said that it is cancelled. */
export interface Cancellation {
  readonly scope: Scope
  readonly messageId: string
  readonly at: number
  confirmedAt: number | undefined
}

/** A provider's record of what it reported of one of its calls; `takenAt`: a node said that it has it. */
export interface Report {
  readonly call: number
  readonly messageId: string
  readonly event: "Deliver" | "Open" | "Click" | "Bounce"
  readonly at: number
  takenAt: number | undefined
}

/** A fault, and when it was over. `move`: a shard was taken from a node in good order. */
export interface Incident {
  readonly kind: "crash" | "freeze" | "rob" | "leave" | "jump" | "outage" | "lostAnswer" | "move"
  readonly node: string | undefined
  readonly at: number
  until: number
}

/** A line that a node logged, as an operator would read it. */
export interface LogLine {
  readonly node: string
  readonly level: string
  readonly text: string
}

/** Everything that happened in one world: what its callers, its providers and its store saw, each for itself. */
export interface History {
  readonly seed: number
  /** The same for two runs that did the same. */
  readonly hash: string
  readonly requests: ReadonlyArray<Request>
  readonly resends: ReadonlyArray<Resend>
  readonly cancellations: ReadonlyArray<Cancellation>
  readonly changes: ReadonlyArray<Changed>
  readonly reports: ReadonlyArray<Report>
  readonly calls: ReadonlyArray<Call>
  readonly commits: ReadonlyArray<Commit>
  readonly incidents: ReadonlyArray<Incident>
  readonly logs: ReadonlyArray<LogLine>
  /** The stored messages at the end, with attempts and timeline. */
  readonly messages: ReadonlyArray<MessageRow>
  /** What recipients have: calls that a provider took, each once. */
  readonly deliveries: ReadonlyArray<Call>
  /** In-app messages of everybody. */
  readonly inbox: ReadonlyArray<{ readonly scope: Scope; readonly userId: string; readonly messageId: string }>
  /** What the store holds at the end: messages, inboxes, preferences. */
  readonly stored: Stored
  /** Why the story broke off, if it did. */
  readonly failure: string | undefined
  /** `drained`: everything accepted came to its end. */
  readonly drained: boolean
  /** What is still there after an orderly stop: fibers and timers that wait, messages in hand. */
  readonly leftovers: ReadonlyArray<{ readonly node: string; readonly pending: number; readonly held: number }>
  /** Ms of virtual time that the world lasted. */
  readonly lasted: number
}
