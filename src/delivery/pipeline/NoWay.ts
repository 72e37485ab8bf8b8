import type { Profile } from "#schemas/Profile.ts"
import type { LeftOut } from "#schemas/Suppression.ts"
import * as Refusal from "#src/delivery/pipeline/Refusal.ts"

/** What was met on the way through a routing; it explains an empty plan. */
export interface Findings {
  filtered: boolean
  /** What is wrong with a condition that does not hold because it is none. */
  invalid?: string
  /** A channel that the recipient has an address for, and the workspace no provider. */
  unserved?: string
  /** A channel for which the recipient has something that is no valid address. */
  unusable?: string
  unreachable: boolean
  /** Somebody could be reached, and there is nothing to say there. */
  unwritten: boolean
  /** It would have disappeared from the inbox before it came there. */
  expired: boolean
  missingProviderKey: boolean
  named: boolean
  /** The channels that only their suppressed address has left out, in the order of the routing. */
  readonly suppressed: Array<LeftOut>
}

export const none = (): Findings => ({
  filtered: false,
  unreachable: false,
  unwritten: false,
  expired: false,
  missingProviderKey: false,
  named: false,
  suppressed: []
})

/** The field of a profile that holds a channel's address, for channels that may have no provider to ask. */
const addressed: ReadonlyMap<string, string> = new Map([["email", "email"], ["sms", "phone_number"]])

/** Whether the recipient has something for an address of the channel, good or not. */
export const hasAddress = (channel: string, profile: Profile): boolean => {
  const field = addressed.get(channel)
  return field !== undefined && typeof profile[field] === "string" && profile[field] !== ""
}

/** Why a message does not go to the in-app inbox any more (api.md §3, `expiry`). */
export const expired = "The message's expiry was over before it could be in the inbox"

/** There is an address, and nobody to bring anything there: of a channel, or of a chat platform. */
export const unserved = (where: string): Refusal.Refusal =>
  Refusal.unroutable("NO_PROVIDERS", `No provider for ${where} is configured`)

/**
 * Why a message has nowhere to go. An address that is none is the recipient's fault and not the routing's (spec.md,
 * statuses: UNDELIVERABLE).
 */
export const refusal = (findings: Findings): Refusal.Refusal => {
  if (!findings.named) return Refusal.unroutable("NO_CHANNELS", "The message's routing names no channel")
  const [suppressed] = findings.suppressed
  if (suppressed !== undefined) return Refusal.suppressed(suppressed, findings.suppressed)
  if (findings.filtered) {
    const why = findings.invalid === undefined ? "" : `: ${findings.invalid}`
    return Refusal.filtered(`A condition of the message left no channel${why}`)
  }
  if (findings.unusable !== undefined) {
    return Refusal.undeliverable("BOUNCED", `What the recipient has for ${findings.unusable} is no valid address`)
  }
  if (findings.expired) return Refusal.undeliverable("FAILED", expired)
  if (findings.unreachable && findings.unserved !== undefined) return unserved(findings.unserved)
  if (findings.unwritten) {
    const where = findings.unreachable ? "that the recipient has an address for" : "of the message"
    return Refusal.unroutable("NO_CHANNELS", `The content has nothing for any channel ${where}`)
  }
  if (findings.unreachable) {
    return Refusal.unroutable("NO_CHANNELS", "The recipient has no address for any channel of the message")
  }
  return findings.missingProviderKey
    ? Refusal.unroutable("PROVIDER_ERROR", "The message names only providers that are not installed")
    : Refusal.unroutable("NO_PROVIDERS", "No providers added")
}
