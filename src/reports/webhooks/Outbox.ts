import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Status } from "#schemas/Status.ts"
import type { WebhookEventType } from "#schemas/Webhook.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, Duration, type Effect, type Redacted, Schema } from "effect"

/** What happened: a message has another status, or what `data` says (JSON text). */
export type Happened =
  | {
    readonly type: "message:updated"
    readonly messageId: MessageId
    readonly status: Status
  }
  | { readonly type: Exclude<WebhookEventType, "message:updated">; readonly data: string }

/** An event that one webhook is to be told of. Times in epoch ms. */
export interface WebhookEvent {
  /** The same in every try, and for every webhook: by it a receiver knows what it was told already. */
  readonly id: string
  readonly happened: Happened
  /** When it happened. */
  readonly at: number
  /** When it was stored. */
  readonly storedAt: number
  /** How often it was tried so far. */
  readonly tries: number
}

/** A webhook that has something to be told, in the hands of one node until `lease` is over. */
export interface Claimed {
  readonly scope: Scope
  readonly id: string
  readonly url: string
  /** What signs for it now, the newest first. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Calls in a row that failed, and epoch ms of the first of them. */
  readonly failures: number
  readonly failingSince: number | undefined
  /** Names this claim: a later one has another. */
  readonly claim: number
  readonly events: ReadonlyArray<WebhookEvent>
}

/** How a claim ends. Of an event that is not named, nothing changes: it is due as before. */
export interface Settlement {
  /** Events that are done with: told, or given up. */
  readonly done: ReadonlyArray<string>
  /** Epoch ms of the next try of those that failed. */
  readonly again: ReadonlyArray<{ readonly id: string; readonly tries: number; readonly dueAt: number }>
  /** How many of `done` were given up. */
  readonly lost: number
  /** Epoch ms; absent: it was not reached. */
  readonly reachedAt: number | undefined
  readonly failures: number
  readonly failing: { readonly since: number; readonly error: string } | undefined
  /** Epoch ms: nothing is told before. 0: at once. */
  readonly pausedUntil: number
  /** It is given up, with all that it was not told yet. */
  readonly givesUp: boolean
  /** Epoch ms: what is older is given up, whether it was tried or not. Absent: nothing is. */
  readonly dropBefore: number | undefined
}

/** How long a claim is nobody else's, in ms. */
export const lease = Duration.toMillis("2 minutes")

/** What an event other than `message:updated` tells, and what it is known by. */
export const dataText = Schema.fromJsonString(Schema.JsonObject)

/**
 * What webhooks are to be told. An event is stored in the commit of what happened, for each webhook of its environment
 * that wants it, so that none is lost with its node; it is told at least once, in no certain order.
 */
export class Outbox extends Context.Service<Outbox, {
  /**
   * A webhook that has events which are due, with the `limit` oldest of them, or only the first if it fails (`failures`
   * over `probing`). Until it is settled, or `lease` is over, nobody else gets it. `undefined`: none has.
   */
  readonly claim: (limit: number, probing: number) => Effect.Effect<Claimed | undefined, StoreUnavailable>
  /** Ends a claim. One that took too long, so that somebody else has the webhook by now, only ends its events. */
  readonly settle: (claimed: Claimed, settlement: Settlement) => Effect.Effect<void, StoreUnavailable>
  /** Epoch ms of when the next one can be claimed; `undefined`: nothing is to be told. */
  readonly next: Effect.Effect<number | undefined, StoreUnavailable>
}>()("tidings/Outbox") {}
