import type { JsonMap } from "#schemas/Optional.ts"
import type { Breakers } from "#src/delivery/attempts/Breakers.ts"
import type { Journey } from "#src/delivery/pipeline/Journey.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import { find, type Vendor } from "#src/delivery/Provider.ts"

/** The server of a call's own, if it is not made to the configuration's. */
export const serverOf = ({ profile }: Journey, vendor: Vendor, override: JsonMap): string | undefined =>
  vendor.serverOf?.(profile, override)

/** The key of the circuit that a call belongs to: that of one configuration, as it is now, and of one server. */
export const of = (
  { message: { scope } }: Journey,
  { channel, key, version = "" }: Vendor,
  server: string | undefined
): string => `${scope}:${channel}:${key}:${version} ${server ?? ""}`

/** Epoch ms until which a candidate is left alone; `undefined`: it is not. */
export const openUntil = (
  breakers: Breakers["Service"],
  journey: Journey,
  candidate: Candidate
): number | undefined => {
  const provider = find(journey.providers, candidate)
  if (provider?._tag !== "Vendor") return undefined
  const { instructions } = journey.message
  const override = provider.serverOf === undefined ? {} : Override.of(instructions, candidate, provider)
  return breakers.openUntil(of(journey, provider, serverOf(journey, provider, override)))
}
