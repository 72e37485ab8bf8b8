import * as ChatPlaces from "#layers/providers/ChatPlaces.ts"
import * as ChatText from "#layers/providers/ChatText.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { baseOf, baseUrl, line, secret } from "#layers/providers/SettingFields.ts"
import { define, noFault, reading, stateless } from "#layers/providers/VendorDefinition.ts"
import type { VendorAnswer } from "#layers/providers/VendorHttp.ts"
import type { Fault, VendorTable } from "#layers/providers/VendorTable.ts"
import type { PagerDutyAddress } from "#schemas/ChatAddress.ts"
import { Misconfigured } from "#schemas/DeliveryError.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { webAddress } from "#src/content/chat/Address.ts"
import { cut } from "#src/content/Cut.ts"
import { Effect, Redacted, Schema } from "effect"

/** What recipients leave out: `routing_key` is the integration key of a PagerDuty service. */
const Settings = Schema.Struct({
  routing_key: Schema.optionalKey(secret),
  event_action: Schema.optionalKey(Schema.Literals(["trigger", "acknowledge", "resolve"])),
  severity: Schema.optionalKey(Schema.Literals(["critical", "error", "warning", "info"])),
  source: Schema.optionalKey(line),
  ...baseUrl
})

/** Stands for a routing key that the recipient brings. */
const ownKey = "own key"

const aboutKey = /routing.?key/i

/** PagerDuty has one code for all that is wrong with an event. */
const table: VendorTable = [
  { code: ownKey, says: aboutKey, kind: "RecipientRejected", invalidates: true },
  { says: aboutKey, kind: "Misconfigured" },
  { status: [400, 413], kind: "ContentRejected" }
]

const accepted = reading(Schema.Struct({ status: Schema.Literal("success"), dedup_key: Schema.NonEmptyString }))
const refusal = reading(Schema.Struct({
  status: Schema.String,
  message: Schema.optional(Schema.String),
  errors: Schema.optional(Schema.Array(Schema.String))
}))

const fault = (answer: VendorAnswer, to?: PagerDutyAddress): Fault => {
  const said = answer.status < 300 ? undefined : refusal(answer)
  if (said === undefined) return noFault
  const { errors = [], message = "", status } = said
  return {
    codes: to?.routing_key ? [status, ownKey] : [status],
    message: errors.length === 0 ? message : errors.join(" ")
  }
}

/** The most characters of a summary. */
const longest = 1_024

/** The first line that says something is the summary, and all of the body is beside it. */
const said = (rendered: Rendered): Schema.JsonObject => {
  const [first = ""] = ChatText.chat(rendered, (text) => text, (title) => title).trimStart().split("\n", 1)
  const body = ChatText.body(rendered)
  return { summary: cut(first, longest), ...(body === "" ? {} : { custom_details: { body } }) }
}

const links = ({ actions }: Rendered): Schema.Json | undefined => {
  const found = actions.flatMap(({ content, href }) => {
    const address = webAddress(href)
    return address === undefined ? [] : [{ href: address, text: content }]
  })
  return found.length === 0 ? undefined : found
}

/**
 * Events API v2: POST /v2/enqueue (developer.pagerduty.com/docs/events-api-v2-overview, /docs/send-alert-event). An event
 * with the key of an open alert (`dedup_key`) is the same alert, so a repeat is no second incident. The key is the
 * message's id: who acknowledges or resolves names that of the first message in `override.body.dedup_key`.
 */
export const definition = define({
  key: "pagerduty",
  name: "PagerDuty",
  description: "Incidents of PagerDuty services, over the Events API",
  channel: "direct_message",
  says: ["payload.summary"],
  settings: Settings,
  recipients: ChatPlaces.pagerDuty,
  ownAccount: (profile) => ChatPlaces.pagerDuty(profile)[0]?.routing_key ?? undefined,
  writer: stateless(Effect.fnUntraced(function*({ delivery, settings, to }) {
    const key = to.routing_key || (settings.routing_key && Redacted.value(settings.routing_key))
    if (key === undefined) return yield* new Misconfigured({ detail: "No PagerDuty routing key" })
    return {
      method: "POST" as const,
      url: `${baseOf(settings, "https://events.pagerduty.com")}/v2/enqueue`,
      headers: { "content-type": "application/json" },
      body: JsonBody.write(Overrides.body({
        routing_key: key,
        event_action: to.event_action || settings.event_action || "trigger",
        dedup_key: delivery.messageId,
        payload: {
          ...said(delivery.rendered),
          source: to.source || settings.source || "tidings",
          severity: to.severity || settings.severity || "error"
        },
        links: links(delivery.rendered)
      }, delivery.override))
    }
  })),
  accepted: (answer) => {
    const taken = accepted(answer)
    return taken === undefined ? undefined : { reference: taken.dedup_key }
  },
  fault,
  table
})
