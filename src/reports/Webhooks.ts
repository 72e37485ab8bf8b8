import type { Scope } from "#schemas/Scope.ts"
import type { WebhookEventType, WebhookState } from "#schemas/Webhook.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, Duration, type Effect, type Redacted, Schema } from "effect"

/** There is no such webhook: 404. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", { id: Schema.String }) {}

/** The environment has as many as it may have: 400. */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", { most: Schema.Int }) {}

/** So many webhooks an environment may have: each event is stored once for each. */
export const most = 10

/** For how long after a new secret the old one signs as well. */
export const overlap = Duration.days(1)

/** A webhook as a caller writes it; `types`: `undefined` means all. */
export interface WebhookDraft {
  readonly url: string
  readonly types: ReadonlyArray<WebhookEventType> | undefined
  readonly description: string | undefined
  readonly state: WebhookState
}

/** Why nothing reaches a webhook. */
export interface WebhookFailing {
  /** Epoch ms of the first of the failures since it was last reached. */
  readonly since: number
  /** The last one, in words that name neither path nor query of the URL. */
  readonly error: string
}

/** A stored webhook, without its secrets. Times in epoch ms. */
export interface WebhookRecord extends WebhookDraft {
  readonly id: string
  readonly failing: WebhookFailing | undefined
  /** It was disabled since it could not be reached for long, and not by a caller. */
  readonly gaveUpAt: number | undefined
  /** Events that were given up. */
  readonly lost: number
  /** When it was last reached. */
  readonly reachedAt: number | undefined
  readonly created: number
  readonly updated: number | undefined
}

/** What is known of a webhook that was told nothing yet. */
export const untold = { failing: undefined, gaveUpAt: undefined, lost: 0, reachedAt: undefined } as const

/**
 * Webhooks: the callers' own servers that are told what happens in an environment (api.md 25.1). What is to be told is
 * stored with what happened (`Outbox`). A write counts at once on this node, and within 2 s on others.
 */
export class Webhooks extends Context.Service<Webhooks, {
  readonly create: (
    scope: Scope,
    draft: WebhookDraft,
    secret: Redacted.Redacted
  ) => Effect.Effect<WebhookRecord, StoreUnavailable | TooManyWebhooks>
  readonly get: (scope: Scope, id: string) => Effect.Effect<WebhookRecord, StoreUnavailable | WebhookNotFound>
  /** Newest first. */
  readonly list: (
    scope: Scope,
    query: PageQuery
  ) => Effect.Effect<Page<WebhookRecord>, InvalidCursor | StoreUnavailable>
  /**
   * Replaces all but its secret. One that is enabled, or goes elsewhere, begins anew: it is no longer failing, and no
   * pause is left of that. One that was disabled is told of what happens from then on.
   */
  readonly replace: (
    scope: Scope,
    id: string,
    draft: WebhookDraft
  ) => Effect.Effect<WebhookRecord, StoreUnavailable | WebhookNotFound>
  /** With all that it was not told yet. */
  readonly remove: (scope: Scope, id: string) => Effect.Effect<void, StoreUnavailable | WebhookNotFound>
  /** The secret that it has had until now signs for another `overlap` as well; one before that signs no more. */
  readonly renew: (
    scope: Scope,
    id: string,
    secret: Redacted.Redacted
  ) => Effect.Effect<void, StoreUnavailable | WebhookNotFound>
}>()("tidings/Webhooks") {}
