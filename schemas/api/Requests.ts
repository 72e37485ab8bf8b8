import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { ExpansionState } from "#schemas/Expansion.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const params = { request_id: Schema.String }

/** How far a request has come. `messages`: how many were made of it so far. Times in epoch ms. */
export const RequestProgress = Schema.Struct({
  requestId: MessageId,
  state: ExpansionState,
  messages: Schema.Finite,
  enqueued: Schema.Finite,
  completed: maybe(Schema.Finite),
  error: maybe(Schema.String),
  archived: Schema.Boolean
}).annotate({ title: "RequestProgress" })
export type RequestProgress = typeof RequestProgress.Type

export class Requests extends HttpApiGroup.make("requests").add(
  HttpApiEndpoint.get("list", "/", {
    query: { state: Query.given(ExpansionState), cursor: Query.Text, limit: Query.Limit },
    success: Results(RequestProgress)
  })
    .annotate(OpenApi.Summary, "List requests to many")
    .annotate(
      OpenApi.Description,
      "Requests to lists, audiences, tenants or more than 100 recipients, the newest first. `state=FAILED`: those that were set aside."
    ),
  HttpApiEndpoint.get("get", "/:request_id", { params, success: RequestProgress, error: NotFound })
    .annotate(OpenApi.Summary, "Get a request")
    .annotate(
      OpenApi.Description,
      "How many messages a request has become. One to a list, an audience, a tenant or more than 100 recipients is"
        + " `RUNNING` until all its members have their message; find them with `GET /messages?traceId=`. A group that does not"
        + " exist is named in `error`, and has one message, which is UNROUTABLE; one that was deleted before its last member had a"
        + " message is named there as well."
    ),
  HttpApiEndpoint.post("resume", "/:request_id/resume", { params, success: RequestProgress, error: NotFound })
    .annotate(OpenApi.Summary, "Resume a request")
    .annotate(
      OpenApi.Description,
      "A request that is `FAILED` goes on from where it was set aside; recipients who already have a message of it get no other. Any other request stays as"
        + " it is."
    ),
  HttpApiEndpoint.put("archive", "/:request_id/archive", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Archive a request")
    .annotate(OpenApi.Description, "Hides the messages of a request from `GET /messages` unless `archived=true`.")
).prefix("/requests").annotate(OpenApi.Title, "Requests") {}
