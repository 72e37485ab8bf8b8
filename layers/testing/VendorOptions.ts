import type * as Cue from "#layers/testing/Cue.ts"
import type { Call } from "#layers/testing/History.ts"

/**
 * A time in which a provider cannot be reached: from `from` until just before `until`, in ms since the world began. For
 * good if `until` is `Infinity`.
 */
export interface Down {
  readonly from: number
  readonly until: number
}

/** A provider of a simulated world. */
export interface VendorOptions {
  readonly key: string
  /** `email`, `sms`, `push` or `direct_message` (chat); or `webhook`, for how the webhooks of recipients answer. */
  readonly channel: string
  /**
   * The field of the profile that holds the address. `email` and `phone_number` have to be such, or the message is refused
   * without a call. With `firebaseToken`, `apn`, `expo` or `oneSignalPlayerID` it reaches
   * the devices of users, all with one call: its `address` is all of their tokens, with a space between two. With `slack`,
   * `ms_teams`, `discord` or `pagerduty` it reaches a place of a chat, and its `address` is the channel, the user or the
   * URL.
   */
  readonly address: string
  /** Whether it delivers only once what is sent again with the same token, as vendors with idempotency keys do. */
  readonly folds?: boolean
  /** How many calls it may get at a time from each node in each environment; the others wait. By default any number. */
  readonly connections?: number
  /**
   * How long a node waits for its answer, in ms. After that, nobody knows whether it has taken the message. By default
   * 15,000, as with the vendors of the server.
   */
  readonly deadline?: number
  /**
   * How many calls it takes within a second in each environment. Of the others it says that they are too many
   * (`RateLimited`), for a second. By default any number.
   */
  readonly perSecond?: number
  /**
   * Addresses that it refuses for good (`RecipientRejected`), written as in the profiles and recipients. Of channel
   * `email` or `sms` they are sent to no more, by any provider, for 30 days.
   */
  readonly rejects?: ReadonlyArray<string>
  /** When it refuses connections. It takes none of the calls that begin then, and the caller can tell. */
  readonly down?: ReadonlyArray<Down>
  /**
   * What it does with its first calls in each environment, in their order, not counting those that `rejects`, `down` or
   * `perSecond` decide. After the last cue it accepts.
   */
  readonly script?: ReadonlyArray<Cue.Cue>
  /**
   * What it does with a call, by what the call says: its message, its attempt, what was rendered. Calls that `rejects`,
   * `down` or `perSecond` decide are not asked about; where it answers `undefined`, `script` decides. It is to answer the
   * same to the same, or a seed does not replay.
   */
  readonly answers?: (call: Call) => Cue.Cue | undefined
}
