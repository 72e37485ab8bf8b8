import { listed } from "#layers/providers/Catalogue.ts"
import * as Discord from "#layers/providers/Discord.ts"
import * as MsTeams from "#layers/providers/MsTeams.ts"
import * as PagerDuty from "#layers/providers/PagerDuty.ts"
import * as Slack from "#layers/providers/Slack.ts"
import { messageId, type Refusal, type Row } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"

const slackFault = (error: string, rest: Pick<Refusal, "kind" | "invalidates">): Refusal => ({
  name: error,
  answer: json(200, { ok: false, error }),
  ...rest
})

export const slack: Row = {
  entry: listed(Slack.definition),
  settings: {},
  profile: { slack: { access_token: "xoxb-token", email: "ann@example.com" } },
  before: { "/users.lookupByEmail": json(200, { ok: true, user: { id: "U012AB3CD", name: "ann" } }) },
  success: json(200, {
    ok: true,
    channel: "C123456",
    ts: "1503435956.000247",
    message: { text: "Here's a message for you", type: "message" }
  }),
  reference: "1503435956.000247",
  request: {
    method: "POST",
    path: "/chat.postMessage",
    headers: { authorization: "Bearer xoxb-token", "content-type": "application/json; charset=utf-8" },
    body: { channel: "U012AB3CD", text: "*Your order*\nIt is on its way.", parse: "none", link_names: false }
  },
  refusals: [
    slackFault("channel_not_found", { kind: "RecipientRejected" }),
    slackFault("is_archived", { kind: "RecipientRejected" }),
    slackFault("restricted_action", { kind: "RecipientRejected" }),
    slackFault("restricted_action_read_only_channel", { kind: "RecipientRejected" }),
    slackFault("user_not_found", { kind: "RecipientRejected", invalidates: true }),
    slackFault("msg_too_long", { kind: "ContentRejected" }),
    slackFault("invalid_blocks", { kind: "ContentRejected" }),
    slackFault("attachment_payload_limit_exceeded", { kind: "ContentRejected" }),
    slackFault("cannot_reply_to_message", { kind: "ContentRejected" }),
    slackFault("metadata_too_large", { kind: "ContentRejected" }),
    slackFault("slack_connect_file_link_sharing_blocked", { kind: "ContentRejected" }),
    slackFault("restricted_action_thread_locked", { kind: "RecipientRejected" }),
    slackFault("token_revoked", { kind: "Misconfigured" }),
    slackFault("missing_scope", { kind: "Misconfigured" }),
    slackFault("ratelimited", { kind: "RateLimited" }),
    slackFault("message_limit_exceeded", { kind: "RateLimited" }),
    slackFault("service_unavailable", { kind: "Unavailable" }),
    slackFault("internal_error", { kind: "Unknown" })
  ]
}

const discordFault = (status: number, code: number, message: string): Answer => json(status, { code, message })

export const discord: Row = {
  entry: listed(Discord.definition),
  settings: { bot_token: "bot-token" },
  profile: { discord: { user_id: "80351110224678912" } },
  before: { "/api/v10/users/@me/channels": json(200, { id: "319674150115610528", type: 1 }) },
  success: json(200, { id: "334385199974967042", channel_id: "319674150115610528", content: "…" }),
  reference: "334385199974967042",
  request: {
    method: "POST",
    path: "/api/v10/channels/319674150115610528/messages",
    headers: {
      authorization: "Bot bot-token",
      "content-type": "application/json",
      // discord.com/developers/docs/reference#user-agent
      "user-agent": /^DiscordBot \(https:\/\/\S+, [\d.]+\)$/
    },
    body: {
      content: "**Your order**\nIt is on its way.",
      nonce: "MffIc4TKliajMgee-B8rRHu7K",
      enforce_nonce: true,
      allowed_mentions: { parse: [] }
    }
  },
  refusals: [
    {
      name: "10003 unknown channel",
      answer: discordFault(404, 10003, "Unknown Channel"),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "50007 takes none",
      answer: discordFault(403, 50007, "Cannot send messages to this user"),
      kind: "RecipientRejected"
    },
    { name: "50035 form", answer: discordFault(400, 50035, "Invalid Form Body"), kind: "ContentRejected" },
    { name: "50006 empty", answer: discordFault(400, 50006, "Cannot send an empty message"), kind: "ContentRejected" },
    { name: "50001 access", answer: discordFault(403, 50001, "Missing Access"), kind: "RecipientRejected" },
    { name: "50013 rights", answer: discordFault(403, 50013, "Missing Permissions"), kind: "RecipientRejected" },
    {
      name: "50008 no text channel",
      answer: discordFault(400, 50008, "Cannot send messages in a non-text channel"),
      kind: "RecipientRejected"
    },
    { name: "401 token", answer: discordFault(401, 0, "401: Unauthorized"), kind: "Misconfigured" },
    {
      name: "40003 too fast",
      answer: discordFault(429, 40003, "Opening direct messages too fast"),
      kind: "RateLimited"
    },
    {
      name: "429 global",
      answer: json(429, { message: "You are being rate limited.", retry_after: 64.57, global: true }),
      kind: "RateLimited"
    },
    { name: "130000 overloaded", answer: discordFault(503, 130000, "API resource is overloaded"), kind: "Unavailable" }
  ]
}

