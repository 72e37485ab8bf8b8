import { JsonMap, optional } from "#schemas/Optional.ts"
import { Effect, Schema } from "effect"

/** A channel that a recipient can choose (api.md 2.3). */
export const PreferenceChannel = Schema.Literals(["direct_message", "email", "push", "sms", "webhook", "inbox"])
  .annotate({ title: "PreferenceChannel" })
export type PreferenceChannel = typeof PreferenceChannel.Type

/** `REQUIRED` cannot be opted out of (api.md 2.4). */
export const PreferenceStatus = Schema.Literals(["OPTED_IN", "OPTED_OUT", "REQUIRED"]).annotate({
  title: "PreferenceStatus"
})
export type PreferenceStatus = typeof PreferenceStatus.Type

/**
 * When an entry counts as opted out: from `start` until `until`, ISO 8601. `snooze` is the only known type, and the
 * type of a rule that has none. A time that cannot be read never comes, like the `until` of a delay (api.md 2.4, 26.6).
 */
export const PreferenceRule = Schema.Struct({
  type: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("snooze"))),
  start: optional(Schema.String),
  until: optional(Schema.String)
}).annotate({ title: "PreferenceRule" })
export type PreferenceRule = typeof PreferenceRule.Type

/** What one recipient, list or subscription says of one notification or category (api.md 2.4). */
export const PreferenceEntry = Schema.Struct({
  status: optional(PreferenceStatus),
  channel_preferences: optional(Schema.Array(Schema.Struct({ channel: PreferenceChannel }))),
  rules: optional(Schema.Array(PreferenceRule))
}).annotate({ title: "PreferenceEntry" })
export type PreferenceEntry = typeof PreferenceEntry.Type

/** Preferences by the id of a notification (a template or topic) and by the id of a category (a section). */
export const RecipientPreferences = Schema.Struct({
  notifications: optional(Schema.Record(Schema.String, PreferenceEntry)),
  categories: optional(Schema.Record(Schema.String, PreferenceEntry))
}).annotate({ title: "RecipientPreferences" })
export type RecipientPreferences = typeof RecipientPreferences.Type

/**
 * Characters of JSON that the preferences of a recipient, a list or a subscription may have: they are read with each
 * message that they may concern.
 */
const mostSaid = 100_000

/** The check that a JSON value has at most so many characters. */
const atMost = (characters: number) =>
  Schema.makeFilter((value: object) =>
    JSON.stringify(value).length <= characters ? undefined : `Expected at most ${characters} characters of JSON`
  )

/** Preferences as callers write them; those of before there was a bound may be longer. */
export const WrittenPreferences = RecipientPreferences.check(atMost(mostSaid)).annotate({
  title: "RecipientPreferencesWrite"
})

/** Who said an entry, the strongest first. */
export const PreferenceSource = Schema.Literals(["recipient", "subscription", "list"])
export type PreferenceSource = typeof PreferenceSource.Type

const SentEntry = Schema.Struct({ ...PreferenceEntry.fields, source: optional(PreferenceSource) }).annotate({
  title: "SentPreferenceEntry"
})

/** `to.preferences`: what a send says of its recipient's preferences (api.md 2.1). */
export const SentPreferences = Schema.Struct({
  notifications: optional(Schema.Record(Schema.String, SentEntry)),
  categories: optional(Schema.Record(Schema.String, SentEntry)),
  templateId: optional(Schema.String)
}).annotate({ title: "SentPreferences" })
export type SentPreferences = typeof SentPreferences.Type

/** A status with a choice of channels: a tenant's default for a topic, or a user's own preference (api.md 10.3, 11). */
export const TopicSetting = Schema.Struct({
  status: PreferenceStatus,
  has_custom_routing: optional(Schema.Boolean),
  custom_routing: optional(Schema.Array(PreferenceChannel))
}).annotate({ title: "TopicSetting" })
export type TopicSetting = typeof TopicSetting.Type

const Name = Schema.NonEmptyString.check(Schema.isMaxLength(512))

/** A group of topics as callers write it (api.md 10.2). */
export const PreferenceSection = Schema.Struct({
  name: Name,
  description: optional(Schema.String),
  has_custom_routing: optional(Schema.Boolean),
  routing_options: optional(Schema.Array(PreferenceChannel))
})
export type PreferenceSection = typeof PreferenceSection.Type

/** What users subscribe to, as callers write it (api.md 10.2). */
export const PreferenceTopic = Schema.Struct({
  name: Name,
  default_status: PreferenceStatus,
  description: optional(Schema.String),
  routing_options: optional(Schema.Array(PreferenceChannel)),
  allowed_preferences: optional(Schema.Array(Schema.Literals(["snooze", "channel_preferences"]))),
  include_unsubscribe_header: optional(Schema.Boolean),
  topic_data: optional(JsonMap)
})
export type PreferenceTopic = typeof PreferenceTopic.Type

/** Topics that the catalogue of an environment has at most, and sections: whoever lists them is shown all. */
export const mostTopics = 1_000
export const mostSections = 200

/** Characters of JSON that one of them may have. */
const mostWritten = 4_000

/** As callers write them; those of before there was a bound may be longer. */
export const WrittenSection = PreferenceSection.check(atMost(mostWritten)).annotate({ title: "SectionWrite" })
export const WrittenTopic = PreferenceTopic.check(atMost(mostWritten)).annotate({ title: "TopicWrite" })
