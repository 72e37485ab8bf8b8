import { PreferenceStatus } from "#schemas/Preferences.ts"
import { Reason } from "#schemas/Status.ts"
import { Schema } from "effect"

/**
 * Whose word a preference is, the strongest first: the send's own, the user's for the topic inside the tenant and outside
 * of one, the recipient's legacy one, the subscription's, the list's; then what holds for who said nothing: the tenant's, the topic's and
 * its section's (api.md 10.4).
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

/** The rule that decided: a source, and the topic, notification, category or tenant that it spoke under. */
export const DecisionRule = Schema.Struct({
  source: DecisionSource,
  id: Schema.String,
  snoozed: Schema.optionalKey(Schema.Boolean)
})
export type DecisionRule = typeof DecisionRule.Type

/** Something a recipient said that their topic does not let them say, by its name in `allowed_preferences`. */
export const WithheldRule = Schema.Struct({
  source: DecisionSource,
  id: Schema.String,
  preference: Schema.Literals(["snooze", "channel_preferences"])
})
export type WithheldRule = typeof WithheldRule.Type

/**
 * What a recipient's preferences made of one message, as its timeline keeps it. `rule` and `channels` are there when
 * somebody spoke of the status, or of the channels; channels keep the order of the message's routing. No addresses (P9).
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
  /** What of the recipient's words did not count. */
  withheld: Schema.optionalKey(Schema.Array(WithheldRule))
})
export type PreferenceDecision = typeof PreferenceDecision.Type
