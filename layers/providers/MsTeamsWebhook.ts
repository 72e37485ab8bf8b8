import * as ChatText from "#layers/providers/ChatText.ts"
import * as IncomingWebhook from "#layers/providers/IncomingWebhook.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { badAddress, type Writer } from "#layers/providers/VendorDefinition.ts"
import type { VendorAnswer } from "#layers/providers/VendorHttp.ts"
import type { Acceptance } from "#src/delivery/Provider.ts"
import type { MsTeamsWebhook } from "#schemas/ChatAddress.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { cut } from "#src/content/Cut.ts"
import { Effect, type Schema } from "effect"
import { Buffer } from "node:buffer"

/**
 * Where workflows of Power Automate take posts, and the connectors before them did. Other hosts are webhooks of their
 * own.
 */
const hosts =
  /(?:^outlook\.office(?:365)?|\.webhook\.office|\.logic\.azure|\.environment\.api\.powerplatform)\.com$|\.logic\.azure\.us$/

/** Stands for any refusal of a webhook, whose URL has all that lets us in. */
export const code = "webhook"

/**
 * The most bytes of a card, and characters of texts in one: with what is around it, it may have 28 kB
 * (learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors). A workflow takes a longer one, and posts nothing.
 */
const largest = 27_500
const longest = { title: 500, body: 8_500 } as const

const block = (text: string, more: Schema.JsonObject = {}): ReadonlyArray<Schema.Json> =>
  text === "" ? [] : [{ type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...more }] }]

/** A card of plain text, since a workflow takes no other message, and parses no markdown in runs. */
const plain = (rendered: Rendered): Schema.JsonObject => ({
  type: "AdaptiveCard",
  $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
  version: "1.4",
  body: [
    ...block(cut(ChatText.plain(rendered.title), longest.title), { size: "Large", weight: "Bolder" }),
    ...block(cut(ChatText.body(rendered), longest.body))
  ]
})

/** The elements' own card, or what fits of their text. */
const card = (rendered: Rendered): Schema.Json => {
  const own = rendered.native?.["adaptiveCard"]
  return own === undefined || Buffer.byteLength(JSON.stringify(own)) > largest ? plain(rendered) : own
}

/** POST to the URL of a workflow "when a webhook request is received". */
export const request: Writer<{ readonly base_url?: string }, MsTeamsWebhook>["request"] = Effect.fnUntraced(
  function*({ delivery, settings, to }) {
    const url = IncomingWebhook.at(to.webhook_url, hosts, settings.base_url)
    if (url === undefined) return yield* badAddress("webhook_url is none of Microsoft's")
    const content = card(delivery.rendered)
    return {
      method: "POST" as const,
      url,
      headers: { "content-type": "application/json" },
      body: JsonBody.write(Overrides.body({
        type: "message",
        attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }]
      }, delivery.override))
    }
  }
)

/** What a connector said of a post that it had taken, in a 200, and the platform had not. */
const failed = "Webhook message delivery failed"

/**
 * A workflow takes a post with an empty 202, or answers whatever its author has it answer; `undefined` for an answer that
 * is cut, and for a connector's failure.
 */
export const accepted = ({ body, whole }: VendorAnswer): Acceptance | undefined =>
  whole && !body.startsWith(failed) ? { reference: undefined } : undefined
