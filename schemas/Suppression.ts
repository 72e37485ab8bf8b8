import { Schema } from "effect"

/** The channels whose addresses can be suppressed; that a push token is dead is told of the token (`DeviceToken`). */
export const SuppressionChannel = Schema.Literals(["email", "sms"]).annotate({ title: "SuppressionChannel" })
export type SuppressionChannel = typeof SuppressionChannel.Type

/**
 * Why an address is sent to no more, the weakest first: mail to it was returned, somebody of the workspace suppressed
 * it, or its owner unsubscribed it or complained of a message at a vendor.
 */
export const SuppressionReason = Schema.Literals(["BOUNCED", "MANUAL", "UNSUBSCRIBED", "COMPLAINED"])
  .annotate({ title: "SuppressionReason" })
export type SuppressionReason = typeof SuppressionReason.Type

/** A channel that a message does not go through, since the recipient's address for it is suppressed. */
export const LeftOut = Schema.Struct({ channel: SuppressionChannel, reason: SuppressionReason })
  .annotate({ title: "SuppressedChannel" })
export type LeftOut = typeof LeftOut.Type
