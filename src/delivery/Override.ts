import type { JsonMap } from "#schemas/Optional.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Candidate } from "#src/delivery/Plan.ts"
import { namedIn, type Vendor } from "#src/delivery/Provider.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"

/**
 * What a message changes of the payload that one provider is given (api.md §3): what it says of the channel, under what it says of the
 * provider, under what its routing says at this place. Objects are merged deeply, arrays are replaced.
 */
export const of = (
  { channels, providers }: Pick<Instructions, "channels" | "providers">,
  { channel, override }: Pick<Candidate, "channel" | "override">,
  vendor: Vendor
): JsonMap =>
  [channels?.[channel]?.override, namedIn(providers, vendor)?.override, override].reduce<JsonMap>(
    (under, over) => over === undefined || over === null ? under : ProfileChange.merge(under, over),
    {}
  )
