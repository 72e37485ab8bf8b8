import type { HistoryType, Unknown } from "#schemas/History.ts"
import type { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Reason } from "#schemas/Status.ts"
import type { LeftOut, SuppressionReason } from "#schemas/Suppression.ts"
import type { Event } from "#src/delivery/Lifecycle.ts"
import type { LimitName } from "#src/flows/SendLimits.ts"
import { Data } from "effect"

/** What a stage of the pipeline answers when a message ends there: the table's event, and what a reader is told. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly event: Extract<Event, "Unmap" | "Unroute" | "Filter" | "Throttle" | "Undeliver">
  readonly type: HistoryType
  readonly reason: Reason | undefined
  readonly detail: string
  /** What the recipient's preferences had made of the message before, or made of it here. */
  readonly decision?: PreferenceDecision | undefined
  /** The channels that were left out, since the recipient's addresses are suppressed, where that is why. */
  readonly suppressed?: ReadonlyArray<LeftOut> | undefined
  /** The send limit that is reached, where that is why. */
  readonly limit?: LimitName | undefined
  /** What the message names and does not exist. */
  readonly unknown?: Unknown | undefined
  /** The recipient in the tenant that the message turned out to be in. */
  readonly recipient?: Recipient | undefined
  /** The template that the message turned out to be of. */
  readonly templateId?: string | undefined
}> {}

export const unmapped = (detail: string, reason?: Reason) =>
  new Refusal({ event: "Unmap", type: "UNMAPPED", reason, detail })

export const unroutable = (reason: Reason, detail: string) =>
  new Refusal({ event: "Unroute", type: "UNROUTABLE", reason, detail })

export const filtered = (detail: string) =>
  new Refusal({ event: "Filter", type: "FILTERED", reason: "FILTERED", detail })

export const throttled = ({ per, period }: LimitName, detail: string) =>
  new Refusal({ event: "Throttle", type: "THROTTLED", reason: undefined, detail, limit: { per, period } })

export const undeliverable = (reason: Reason, detail: string) =>
  new Refusal({ event: "Undeliver", type: "UNDELIVERABLE", reason, detail })

/** The recipient's preferences leave nothing of the message (api.md 10.4, 5 and 6). */
export const unwanted = (decision: PreferenceDecision) =>
  new Refusal({
    event: "Undeliver",
    type: "UNDELIVERABLE",
    reason: decision.reason ?? "UNSUBSCRIBED",
    detail: decision.reason === "OPT_IN_REQUIRED"
      ? "The recipient has not opted in to the notification"
      : decision.reason === "NO_CHANNELS"
      ? "The topic goes through none of the channels of the message"
      : "Notification opted out by user",
    decision
  })

const words: Readonly<Record<SuppressionReason, (channel: string) => string>> = {
  BOUNCED: (channel) => `What was sent to the recipient's address for ${channel} has bounced`,
  MANUAL: (channel) => `The recipient's address for ${channel} is suppressed`,
  UNSUBSCRIBED: (channel) => `The recipient has unsubscribed the address for ${channel}`,
  COMPLAINED: (channel) => `The recipient has complained of what was sent to the address for ${channel}`
}

/** Nothing is left of the message without its suppressed channels, of which the first says why. */
export const suppressed = ({ channel, reason }: LeftOut, all: ReadonlyArray<LeftOut>) =>
  new Refusal({
    event: "Undeliver",
    type: "UNDELIVERABLE",
    reason: reason === "BOUNCED" ? "BOUNCED" : "UNSUBSCRIBED",
    detail: words[reason](channel),
    suppressed: all
  })

/** The same refusal, with what else was known of its message by then. */
export const knowing = (
  refusal: Refusal,
  known: Partial<Pick<Refusal, "decision" | "recipient" | "templateId" | "unknown">>
): Refusal => {
  const { decision, detail, event, limit, reason, recipient, suppressed, templateId, type, unknown } = refusal
  return new Refusal({
    event,
    type,
    reason,
    detail,
    decision,
    suppressed,
    limit,
    recipient,
    templateId,
    ...known,
    unknown: unknown === undefined ? known.unknown : { ...unknown, ...known.unknown }
  })
}
