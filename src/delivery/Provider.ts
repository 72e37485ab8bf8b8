import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Slots } from "#src/delivery/attempts/Slots.ts"
import type { Effect, Result, Schema } from "effect"

/** One rendered message for one recipient over one channel. */
export interface Delivery {
  readonly scope: Scope
  readonly messageId: MessageId
  readonly attempt: number
  /**
   * The same at every attempt of this message, channel and provider, for vendors that fold repeats (reliability.md
   * 2.5).
   */
  readonly idempotencyToken: string
  readonly channel: string
  readonly profile: Profile
  readonly rendered: Rendered
  readonly data: Schema.JsonObject
  readonly override: Schema.JsonObject
}

/** What a push service gives for a push to one device, to be asked later what became of it. */
export interface Ticket {
  readonly id: string
  /** The service, as device tokens name it, and the device's token. */
  readonly service: string
  readonly address: string
}

/** `reference`: the provider's own id of what it took. */
export interface Acceptance {
  readonly reference: string | undefined
  /** One for each device that it took a push for, if it tells later what became of them (`Vendor.receipts`). */
  readonly tickets?: ReadonlyArray<Ticket> | undefined
}

/** What became of a push: whether it was handed to the device's platform. */
export type PushReceipt = Result.Result<void, DeliveryError>

interface Way {
  /** Unique in its environment. */
  readonly key: string
  /**
   * What else a message or strategy may call it, the most specific first: a configuration's alias, its id, its vendor's
   * key, older ones of that.
   */
  readonly names?: ReadonlyArray<string>
  /**
   * Changes with each change of the configuration: what the circuit breaker learnt of the last version tells nothing of
   * the next.
   */
  readonly version?: string | undefined
  readonly channel: string
  /** Whether the profile has the address that this provider needs. */
  readonly reaches: (profile: Profile) => boolean
}

/** A vendor outside: each call is preceded by a durable intent and followed by a durable outcome (P4). */
export interface Vendor extends Way {
  readonly _tag: "Vendor"
  /**
   * Names the server that a call is made to, or the account that it is made on, where recipients have their own, or a
   * message names one: what the circuit breaker learnt of one tells nothing of the others. `undefined`: it is the
   * configuration's own.
   */
  readonly serverOf?: (profile: Profile, override: JsonMap) => string | undefined
  /**
   * The address that a call is made to, as the profile holds it, for providers whose addresses can be suppressed;
   * `undefined`: there is none, or the message's override names other addressees. If absent: nobody remembers which
   * addresses are dead.
   */
  readonly addressOf?: (profile: Profile, override: JsonMap) => string | undefined
  /**
   * Where in a message's override something is said to the recipient, so that the message needs no content: paths such
   * as `body.title`. If absent: anything in `body`.
   */
  readonly says?: ReadonlyArray<string>
  /**
   * The connections of which a call to this server (`serverOf`) takes one for as long as it lasts. A message waits for
   * it before its intent is written. If absent: a call waits for nothing.
   */
  readonly slots?: (server: string | undefined) => Slots
  /** Ends by itself within a total deadline and maps every failure to the closed union. */
  readonly send: (delivery: Delivery) => Effect.Effect<Acceptance, DeliveryError>
  /**
   * Asks what became of pushes (`Acceptance.tickets`), of 300 at most; answers by the tickets' ids, and nothing of those
   * that it cannot tell of yet. If absent: it gives no tickets.
   */
  readonly receipts?: (
    tickets: ReadonlyArray<Ticket>
  ) => Effect.Effect<ReadonlyMap<string, PushReceipt>, DeliveryError>
}

/**
 * The in-app inbox: its effect is a row that commits with the settle, so it happens exactly once and needs no intent.
 */
export interface InboxChannel extends Way {
  readonly _tag: "Inbox"
}

/** A way of sending over one channel. */
export type Provider = Vendor | InboxChannel

/** A provider in its channel, as a candidate of a plan names it, an attempt and a line of the timeline. */
export interface Called {
  readonly channel: string
  readonly provider: string
}

/** Whether both are of the same provider in the same channel. */
export const isSame = (one: Called, other: Called): boolean =>
  one.channel === other.channel && one.provider === other.provider

/** The provider that is called so; `undefined`: it is none of these. */
export const find = (providers: ReadonlyArray<Provider>, { channel, provider }: Called): Provider | undefined =>
  providers.find((one) => one.channel === channel && one.key === provider)

/** Whether a provider is meant by this name. */
export const isNamed = ({ key, names }: Provider, name: string): boolean =>
  key === name || names?.includes(name) === true

/** All that a map by providers' names has for this one, the most special name last. */
export const named = <A>(
  map: Readonly<Record<string, A>> | null | undefined,
  { key, names = [] }: Provider
): ReadonlyArray<A> =>
  map === null || map === undefined ? [] : [...new Set([...names, key])].toReversed().flatMap((name) => {
    const found = Object.hasOwn(map, name) ? map[name] : undefined
    return found === undefined ? [] : [found]
  })
