import { Conflict, NotFound } from "#schemas/api/Errors.ts"
import { ExplainRequest, ExplainResponse } from "#schemas/api/Explain.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { TemplateSummary } from "#schemas/api/Notifications.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { ChannelSettings, ProviderSettings, Routing } from "#schemas/Routing.ts"
import { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const params = { id: Schema.String }
const page = { cursor: Query.Text, limit: Query.Limit }

/** Times in epoch ms. */
export const StrategySummary = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: maybe(Schema.String),
  tags: maybe(Schema.Array(Schema.String)),
  created: Schema.Finite,
  creator: Schema.String,
  updated: maybe(Schema.Finite),
  updater: maybe(Schema.String)
}).annotate({ title: "RoutingStrategySummary" })
export type StrategySummary = typeof StrategySummary.Type

export const StrategyResponse = Schema.Struct({
  ...StrategySummary.fields,
  routing: Routing,
  channels: Schema.Record(Schema.String, ChannelSettings),
  providers: Schema.Record(Schema.String, ProviderSettings)
}).annotate({ title: "RoutingStrategy" })
export type StrategyResponse = typeof StrategyResponse.Type

/** Items in a page without `limit`. */
export const defaultLimit = 20

export class RoutingStrategies extends HttpApiGroup.make("routingStrategies").add(
  HttpApiEndpoint.get("list", "/", { query: page, success: Results(StrategySummary) })
    .annotate(OpenApi.Summary, "List routing strategies")
    .annotate(OpenApi.Description, "Newest first."),
  HttpApiEndpoint.post("create", "/", {
    payload: RoutingStrategy,
    success: StrategyResponse.pipe(HttpApiSchema.status(201))
  })
    .annotate(OpenApi.Summary, "Create a routing strategy")
    .annotate(
      OpenApi.Description,
      "It may name providers that are not configured; they are skipped when sending. The brands of its channels must exist."
    ),
  HttpApiEndpoint.get("get", "/:id", { params, success: StrategyResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a routing strategy"),
  HttpApiEndpoint.put("replace", "/:id", {
    params,
    payload: RoutingStrategy,
    success: StrategyResponse,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Replace a routing strategy")
    .annotate(
      OpenApi.Description,
      "Replaces it whole; templates that name it follow at once, without being published again."
    ),
  HttpApiEndpoint.delete("archive", "/:id", { params, error: [NotFound, Conflict] })
    .annotate(OpenApi.Summary, "Archive a routing strategy")
    .annotate(OpenApi.Description, "Refused while templates name it."),
  HttpApiEndpoint.get("notifications", "/:id/notifications", {
    params,
    query: page,
    success: Results(TemplateSummary),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "List the templates of a routing strategy")
    .annotate(OpenApi.Description, "Those whose draft or live version names it, newest first."),
  HttpApiEndpoint.post("explain", "/:id/explain", {
    params,
    payload: ExplainRequest,
    success: ExplainResponse,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Explain a routing strategy")
    .annotate(
      OpenApi.Description,
      "What would become of a message if its providers failed like this: every call, its time and its provider. Nothing is sent."
    )
).prefix("/routing-strategies").annotate(OpenApi.Title, "Routing strategies") {}
