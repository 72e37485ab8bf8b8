import { NotFound } from "#schemas/api/Errors.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

/** `timestamp` in ISO 8601. */
const AuditEvent = Schema.Struct({
  auditEventId: Schema.String,
  type: Schema.String,
  source: Schema.String,
  target: Schema.String,
  timestamp: Schema.String,
  actor: Schema.Struct({ id: Schema.String, email: Schema.optionalKey(Schema.String) })
}).annotate({ title: "AuditEvent" })

/** api.md 24. */
export class AuditEvents extends HttpApiGroup.make("auditEvents").add(
  HttpApiEndpoint.get("list", "/", {
    query: { cursor: Query.Text, limit: Query.Limit },
    success: Results(AuditEvent)
  })
    .annotate(OpenApi.Summary, "List audit events")
    .annotate(
      OpenApi.Description,
      "Who changed the workspace's templates, brands, lists and so on, newest first."
    ),
  HttpApiEndpoint.get("get", "/:audit_event_id", {
    params: { audit_event_id: Schema.String },
    success: AuditEvent,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Get an audit event")
).prefix("/audit-events").annotate(OpenApi.Title, "Audit events") {}
