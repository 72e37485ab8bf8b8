import * as ChatPlaces from "#layers/providers/ChatPlaces.ts"
import * as ChatText from "#layers/providers/ChatText.ts"
import * as Found from "#layers/providers/Found.ts"
import * as IncomingWebhook from "#layers/providers/IncomingWebhook.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { baseOf, baseUrl, secret } from "#layers/providers/SettingFields.ts"
import { badAddress, define, noFault, reading, type Writer } from "#layers/providers/VendorDefinition.ts"
import type { VendorAnswer } from "#layers/providers/VendorHttp.ts"
import { errorOf, type VendorTable, waitOf } from "#layers/providers/VendorTable.ts"
import type { SlackAddress, SlackWebhook } from "#schemas/ChatAddress.ts"
import { Misconfigured, Unavailable } from "#schemas/DeliveryError.ts"
import { isList, isObject } from "#schemas/Json.ts"
import * as Mrkdwn from "#src/content/chat/Mrkdwn.ts"
import type { Delivery } from "#src/delivery/Provider.ts"
import { Effect, Redacted, Schema } from "effect"

/** `access_token` is used for recipients whose address brings none of its own. */
const Settings = Schema.Struct({ access_token: Schema.optionalKey(secret), ...baseUrl })

/** Slack refuses with HTTP 200 and `ok: false`. */
const table: VendorTable = [
  // "Some aspect of the operation may have succeeded before the error was raised."
  { code: ["fatal_error", "internal_error"], kind: "Unknown" },
  { code: ["ratelimited", "rate_limited"], kind: "RateLimited" },
  { code: "message_limit_exceeded", kind: "RateLimited" },
  { code: ["service_unavailable", "request_timeout", "team_added_to_org"], kind: "Unavailable" },
  { code: ["user_not_found", "users_not_found", "user_disabled"], kind: "RecipientRejected", invalidates: true },
  // An incoming webhook that was revoked, and a `response_url` that is over.
  {
    code: ["no_service", "no_active_hooks", "no_team", "team_disabled", "invalid_token", "expired_url", "used_url"],
    kind: "RecipientRejected",
    invalidates: true
  },
  {
    code: [
      "channel_not_found",
      "is_archived",
      "channel_is_archived",
      "action_prohibited",
      "posting_to_general_channel_denied",
      "not_in_channel",
      "cannot_dm_bot",
      "messages_tab_disabled",
      "user_not_visible",
      // The workspace or the channel lets nobody like us post there.
      "restricted_action",
      "restricted_action_non_threadable_channel",
      "restricted_action_read_only_channel",
      "restricted_action_thread_locked",
      "restricted_action_thread_only_channel"
    ],
    kind: "RecipientRejected"
  },
  {
    code: [
      "msg_too_long",
      "msg_blocks_too_long",
      "no_text",
      "invalid_blocks",
      "invalid_blocks_format",
      "invalid_attachments",
      "too_many_attachments",
      "invalid_arguments",
      "invalid_payload",
      "missing_text_or_fallback_or_attachments",
      "invalid_metadata_format",
      "invalid_metadata_schema",
      "metadata_too_large",
      "attachment_payload_limit_exceeded",
      "cannot_reply_to_message",
      "markdown_text_conflict",
      "missing_file_data",
      "too_many_contact_cards",
      // The channel is shared with another company, whose administrators want no links to such files there.
      "slack_connect_canvas_sharing_blocked",
      "slack_connect_file_link_sharing_blocked",
      "slack_connect_lists_sharing_blocked"
    ],
    kind: "ContentRejected"
  }
]

/** Of messages, it is one a second to the same channel; look-ups are counted for a workspace. */
const tableOfMessages: VendorTable = [
  { code: ["ratelimited", "rate_limited"], kind: "RateLimited", ofRecipient: true },
  ...table
]

const ok = reading(Schema.Struct({ ok: Schema.Literal(true) }))
const isOk = (answer: VendorAnswer): boolean => ok(answer) !== undefined
const accepted = reading(Schema.Struct({ ok: Schema.Literal(true), ts: Schema.NonEmptyString }))
const refusal = reading(Schema.Struct({
  ok: Schema.Literal(false),
  error: Schema.String,
  /** With `missing_scope`: the scope. */
  needed: Schema.optional(Schema.Json),
  response_metadata: Schema.optional(Schema.Json)
}))
const found = reading(Schema.Struct({ ok: Schema.Literal(true), user: Schema.Struct({ id: Schema.NonEmptyString }) }))

/** An incoming webhook answers with one word. */
const isWord = ({ body, status }: VendorAnswer): boolean => status >= 400 && /^[a-z_]{1,99}$/.test(body)

const fault = (answer: VendorAnswer) => {
  const said = refusal(answer)
  if (said === undefined) return isWord(answer) ? { codes: [answer.body], message: "" } : noFault
  const { error, needed, response_metadata: about } = said
  const messages = isObject(about) && isList(about["messages"]) ? about["messages"] : []
  const words = [needed, ...messages].filter((one) => typeof one === "string")
  return { codes: [error], message: words.join(" ") }
}

