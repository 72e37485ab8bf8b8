import { PreferenceStatus } from "#schemas/Preferences.ts"
import { Reason } from "#schemas/Status.ts"
import { Schema } from "effect"

/**
 * Who said a preference, the strongest first: the send itself; the user for the topic, inside the tenant and then
 * outside of any; the recipient's legacy preferences; the subscription; the list. Then the defaults for who said
 * nothing: the tenant's, the topic's, its section's (api.md 10.4).
 */
export const DecisionSource = Schema.Literals([
  "message",
  "user_in_tenant",
  "user",
  "recipient",
  "subscription",
  "list",
  "tenant_default",
  "topic_default",
  "section_default"
])
export type DecisionSource = typeof DecisionSource.Type

/** The rule that decided: its source, and the topic, notification, category or tenant (`id`) that it was about. */
export const DecisionRule = Schema.Struct({
  source: DecisionSource,
  id: Schema.String,
  snoozed: Schema.optionalKey(Schema.Boolean)
})
export type DecisionRule = typeof DecisionRule.Type

/** A choice of the recipient that the topic does not allow, by its name in `allowed_preferences`. */
export const WithheldRule = Schema.Struct({
  source: DecisionSource,
  id: Schema.String,
  preference: Schema.Literals(["snooze", "channel_preferences"])
})
export type WithheldRule = typeof WithheldRule.Type

/**
 * What a recipient's preferences decided about one message, as its timeline stores it. `rule` is present if anybody set
 * a status, `channels` if anybody chose channels; these keep the order of the message's routing. No addresses (P9).
 */
export const PreferenceDecision = Schema.Struct({
  outcome: Schema.Literals(["KEPT", "DROPPED"]),
  topic_id: Schema.optionalKey(Schema.String),
  status: PreferenceStatus,
  rule: Schema.optionalKey(DecisionRule),
  reason: Schema.optionalKey(Reason),
  channels: Schema.optionalKey(Schema.Struct({
    kept: Schema.Array(Schema.String),
    dropped: Schema.Array(Schema.String),
    rule: DecisionRule
  })),
  /** The recipient's choices that did not count. */
  withheld: Schema.optionalKey(Schema.Array(WithheldRule))
})
export type PreferenceDecision = typeof PreferenceDecision.Type
