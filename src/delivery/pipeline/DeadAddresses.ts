import type { Scope } from "#schemas/Scope.ts"
import * as SuppressedAddress from "#src/people/SuppressedAddress.ts"
import type { SuppressionChannel } from "#schemas/Suppression.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { words } from "#src/reports/Words.ts"
import * as Patience from "#src/store/Patience.ts"
import { Context, Effect, Layer } from "effect"

/**
 * An address that a provider says is dead for good, in its words without the address. `provider` is a push service's
 * key, by which tokens name it; of another channel, the name under which the call is stored.
 */
export interface DeadAddress {
  readonly scope: Scope
  readonly channel: SuppressionChannel | "push"
  readonly provider: string
  readonly address: string
  readonly detail: string
}

/** Is told of a dead address, while the message goes on to the recipient's other ones. It never fails. */
export const DeadAddresses = Context.Reference<(dead: DeadAddress) => Effect.Effect<void>>("tidings/DeadAddresses", {
  defaultValue: () => () => Effect.void
})

/** How long remembering a dead address may hold up its message, which needs nothing of it. */
const patience = "2 seconds"

/** Marks push tokens as failed, and suppresses e-mail addresses and phone numbers. */
export const remembering = Layer.effect(
  DeadAddresses,
  Effect.gen(function*() {
    const devices = yield* DeviceTokens
    const suppressions = yield* Suppressions
    const patiently = yield* Patience.within(patience)

    const remember = (
      { address: written, channel, detail, provider, scope }: DeadAddress
    ): Effect.Effect<unknown, StoreUnavailable> => {
      if (channel === "push") return devices.invalidate(scope, provider, written, detail)
      const address = SuppressedAddress.of(channel, written)
      return address === undefined
        ? Effect.void
        : suppressions.add(scope, [{ channel, address, reason: "BOUNCED", provider, detail: words(detail) }])
    }
    return (dead: DeadAddress) =>
      patiently(remember(dead)).pipe(
        Effect.asVoid,
        Effect.catch((error) => Effect.logWarning("cannot remember a dead address", error._tag)),
        // The call that found it out has been made, and its outcome is still to be written.
        Effect.catchDefect((defect) => Effect.logError("remembering a dead address crashed", defect))
      )
  })
)
