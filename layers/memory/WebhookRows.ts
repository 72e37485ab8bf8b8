import type { Scope } from "#schemas/Scope.ts"
import type { WebhookRecord } from "#src/reports/Webhooks.ts"
import type { WebhookEvent } from "#src/reports/webhooks/Outbox.ts"
import { HashMap } from "effect"

/** A webhook as it is stored; `secrets` are sealed, as everywhere. Times in epoch ms. */
export interface WebhookRow extends WebhookRecord {
  readonly scope: Scope
  readonly secrets: string
  readonly failures: number
  /** What was stored before is told no more. */
  readonly since: number
  readonly pausedUntil: number
  readonly claim: number
  readonly claimedUntil: number
}

/** What one webhook is to be told. */
export interface WebhookEventRow extends WebhookEvent {
  readonly dueAt: number
}

/** Webhooks by their names (`State.nameOf`), and their events by that and their own id. */
export interface WebhookState {
  readonly webhooks: HashMap.HashMap<string, WebhookRow>
  readonly events: HashMap.HashMap<string, HashMap.HashMap<string, WebhookEventRow>>
}

export const empty: WebhookState = { webhooks: HashMap.empty(), events: HashMap.empty() }
