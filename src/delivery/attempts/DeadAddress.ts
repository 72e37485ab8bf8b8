import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SuppressionChannel } from "#schemas/Suppression.ts"
import { DeadAddresses } from "#src/delivery/pipeline/DeadAddresses.ts"
import type { Acceptance, Vendor } from "#src/delivery/Provider.ts"
import { Effect, Exit, Result, Schema } from "effect"

/** A call that has ended; `provider` is its name as it is stored, `server` as `Circuit.serverOf` has it. */
interface Called {
  readonly scope: Scope
  readonly vendor: Vendor
  readonly channel: string
  readonly provider: string
  readonly profile: Profile
  readonly override: JsonMap
  readonly server: string | undefined
}

const isSuppressible = Schema.is(SuppressionChannel)

/**
 * Tells of the address of a call that its provider says is dead. Push services tell of each of their devices themselves.
 * A server or account of the message's own does not speak for those of the environment.
 */
export const told = (
  { channel, override, profile, provider, scope, server, vendor }: Called,
  exit: Exit.Exit<Acceptance, DeliveryError>
): Effect.Effect<void> => {
  const found = Exit.findError(exit)
  if (Result.isFailure(found) || server !== undefined || !isSuppressible(channel)) return Effect.void
  const error = found.success
  if (error._tag !== "RecipientRejected" || error.invalidates !== true) return Effect.void
  const address = vendor.addressOf?.(profile, override)
  return address === undefined
    ? Effect.void
    : Effect.flatMap(DeadAddresses, (tell) => tell({ scope, channel, provider, address, detail: error.detail }))
}
