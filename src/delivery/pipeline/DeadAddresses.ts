import type { Scope } from "#schemas/Scope.ts"
import { Context, Effect } from "effect"

/**
 * An address that a vendor says is dead for good. `provider` is the vendor's key, `detail` its words without the
 * address.
 */
export interface DeadAddress {
  readonly scope: Scope
  readonly provider: string
  readonly address: string
  readonly detail: string
}

/** Is told by a vendor of a dead address, while the message goes on to the recipient's other ones. It never fails. */
export const DeadAddresses = Context.Reference<(dead: DeadAddress) => Effect.Effect<void>>("tidings/DeadAddresses", {
  defaultValue: () => () => Effect.void
})
