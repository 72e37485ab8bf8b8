import { AnswersSecret } from "#schemas/api/AnswersSecret.ts"
import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { optional } from "#schemas/Optional.ts"
import { WebhookEventType, WebhookSecret, WebhookState, WebhookWrite } from "#schemas/Webhook.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const params = { id: Schema.String }

const fields = {
  id: Schema.String,
  url: Schema.String,
  types: maybe(Schema.Array(WebhookEventType)),
  description: maybe(Schema.String),
  state: WebhookState,
  failing: maybe(Schema.Struct({ since: Schema.Int, error: Schema.String })),
  gave_up_at: maybe(Schema.Int),
  lost: Schema.Int,
  reached_at: maybe(Schema.Int),
  created: Schema.Int,
  updated: maybe(Schema.Int)
}

/**
 * A webhook. `failing`: since when, and why, it cannot be reached; `gave_up_at`: it was disabled for that; `lost`: so
 * many events were given up. Times in epoch ms.
 */
const WebhookResponse = Schema.Struct(fields).annotate({ title: "Webhook" })
export type WebhookResponse = typeof WebhookResponse.Type

/** The same with its secret. */
const NewWebhookResponse = Schema.Struct({ ...fields, secret: Schema.String }).annotate({ title: "NewWebhook" })

const ownSecret = { secret: optional(WebhookSecret) }

const madeHere = "Without `secret`, one is made: `whsec_` and 32 random bytes in base64."

/** Our addition: the compatible service has its webhooks (api.md 25.1) in a console only. */
export class Webhooks extends HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.get("list", "/", {
    query: { cursor: Query.Text, limit: Query.Limit },
    success: Results(WebhookResponse)
  })
    .annotate(OpenApi.Summary, "List webhooks")
    .annotate(OpenApi.Description, "Newest first, without their secrets."),
  HttpApiEndpoint.post("create", "/", {
    payload: Schema.Struct({ ...WebhookWrite.fields, ...ownSecret }).annotate({ title: "WebhookCreate" }),
    success: NewWebhookResponse.pipe(HttpApiSchema.status(201))
  })
    .annotate(AnswersSecret, true)
    .annotate(OpenApi.Summary, "Create a webhook")
    .annotate(
      OpenApi.Description,
      `Events of \`types\`, or of every type, are posted to \`url\` as JSON \`{type, data}\`. ${madeHere} It is shown only here, and signs each call: \`courier-signature: t=<epoch ms>,signature=<hex HMAC-SHA256 of "<t>.<body>">\`, and \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` as standardwebhooks.com has them. Events are told at least once, in no certain order. What is not answered with a 2xx is told again for 24 h, and then given up. A webhook that answers 410, or that is not reached once in five days, is disabled.`
    ),
  HttpApiEndpoint.get("get", "/:id", { params, success: WebhookResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a webhook"),
  HttpApiEndpoint.put("replace", "/:id", { params, payload: WebhookWrite, success: WebhookResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Replace a webhook")
    .annotate(
      OpenApi.Description,
      "Replaces all but its secret. One that is enabled, or has another `url`, is no longer failing. One that is disabled is not told, later either, of what it was not told yet."
    ),
  HttpApiEndpoint.delete("remove", "/:id", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Delete a webhook")
    .annotate(OpenApi.Description, "It is not told of what it was not told yet."),
  HttpApiEndpoint.post("renew", "/:id/secret", {
    params,
    payload: [Schema.Struct(ownSecret).annotate({ title: "WebhookRenewal" }), Schema.Null],
    success: Schema.Struct({ secret: Schema.String }),
    error: NotFound
  })
    .annotate(AnswersSecret, true)
    .annotate(OpenApi.Summary, "Renew a webhook's secret")
    .annotate(
      OpenApi.Description,
      `${madeHere} It is shown only here. For 24 h \`webhook-signature\` holds the signature of the former secret too, behind that of the new one; \`courier-signature\` is that of the new one at once.`
    )
).prefix("/webhooks").annotate(OpenApi.Title, "Webhooks") {}
