import type { Attempt } from "#schemas/Attempt.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import { environmentOf, type Scope } from "#schemas/Scope.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as OnceAMinute from "#src/reports/OnceAMinute.ts"
import { Effect } from "effect"

/** What an operator is told of one failed call. Times in epoch ms. */
export interface Complaint {
  readonly scope: Scope
  readonly messageId: MessageId
  readonly vendor: Vendor
  /** That of the recipient or the message, if the call was made to one (`Vendor.serverOf`). */
  readonly server: string | undefined
  /** With its outcome. */
  readonly attempt: Attempt
  /** Until when the provider is left alone; `undefined`: it is not. */
  readonly openUntil: number | undefined
  readonly now: number
}

/**
 * Tells the log of a provider that refuses its settings, or that is left alone for failing, each at most once a minute
 * and configuration: who was told of the one does not know of the other. What it said may hold addresses (P9): that is
 * in the message's timeline. Servers and accounts that a recipient has or a message names are no business of the
 * operator's.
 */
export const make = (): (complaint: Complaint) => Effect.Effect<void> => {
  const isNews = OnceAMinute.make()
  return ({ attempt: { channel, kind, provider }, messageId, now, openUntil, scope, server, vendor }) => {
    const isRefused = kind === "Misconfigured"
    if (server !== undefined || (!isRefused && openUntil === undefined)) return Effect.void
    // Each change of a configuration counts as another.
    if (!isNews(`${isRefused}:${scope}:${channel}:${provider}:${vendor.version ?? ""}`, now)) return Effect.void
    const where = { environment: environmentOf(scope), channel, provider, messageId }
    return isRefused
      ? Effect.logError(`a provider refuses its settings; tidings trace ${messageId} shows its words`, where)
      : Effect.logWarning(
        `a provider fails and is left alone for a while; tidings trace ${messageId} shows its words`,
        { ...where, kind }
      )
  }
}
