import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Status } from "#schemas/Status.ts"
import type { WebhookEventType } from "#schemas/Webhook.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { WebhookFailing } from "#src/reports/Webhooks.ts"
import { Context, Duration, type Effect, type Redacted } from "effect"

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
  /** `undefined`: this version cannot read it. */
  readonly happened: Happened | undefined
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
  /** What signs for it now, the newest first; none, if they cannot be read. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Rounds in a row in which it was not reached. */
  readonly failures: number
  readonly failing: WebhookFailing | undefined
  /** Epoch ms: until then it was not called. */
  readonly pausedUntil: number
  /** Names this claim: a later one of the webhook has another. */
  readonly claim: number
  readonly events: ReadonlyArray<WebhookEvent>
}

/** How a round of calls ends. An event that is not named is due as before. */
export interface Settlement {
  /** Events that were told, or of which nothing is left to tell. */
  readonly told: ReadonlyArray<string>
  /** Events that are given up. */
  readonly lost: ReadonlyArray<string>
  /** Events that failed, and epoch ms of their next tries. */
  readonly again: ReadonlyArray<{ readonly id: string; readonly dueAt: number }>
  /** It was reached. */
  readonly reached: boolean
  readonly failures: number
  /** Epoch ms of the first failure since it was reached, and what the last one was. */
  readonly failing: WebhookFailing | undefined
  /** Epoch ms: nothing is told before. */
  readonly pausedUntil: number
  /** It is disabled. */
  readonly givesUp: boolean
  /** Epoch ms: what was stored before is told no more, whether it was tried or not. */
  readonly since: number
}

/** How long a claim is nobody else's, in ms. */
export const lease = Duration.toMillis("30 seconds")

/**
 * How far ahead the times of a webhook are at most, in ms: what it asks for is waited for a day. Later ones were written
 * by a clock that was ahead and has been set back since.
 */
export const furthest = Duration.toMillis("25 hours")

/** After so many rounds in a row in which it was not reached, a webhook is asked for with one event at a time. */
export const probing = 3

/**
 * What webhooks are to be told. An event is stored in the commit of what happened, for each webhook of its environment
 * that wants it, so that none is lost with its node; it is told at least once, in no certain order.
 */
export class Outbox extends Context.Service<Outbox, {
  /**
   * A webhook with events that are due, the longest due first: `limit` of them, or one if it fails (`probing`); none of
   * the environments `without`. Until it is settled, or `lease` is over, nobody else gets it, nor for longer where the
   * clock is set back. `undefined`: there is none.
   */
  readonly claim: (
    limit: number,
    without?: ReadonlyArray<Scope>
  ) => Effect.Effect<Claimed | undefined, StoreUnavailable>
  /**
   * Ends a claim. Of one that is over, since it took too long or the webhook began anew meanwhile, only what was told
   * counts; so a settlement may be repeated.
   */
  readonly settle: (claimed: Claimed, settlement: Settlement) => Effect.Effect<void, StoreUnavailable>
  /** Epoch ms of when one can be claimed next; `undefined`: nothing is to be told. */
  readonly next: Effect.Effect<number | undefined, StoreUnavailable>
  /**
   * Deletes events that nobody is told any more, `limit` at most: of webhooks that are disabled or gone, or from before
   * what these are told. They count as lost. Answers how many. A webhook whose times are too far ahead (`furthest`) begins
   * anew before: until then it would be told nothing, and lose all that there is to tell.
   */
  readonly sweep: (limit: number) => Effect.Effect<number, StoreUnavailable>
}>()("tidings/Outbox") {}
