import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SuppressionChannel } from "#schemas/Suppression.ts"
import type { DeadAddress } from "#src/delivery/pipeline/DeadAddresses.ts"
import type { Acceptance, Vendor } from "#src/delivery/Provider.ts"
import { Exit, Result, Schema } from "effect"

/** A call that has ended; `server` as `Circuit.serverOf` has it. */
interface Ended {
  readonly scope: Scope
  readonly vendor: Vendor
  readonly profile: Profile
  readonly override: JsonMap
  readonly server: string | undefined
}

const isSuppressible = Schema.is(SuppressionChannel)

/**
 * The address of a call that its provider says is dead. Push services tell of each of their devices themselves.
 * A server or account of the message's own does not speak for those of the environment.
 */
export const of = (
  { override, profile, scope, server, vendor }: Ended,
  exit: Exit.Exit<Acceptance, DeliveryError>
): DeadAddress | undefined => {
  const { channel, key: provider } = vendor
  const found = Exit.findError(exit)
  if (Result.isFailure(found) || server !== undefined || !isSuppressible(channel)) return undefined
  const error = found.success
  if (error._tag !== "RecipientRejected" || error.invalidates !== true) return undefined
  const address = vendor.addressOf?.(profile, override)
  return address === undefined ? undefined : { scope, channel, provider, address, detail: error.detail }
}
