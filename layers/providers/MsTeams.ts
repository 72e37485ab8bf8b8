import * as BearerToken from "#layers/providers/BearerToken.ts"
import * as ChatPlaces from "#layers/providers/ChatPlaces.ts"
import * as ChatText from "#layers/providers/ChatText.ts"
import * as Found from "#layers/providers/Found.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Cloud from "#layers/providers/MsTeamsCloud.ts"
import * as Lookup from "#layers/providers/MsTeamsLookup.ts"
import * as Webhook from "#layers/providers/MsTeamsWebhook.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { baseUrl, secret, segment, url } from "#layers/providers/SettingFields.ts"
import * as TokenAnswer from "#layers/providers/TokenAnswer.ts"
import { badAddress, define, reading, type Writer } from "#layers/providers/VendorDefinition.ts"
import type { Line, VendorAnswer } from "#layers/providers/VendorHttp.ts"
import { errorOf, type Fault, type VendorTable, waitOf } from "#layers/providers/VendorTable.ts"
import type { MsTeamsAddress, MsTeamsWebhook } from "#schemas/ChatAddress.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { Misconfigured, Unavailable } from "#schemas/DeliveryError.ts"
import { mostTogether } from "#src/content/chat/AdaptiveCard.ts"
import { cut } from "#src/content/Cut.ts"
import { Effect, Redacted, Schema } from "effect"

/** `app_id` and `app_password` are the bot's; without one, only workflows are reached, by their URLs. */
const Settings = Schema.Struct({
  app_id: Schema.optionalKey(segment),
  app_password: Schema.optionalKey(secret),
  /** For a single-tenant bot. */
  tenant_id: Schema.optionalKey(segment),
  token_url: Schema.optionalKey(url),
  /** The address of Microsoft Graph, in place of its usual one. */
  graph_url: Schema.optionalKey(url),
  ...baseUrl
}).check(
  Schema.makeFilter(({ app_id, app_password }) =>
    (app_id === undefined) === (app_password === undefined) || "Expected app_id and app_password together, or neither"
  )
)

type Bot = typeof Settings.Type & Required<Pick<typeof Settings.Type, "app_id" | "app_password">>

type To = MsTeamsAddress | MsTeamsWebhook

const isWebhook = (to: To): to is MsTeamsWebhook => "webhook_url" in to

const table: VendorTable = [
  // A workflow that is gone or switched off, or whose URL is another one by now.
  { code: ["WorkflowNotFound", "WorkflowTriggerIsNotEnabled"], kind: "RecipientRejected", invalidates: true },
  { code: Webhook.code, status: [401, 403, 404, 410], kind: "RecipientRejected" },
  { code: Webhook.code, status: [400, 413], kind: "ContentRejected" },
  { code: "ConversationNotFound", kind: "RecipientRejected", invalidates: true },
  {
    code: ["ConversationBlockedByUser", "BotNotInConversationRoster", "NotEnoughPermissions", "MessageWritesBlocked"],
    kind: "RecipientRejected"
  },
  // The id of a user or a conversation is none, or is another bot's or another tenant's.
  {
    code: ["BadSyntax", "BadArgument"],
    says: /(?:pairwise|conversation|user) id(?:entity)?\b|conversation creation/i,
    kind: "RecipientRejected"
  },
  { code: ["MessageSizeTooBig", "BadSyntax", "BadArgument", "ActivityNotSupported"], kind: "ContentRejected" },
  { code: "ServiceError", kind: "Unavailable" },
  { status: 404, kind: "RecipientRejected" },
  { status: 412, kind: "Unavailable" },
  { status: 413, kind: "ContentRejected" }
]

const resource = reading(Schema.Struct({ id: Schema.NonEmptyString }))
const refusal = reading(Schema.Struct({
  error: Schema.Struct({ code: Schema.optional(Schema.String), message: Schema.optional(Schema.String) })
}))

const fault = (answer: VendorAnswer, to?: To): Fault => {
  const said = refusal(answer)?.error
  const own = said?.code === undefined ? [] : [said.code]
  return {
    codes: answer.status >= 300 && to !== undefined && isWebhook(to) ? [...own, Webhook.code] : own,
    message: said?.message ?? ""
  }
}

const serviceOf = (to: MsTeamsAddress, base: string | undefined): string | undefined => {
  if (base !== undefined) return base.replace(/\/+$/, "")
  if (Cloud.of(to.service_url) === undefined) return undefined
  const { origin, pathname } = new URL(to.service_url)
  return `${origin}${pathname.replace(/\/+$/, "")}`
}

/** The adaptive card, with what fits of the text as the summary that a notification shows; or what fits of the text. */
const said = (rendered: Rendered): Schema.JsonObject => {
  const text = ChatText.chat(rendered, (text) => text, (title) => title)
  const card = rendered.native?.["adaptiveCard"]
  return card === undefined
    // Plain text, so that data cannot make a link or a mention.
    ? { text: cut(text, mostTogether), textFormat: "plain" }
    : {
      summary: cut(text, mostTogether - JSON.stringify(card).length),
      attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: card }]
    }
}

const headers = { "content-type": "application/json" }

