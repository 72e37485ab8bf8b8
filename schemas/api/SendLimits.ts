import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Items } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { LimitedBy, LimitPeriod, SendLimit } from "#schemas/SendLimit.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const params = { per: LimitedBy, period: LimitPeriod }

/**
 * A limit, and in a list how many messages count by now of who was asked for: they are `used` of the limit until
 * `resets`. Times in epoch ms.
 */
const SendLimitResponse = Schema.Struct({
  per: LimitedBy,
  period: LimitPeriod,
  limit: maybe(Schema.Int),
  overrides: maybe(Schema.Record(Schema.String, Schema.Int)),
  excluded_topics: maybe(Schema.Array(Schema.String)),
  used: maybe(Schema.Int),
  resets: maybe(Schema.Int),
  created: Schema.Int,
  updated: maybe(Schema.Int)
}).annotate({ title: "SendLimitDetails" })
export type SendLimitResponse = typeof SendLimitResponse.Type

const calendar = "Hours, days, weeks (from Sunday on) and months are those of UTC."

/** Our addition: the compatible service has its send limits (api.md 26.7) in a console only. */
export class SendLimits extends HttpApiGroup.make("sendLimits").add(
  HttpApiEndpoint.get("list", "/", {
    query: { user_id: Query.Text, topic_id: Query.Text, tenant_id: Query.Text },
    success: Items(SendLimitResponse)
  })
    .annotate(OpenApi.Summary, "List send limits")
    .annotate(
      OpenApi.Description,
      "How many messages may be sent, and how many count by now: in all, and of the user, topic and tenant that are asked for. All are in one page."
    ),
  HttpApiEndpoint.get("get", "/:per/:period", { params, success: SendLimitResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a send limit"),
  HttpApiEndpoint.put("put", "/:per/:period", { params, payload: SendLimit, success: SendLimitResponse })
    .annotate(OpenApi.Summary, "Set a send limit")
    .annotate(
      OpenApi.Description,
      `Replaces the limit of messages per \`global\`, \`user\`, \`topic\`, \`user_topic\` or \`tenant\`, and period. ${calendar} A message counts when it is about to be sent; one that would be too many ends as THROTTLED. Those of \`excluded_topics\` count and are sent all the same. \`overrides\` has limits of their own for users, topics (also for \`user_topic\`) or tenants, by their ids.`
    ),
  HttpApiEndpoint.delete("remove", "/:per/:period", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Delete a send limit")
).prefix("/send-limits").annotate(OpenApi.Title, "Send limits") {}
