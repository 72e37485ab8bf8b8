import { NotFound } from "#schemas/api/Errors.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

export class Requests extends HttpApiGroup.make("requests").add(
  HttpApiEndpoint.put("archive", "/:request_id/archive", { params: { request_id: Schema.String }, error: NotFound })
    .annotate(OpenApi.Summary, "Archive a request")
    .annotate(OpenApi.Description, "Hides the messages of a request from `GET /messages` unless `archived=true`.")
).prefix("/requests").annotate(OpenApi.Title, "Requests") {}