const botWriter = Effect.fnUntraced(function*(settings: Bot) {
  const tokenIn = (realm: Cloud.Cloud["realm"]) => {
    const { scope, tenant } = Cloud.bots[realm]
    const url = settings.token_url ?? Cloud.login({ realm }, settings.tenant_id ?? tenant)
    return BearerToken.make((line) =>
      TokenAnswer.request(line, "Microsoft", url, {
        grant_type: "client_credentials",
        client_id: settings.app_id,
        client_secret: Redacted.value(settings.app_password),
        scope
      })
    )
  }
  const tokens = { com: yield* tokenIn("com"), us: yield* tokenIn("us") }
  /** The cloud that a recipient is in: beside a `base_url`, their `service_url` need not name one. */
  const cloudOf = ({ service_url }: MsTeamsAddress): Cloud.Cloud => Cloud.of(service_url) ?? Cloud.commercial
  const personOf = Lookup.people(settings)
  const known = yield* Found.make
  /** Opens the conversation with one user, which is the same one at every call. */
  const opened = Effect.fnUntraced(
    function*(line: Line, service: string, to: MsTeamsAddress, userId: string) {
      const answer = yield* line.prepare({
        method: "POST",
        url: `${service}/v3/conversations`,
        headers,
        body: JSON.stringify({
          bot: { id: `28:${settings.app_id}` },
          members: [{ id: userId }],
          isGroup: false,
          tenantId: to.tenant_id ?? settings.tenant_id,
          channelData: { tenant: { id: to.tenant_id ?? settings.tenant_id } }
        })
      })
      const id = answer.status < 300 ? resource(answer)?.id : undefined
      if (id !== undefined) return id
      if (answer.status < 300) return yield* new Unavailable({ detail: "Teams opened no readable conversation" })
      const known = { status: answer.status, fault: fault(answer), retryAfter: yield* waitOf(answer) }
      return yield* errorOf(table, known, `Teams opened no conversation: ${answer.status}`)
    }
  )
  /** The id of the person's conversation with the bot. */
  const met = Effect.fnUntraced(function*(line: Line, asking: Line, service: string, to: MsTeamsAddress) {
    if (to.user_id) return yield* opened(asking, service, to, to.user_id)
    const tenant = to.tenant_id ?? settings.tenant_id
    if (!tenant) return yield* badAddress("An e-mail address of Teams needs its tenant_id")
    return yield* opened(asking, service, to, yield* personOf(line, cloudOf(to), tenant, to.email ?? ""))
  })
  /**
   * The conversation of a person or channel that is not named by its conversation id, and has to be found first. A
   * channel's name may be another one's by now, so it is asked about each time.
   */
  const reached = (line: Line, service: string, to: MsTeamsAddress) => {
    // Calls before the sending one carry the bot's token, too.
    const asking: Line = { ...line, prepare: (asked) => tokens[cloudOf(to).realm].prepare(line, asked, [401]) }
    return to.user_id || to.email
      ? known(JSON.stringify([service, to]), met(line, asking, service, to))
      : Lookup.channelNamed(asking, service, to.team_id ?? "", to.channel_name ?? "")
  }
  const request: Writer<typeof Settings.Type, MsTeamsAddress>["request"] = Effect.fnUntraced(
    function*({ delivery, line, settings, to }) {
      const service = serviceOf(to, settings.base_url)
      if (service === undefined) return yield* badAddress("service_url is no Bot Connector of Microsoft's")
      const conversation = to.conversation_id ?? to.channel_id ?? (yield* reached(line, service, to))
      return {
        method: "POST" as const,
        url: `${service}/v3/conversations/${encodeURIComponent(conversation)}/activities`,
        headers: { ...headers, authorization: `Bearer ${yield* tokens[cloudOf(to).realm].get(line)}` },
        body: JsonBody.write(Overrides.body({
          type: "message",
          from: { id: `28:${settings.app_id}` },
          ...said(delivery.rendered)
        }, delivery.override))
      }
    }
  )
  const forget = (authorization: string | undefined) =>
    Effect.andThen(tokens.com.forget(authorization), tokens.us.forget(authorization))
  return { request, forget }
})

const writer = Effect.fnUntraced(function*(settings: typeof Settings.Type): Effect.fn.Return<
  Writer<typeof Settings.Type, To>
> {
  const { app_id, app_password } = settings
  const bot = app_id === undefined || app_password === undefined
    ? undefined
    : yield* botWriter({ ...settings, app_id, app_password })
  const noBot = new Misconfigured({ detail: "The configuration has no bot: app_id and app_password" })
  const request: Writer<typeof Settings.Type, To>["request"] = ({ to, ...call }) => {
    if (isWebhook(to)) return Webhook.request({ ...call, to })
    return bot === undefined ? Effect.fail(noBot) : bot.request({ ...call, to })
  }
  return bot === undefined ? { request } : { request, forget: bot.forget }
})

/**
 * Bot Framework: POST {service}/v3/conversations/{id}/activities with the bot's own token
 * (learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference).
 */
export const definition = define({
  key: "msteams",
  name: "Microsoft Teams",
  description: "Messages to Microsoft Teams channels and people, by a bot or a workflow",
  channel: "direct_message",
  says: ["text", "attachments"],
  settings: Settings,
  holds: ["app_id", "app_password", "tenant_id", "token_url", "graph_url"],
  recipients: ChatPlaces.msTeams,
  ownAccount: (profile) => ChatPlaces.msTeams(profile).find(isWebhook)?.webhook_url,
  writer,
  accepted: (answer, to) => {
    if (isWebhook(to)) return Webhook.accepted(answer)
    const taken = resource(answer)
    return taken === undefined ? undefined : { reference: taken.id }
  },
  fault,
  // A workflow's 401 is about its URL, not about the bot's token.
  beyondToken: [Webhook.code],
  table
})
