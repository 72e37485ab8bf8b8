import { NotFound } from "#schemas/api/Errors.ts"
import { Locale } from "#schemas/Locale.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const params = { domain: Schema.String, locale: Locale }
const Po = Schema.String.annotate({ description: "The text of a .po file." })

/** api.md 23. The text is a JSON string; an upload may also be sent raw, as `text/plain`. */
export class Translations extends HttpApiGroup.make("translations").add(
  HttpApiEndpoint.get("get", "/", { params, success: Po, error: NotFound })
    .annotate(OpenApi.Summary, "Get a translation")
    .annotate(OpenApi.Description, "The .po text of one locale, as it was stored."),
  HttpApiEndpoint.put("put", "/", {
    params,
    payload: [Po, Schema.String.pipe(HttpApiSchema.asText())],
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Store a translation")
    .annotate(OpenApi.Description, "Creates or replaces the .po text of one locale. There is one domain, `default`.")
).prefix("/translations/:domain/:locale").annotate(OpenApi.Title, "Translations") {}