const teamsFault = (status: number, code: string, message: string): Answer => json(status, { error: { code, message } })

export const msTeams: Row = {
  entry: listed(MsTeams.definition),
  settings: {
    app_id: "8d4b3c2a-1111-2222-3333-444455556666",
    app_password: "app-password",
    token_url: "{origin}/login"
  },
  profile: {
    ms_teams: {
      service_url: "https://smba.trafficmanager.net/emea/",
      tenant_id: "72f988bf-86f1-41af-91ab-2d7cd011db47",
      user_id: "29:1nsuWEIyPHQ"
    }
  },
  before: {
    "/login": json(200, { token_type: "Bearer", expires_in: 3600, access_token: "teams-token" }),
    "/v3/conversations": json(201, { id: "a:1pL6i0oY3C0K8oAj8" })
  },
  success: json(201, { id: "1576102471871" }),
  reference: "1576102471871",
  request: {
    method: "POST",
    path: "/v3/conversations/a%3A1pL6i0oY3C0K8oAj8/activities",
    headers: { authorization: "Bearer teams-token", "content-type": "application/json" },
    body: {
      type: "message",
      from: { id: "28:8d4b3c2a-1111-2222-3333-444455556666" },
      text: "Your order\nIt is on its way.",
      textFormat: "plain"
    }
  },
  refusals: [
    {
      name: "404 ConversationNotFound",
      answer: teamsFault(404, "ConversationNotFound", "Conversation not found."),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "403 ConversationBlockedByUser",
      answer: teamsFault(403, "ConversationBlockedByUser", "User blocked the conversation with the bot."),
      kind: "RecipientRejected"
    },
    {
      name: "403 BotNotInConversationRoster",
      answer: teamsFault(403, "BotNotInConversationRoster", "The bot is not part of the conversation roster."),
      kind: "RecipientRejected"
    },
    {
      name: "413 MessageSizeTooBig",
      answer: teamsFault(413, "MessageSizeTooBig", "Message size too large."),
      kind: "ContentRejected"
    },
    { name: "400 BadSyntax", answer: teamsFault(400, "BadSyntax", "Bad format"), kind: "ContentRejected" },
    {
      name: "400 user id",
      answer: teamsFault(400, "BadArgument", "Failed to decrypt pairwise id"),
      kind: "RecipientRejected"
    },
    {
      name: "403 conversation id",
      answer: teamsFault(403, "BadArgument", "Failed to decrypt conversation id"),
      kind: "RecipientRejected"
    },
    {
      name: "400 conversation",
      answer: teamsFault(400, "BadSyntax", "Incorrect conversation creation parameters"),
      kind: "RecipientRejected"
    },
    {
      name: "403 disabled",
      answer: teamsFault(403, "BotDisabledByAdmin", "The tenant admin disabled this bot"),
      kind: "Misconfigured"
    },
    {
      name: "412 precondition",
      answer: teamsFault(412, "PreconditionFailed", "Precondition failed"),
      kind: "Unavailable"
    }
  ],
  differs: { "404": { outcome: "RecipientRejected", why: "its path is the conversation" } }
}

const pagerDutyFault = (...errors: ReadonlyArray<string>): Answer =>
  json(400, { status: "invalid event", message: "Event object is invalid", errors })

export const pagerDuty: Row = {
  entry: listed(PagerDuty.definition),
  settings: { severity: "warning", source: "monitoring" },
  profile: { pagerduty: { routing_key: "e93facc04764012d7bfb002500d5d1a6", source: "prod-datapipe03.example.com" } },
  success: json(202, { status: "success", message: "Event processed", dedup_key: "srv01/HTTP" }),
  reference: "srv01/HTTP",
  request: {
    method: "POST",
    path: "/v2/enqueue",
    headers: { "content-type": "application/json" },
    body: {
      routing_key: "e93facc04764012d7bfb002500d5d1a6",
      event_action: "trigger",
      dedup_key: messageId,
      payload: {
        summary: "Your order",
        custom_details: { body: "It is on its way." },
        source: "prod-datapipe03.example.com",
        severity: "warning"
      }
    }
  },
  refusals: [
    {
      name: "400 routing key",
      answer: pagerDutyFault("Invalid routing key"),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "400 no routing key",
      answer: pagerDutyFault(
        "Length of 'routing_key' is incorrect (should be 32 characters)",
        "'routing_key' cannot contain non-alphanumeric characters."
      ),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "400 severity",
      answer: pagerDutyFault(
        "'payload.severity' is invalid (must be one of the following: 'critical', 'warning', 'error' or 'info')"
      ),
      kind: "ContentRejected"
    },
    {
      name: "400 unreadable",
      answer: json(400, {
        status: "Unrecognized object",
        message: "Event object format is unrecognized",
        errors: ["JSON parse error"]
      }),
      kind: "ContentRejected"
    },
    { name: "413 too large", answer: { status: 413 }, kind: "ContentRejected" }
  ]
}
