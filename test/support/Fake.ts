import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { Acceptance, Delivery, Vendor } from "#src/delivery/Provider.ts"
import { Providers } from "#src/delivery/Providers.ts"
import { type Duration, Effect, Layer, Ref } from "effect"

/** The answer to one call: a failure, an acceptance after a wait, or none for ever. */
export type Cue =
  | { readonly _tag: "Fail"; readonly error: DeliveryError }
  | { readonly _tag: "Accept"; readonly after: Duration.Input }
  | { readonly _tag: "Hang" }

const perform = (cue: Cue | undefined, delivery: Delivery): Effect.Effect<Acceptance, DeliveryError> => {
  const accepted = Effect.succeed({ reference: `fake-${delivery.messageId}-${delivery.attempt}` })
  switch (cue?._tag) {
    case "Fail":
      return Effect.fail(cue.error)
    case "Accept":
      return Effect.delay(accepted, cue.after)
    case "Hang":
      return Effect.never
    default:
      return accepted
  }
}

/**
 * A provider for tests and benches. It answers its calls from a script, in order, and accepts when the script has
 * ended; it records what it was given.
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly key: string
  readonly channel: string
  readonly script?: ReadonlyArray<Cue>
  readonly reaches?: Vendor["reaches"]
}) {
  const calls = yield* Ref.make<ReadonlyArray<Delivery>>([])
  const vendor: Vendor = {
    _tag: "Vendor",
    key: options.key,
    channel: options.channel,
    reaches: options.reaches ?? (() => true),
    send: (delivery) =>
      Effect.flatMap(
        Ref.modify(calls, (seen) => [seen.length, [...seen, delivery]] as const),
        (index) => perform(options.script?.[index], delivery)
      )
  }
  return { vendor, calls: Ref.get(calls) }
})

/** Accepts everything at once and records nothing, so that only the engine's own cost is measured. */
export const nothing = (key: string, channel: string): Vendor => {
  const accepted = Effect.succeed({ reference: undefined })
  return { _tag: "Vendor", key, channel, reaches: () => true, send: () => accepted }
}

/** These providers, in this order, in every environment. */
export const layer = (vendors: ReadonlyArray<Vendor>): Layer.Layer<Providers> =>
  Layer.succeed(Providers, Providers.of({ configured: () => Effect.succeed(vendors) }))
