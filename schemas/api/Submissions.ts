import { NotFound } from "#schemas/api/Errors.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const params = { id: Schema.String, submission_id: Schema.String }

const written = {
  id: Schema.NonEmptyString.check(Schema.isMaxLength(512)),
  type: Schema.Literal("custom"),
  status: Schema.Literals(["RESOLVED", "FAILED", "PENDING"])
}

/** `updated`: epoch ms of the last change of its status. */
const success = Schema.Struct({ checks: Schema.Array(Schema.Struct({ ...written, updated: Schema.Finite })) })

/** Approval of templates (api.md 14). The call that submits a draft is our addition. */
export class Submissions extends HttpApiGroup.make("submissions").add(
  HttpApiEndpoint.post("submit", "/submissions", {
    params: { id: Schema.String },
    success: Schema.Struct({ id: Schema.String, submission_id: Schema.String }).pipe(HttpApiSchema.status(201)),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Submit a template")
    .annotate(OpenApi.Description, "Submits its draft for approval."),
  HttpApiEndpoint.get("checks", "/:submission_id/checks", { params, success, error: NotFound })
    .annotate(OpenApi.Summary, "List a submission's checks"),
  HttpApiEndpoint.put("putChecks", "/:submission_id/checks", {
    params,
    payload: Schema.Struct({ checks: Schema.Array(Schema.Struct(written)) }),
    success,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Replace a submission's checks")
    .annotate(OpenApi.Description, "Replaces the complete set."),
  HttpApiEndpoint.delete("withdraw", "/:submission_id/checks", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Withdraw a submission")
    .annotate(OpenApi.Description, "Removes the submission and its checks; the template stays as it is.")
).prefix("/notifications/:id").annotate(OpenApi.Title, "Template submissions") {}
