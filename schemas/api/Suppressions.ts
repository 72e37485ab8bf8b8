import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { SuppressionChannel, SuppressionReason } from "#schemas/Suppression.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const params = { channel: SuppressionChannel, address: Schema.String }

/**
 * An address that is sent to no more. `provider` told of it, in the words of `detail`. Times in epoch ms; without
 * `expires`, until it is deleted.
 */
const SuppressionResponse = Schema.Struct({
  channel: SuppressionChannel,
  address: Schema.String,
  reason: SuppressionReason,
  provider: maybe(Schema.String),
  detail: maybe(Schema.String),
  created: Schema.Int,
  expires: maybe(Schema.Int)
}).annotate({ title: "Suppression" })

const spelling = "The address is an e-mail address, in any case, or a phone number in E.164."

/** Our addition: api.md has no such resource. */
export class Suppressions extends HttpApiGroup.make("suppressions").add(
  HttpApiEndpoint.get("list", "/", {
    query: {
      channel: Query.given(SuppressionChannel),
      reason: Query.given(SuppressionReason),
      cursor: Query.Text,
      limit: Query.Limit
    },
    success: Results(SuppressionResponse)
  })
    .annotate(OpenApi.Summary, "List suppressed addresses")
    .annotate(
      OpenApi.Description,
      "The addresses that are sent to no more, since mail to them bounced (for 30 days), or their owners complained of a message or unsubscribed at a vendor. Newest first."
    ),
  HttpApiEndpoint.get("get", "/:channel/:address", { params, success: SuppressionResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a suppressed address")
    .annotate(OpenApi.Description, spelling),
  HttpApiEndpoint.put("put", "/:channel/:address", { params })
    .annotate(OpenApi.Summary, "Suppress an address")
    .annotate(
      OpenApi.Description,
      `${spelling} It is sent to no more until it is deleted here. Where its owner complained or unsubscribed, that stays the reason.`
    ),
  HttpApiEndpoint.delete("remove", "/:channel/:address", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Free a suppressed address")
    .annotate(
      OpenApi.Description,
      `${spelling} It is sent to again. A list of the vendor's own is not changed: there the address may have to be freed too.`
    )
).prefix("/suppressions").annotate(OpenApi.Title, "Suppressions") {}
