import { CommittedByJournal } from "#schemas/api/CommittedByJournal.ts"
import { Conflict, NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Items } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { BulkJobStatus, BulkMessage, BulkUser, BulkUsers, BulkUserStatus, mostUsers } from "#schemas/Bulk.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const params = { job_id: Schema.String }

/**
 * `received`: how many users it has; `enqueued`: how many have a message; `failures`: how many cannot have one.
 * `requestId`: present once the job was run.
 */
export const BulkJob = Schema.Struct({
  definition: BulkMessage,
  status: BulkJobStatus,
  received: Schema.Finite,
  enqueued: Schema.Finite,
  failures: Schema.Finite,
  requestId: maybe(MessageId)
}).annotate({ title: "BulkJob" })
export type BulkJob = typeof BulkJob.Type

/** A user of a job as it was given, and its outcome. */
const Listed = Schema.Struct({
  ...BulkUser.fields,
  status: BulkUserStatus,
  messageId: maybe(MessageId),
  error: maybe(Schema.String)
}).annotate({ title: "ListedBulkUser" })

/**
 * `total`: how many users were added; `errors`: those who were not, since they cannot be sent to or are in the job
 * already.
 */
const Taken = Schema.Struct({
  total: Schema.Finite,
  errors: Schema.Array(Schema.Struct({ user: BulkUser, error: Schema.String }))
})

export class Bulk extends HttpApiGroup.make("bulk").add(
  HttpApiEndpoint.post("create", "/", {
    payload: Schema.Struct({ message: BulkMessage }),
    success: Schema.Struct({ jobId: Schema.String })
  })
    .annotate(OpenApi.Summary, "Create a bulk job")
    .annotate(
      OpenApi.Description,
      "A job has one message and any number of users, each with data and a profile of their own. Users are added to it until it is run."
        + " `content` is used instead of `template`, and `template` instead of the template that `event` names. `locale`, as a text,"
        + " is the language of users who have none in the job; a map of locales is kept, and has no effect."
    ),
  HttpApiEndpoint.post("add", "/:job_id", {
    params,
    payload: Schema.Struct({ users: BulkUsers }),
    success: Taken,
    error: [NotFound, Conflict]
  })
    .annotate(OpenApi.Summary, "Add users to a bulk job")
    .annotate(
      OpenApi.Description,
      "Users who do not exist are created when the job is run, with their `profile`. A user who is in the job already stays as first given."
        + ` At most ${mostUsers} in one call.`
    ),
  HttpApiEndpoint.post("run", "/:job_id/run", { params, error: NotFound })
    .annotate(CommittedByJournal, true)
    .annotate(OpenApi.Summary, "Run a bulk job")
    .annotate(
      OpenApi.Description,
      "A job runs once. From then on it is a request: its users become messages page by page, found by `GET /messages?traceId=` and its"
        + " `requestId`."
    ),
  HttpApiEndpoint.get("get", "/:job_id", { params, success: Schema.Struct({ job: BulkJob }), error: NotFound })
    .annotate(OpenApi.Summary, "Get a bulk job")
    .annotate(OpenApi.Description, "How far it has come."),
  HttpApiEndpoint.get("users", "/:job_id/users", {
    params,
    query: { cursor: Query.Text },
    success: Items(Listed),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "List the users of a bulk job")
    .annotate(OpenApi.Description, "In the order in which they were added.")
).prefix("/bulk").annotate(OpenApi.Title, "Bulk") {}
