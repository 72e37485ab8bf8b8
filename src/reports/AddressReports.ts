import type { SuppressionChannel, SuppressionReason } from "#schemas/Suppression.ts"
import * as SuppressedAddress from "#src/people/SuppressedAddress.ts"
import { strongest, type Suppressing } from "#src/people/Suppressions.ts"
import { words } from "#src/reports/Words.ts"

/**
 * A vendor's verified word that an address is to be sent to no more. `address` and `detail` are as the vendor writes
 * them. `at`: when that happened, the same at every repeat, in epoch ms; `undefined`: the time at which it came.
 */
export interface AddressReport {
  readonly channel: SuppressionChannel
  readonly address: string
  readonly reason: SuppressionReason
  readonly detail: string | undefined
  readonly at: number | undefined
}

/** What a provider's reports suppress; nothing for an address that is none. */
export const suppressing = (provider: string, reports: ReadonlyArray<AddressReport>): ReadonlyArray<Suppressing> =>
  strongest(reports.flatMap(({ address: written, at, channel, detail, reason }): ReadonlyArray<Suppressing> => {
    const address = SuppressedAddress.of(channel, written)
    return address === undefined
      ? []
      : [{ channel, address, reason, provider, detail: detail === undefined ? undefined : words(detail), at }]
  }))
