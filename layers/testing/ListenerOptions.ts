import type * as Cue from "#layers/testing/Cue.ts"
import type { Down } from "#layers/testing/VendorOptions.ts"
import type { WebhookEventType } from "#schemas/Webhook.ts"

/** A server of a simulated world that is told of events: a webhook of POST /webhooks in each environment. */
export interface ListenerOptions {
  /** A part of its host's name, which no other listener has. */
  readonly name: string
  /** What it wants to be told of; by default everything. */
  readonly types?: readonly [WebhookEventType, ...ReadonlyArray<WebhookEventType>]
  /** When it refuses connections. */
  readonly down?: ReadonlyArray<Down>
  /**
   * What it does with its first calls in each environment, in their order, not counting those that `down` decides. It
   * refuses with a status of 400 or more (429 and 503 carry `retryAfter`, in whole seconds). After the last cue it accepts.
   */
  readonly script?: ReadonlyArray<Cue.Cue>
}
