import { Id } from "#schemas/Id.ts"
import { optional } from "#schemas/Optional.ts"
import { Schema } from "effect"

/** Where a Slack message goes; the first of `channel`, `user_id` and `email` counts (api.md 2.1). */
export const SlackAddress = Schema.Struct({
  /** Used instead of the token in the provider's configuration. */
  access_token: optional(Schema.String),
  channel: optional(Id),
  user_id: optional(Id),
  email: optional(Id)
})
export type SlackAddress = typeof SlackAddress.Type

/**
 * An incoming webhook of Slack, or the `response_url` of a command, which needs no token; for who has no other address
 * in Slack (api.md 2.1).
 */
export const SlackWebhook = Schema.Struct({ incoming_webhook: Schema.Struct({ url: Schema.NonEmptyString }) })
export type SlackWebhook = typeof SlackWebhook.Type

/**
 * Where a Teams message goes. The first that is given counts: a conversation, a channel, a user, an e-mail address, a
 * channel of a team by its name (api.md 2.1).
 */
export const MsTeamsAddress = Schema.Struct({
  service_url: Id,
  tenant_id: optional(Id),
  conversation_id: optional(Id),
  channel_id: optional(Id),
  user_id: optional(Id),
  email: optional(Id),
  channel_name: optional(Id),
  team_id: optional(Id)
})
export type MsTeamsAddress = typeof MsTeamsAddress.Type

/** A workflow of Teams that posts what its URL is sent; for who has no address that a bot can reach. */
export const MsTeamsWebhook = Schema.Struct({ webhook_url: Schema.NonEmptyString })
export type MsTeamsWebhook = typeof MsTeamsWebhook.Type

/** Where a Discord message goes; `channel_id` wins over `user_id` (api.md 2.2). */
export const DiscordAddress = Schema.Struct({
  channel_id: optional(Id),
  user_id: optional(Id)
})
export type DiscordAddress = typeof DiscordAddress.Type

/** The PagerDuty service that an incident is for (api.md 2.1). */
export const PagerDutyAddress = Schema.Struct({
  routing_key: optional(Id),
  event_action: optional(Schema.String),
  severity: optional(Schema.String),
  source: optional(Schema.String)
})
export type PagerDutyAddress = typeof PagerDutyAddress.Type