type To = SlackAddress | SlackWebhook

const isWebhook = (to: To): to is SlackWebhook => "incoming_webhook" in to

const hosts = /^hooks\.slack(?:-gov)?\.com$/

/** What Slack formats: a pair of its marks, and a line that begins as a quote. */
const formatted = /([*_~`]).*\1|^[ \t]*&gt;/m

/**
 * The text, and its title in bold. With what Slack would take for formatting in its words, nothing is formatted, since
 * there is no escape for it. What an author wrote for Slack (`raw`, the override) is as they want it.
 */
const said = ({ override: { body: own }, rendered }: Delivery): Schema.JsonObject => {
  const words = ChatText.chat(rendered, Mrkdwn.escape, (title) => title)
  const isAuthors = rendered.raw !== undefined || (isObject(own) && Object.hasOwn(own, "text"))
  return !isAuthors && (rendered.title.includes("*") || formatted.test(words))
    ? { text: words, mrkdwn: false }
    : { text: ChatText.chat(rendered, Mrkdwn.escape, (title) => `*${title}*`) }
}

const message = (delivery: Delivery) => {
  const slackBlocks = delivery.rendered.raw?.["slackBlocks"] ?? delivery.rendered.native?.["slackBlocks"]
  return {
    ...said(delivery),
    ...(slackBlocks === undefined ? {} : { blocks: slackBlocks }),
    // Keeps names and channels in a text from becoming mentions and links.
    parse: "none",
    link_names: false
  }
}

const json = { "content-type": "application/json; charset=utf-8" }

const writer = Effect.fnUntraced(function*() {
  // About 50 look-ups a minute are answered (docs.slack.dev/apis/web-api/rate-limits, tier 3).
  const known = yield* Found.make
  const request: Writer<typeof Settings.Type, To>["request"] = Effect.fnUntraced(function*(
    { delivery, line, settings, to }
  ) {
    if (isWebhook(to)) {
      const url = IncomingWebhook.at(to.incoming_webhook.url, hosts, settings.base_url)
      if (url === undefined) return yield* badAddress("incoming_webhook.url is none of Slack's")
      const body = JsonBody.write(Overrides.body(message(delivery), delivery.override))
      return { method: "POST" as const, url, headers: json, body }
    }
    const token = to.access_token ?? (settings.access_token === undefined ? "" : Redacted.value(settings.access_token))
    if (!/^[\x21-\x7e]+$/.test(token)) return yield* new Misconfigured({ detail: "No Slack access token" })
    const base = baseOf(settings, "https://slack.com/api")
    const headers = { authorization: `Bearer ${token}` }

    const userOf = Effect.fnUntraced(function*(email: string) {
      const answer = yield* line.prepare({
        method: "GET",
        url: `${base}/users.lookupByEmail?email=${encodeURIComponent(email)}`,
        headers
      })
      const user = found(answer)?.user.id
      if (user !== undefined) return user
      const said = fault(answer)
      if (answer.status < 300 && said.codes.length === 0)
        return yield* new Unavailable({ detail: "Slack found nobody readable" })
      const error = errorOf(
        table,
        { status: answer.status, fault: said, retryAfter: yield* waitOf(answer) },
        "Slack finds no such user"
      )
      return yield* error._tag === "Unknown" ? new Unavailable({ detail: error.detail }) : error
    })

    const channel = to.channel ?? to.user_id ??
      (to.email ? yield* known(`${base} ${token} ${to.email}`, userOf(to.email)) : undefined)
    if (channel === undefined) return yield* badAddress("No Slack channel or user")
    return {
      method: "POST" as const,
      url: `${base}/chat.postMessage`,
      headers: { ...headers, ...json },
      body: JsonBody.write(Overrides.body({ channel, ...message(delivery) }, delivery.override))
    }
  })
  return { request }
})

const accountOf = (to: To | undefined): string | undefined =>
  to && (isWebhook(to) ? to.incoming_webhook.url : to.access_token ?? undefined)

/**
 * POST /chat.postMessage, for an e-mail address after users.lookupByEmail
 * (api.slack.com/methods/chat.postMessage#errors), or POST to an incoming webhook
 * (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 */
export const definition = define({
  key: "slack",
  name: "Slack",
  description: "Messages to Slack channels and people",
  channel: "direct_message",
  says: ["text", "blocks", "attachments"],
  settings: Settings,
  recipients: ChatPlaces.slack,
  ownAccount: (profile) => accountOf(ChatPlaces.slack(profile)[0]),
  // The state is of no setting: what is known is kept by address and token.
  holds: [],
  writer,
  accepted: (answer, to) => {
    // All that an incoming webhook says; a `response_url` may say it in JSON.
    if (isWebhook(to)) return answer.body === "ok" || isOk(answer) ? { reference: undefined } : undefined
    const taken = accepted(answer)
    return taken === undefined ? undefined : { reference: taken.ts }
  },
  fault,
  table: tableOfMessages
})
