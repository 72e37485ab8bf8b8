import { Access } from "#layers/http/Access.ts"
import { Admitted } from "#layers/http/Admitted.ts"
import { Audited } from "#layers/http/Audited.ts"
import { Body } from "#layers/http/Body.ts"
import { document } from "#layers/http/document/Document.ts"
import { named } from "#layers/http/document/Schemas.ts"
import { Limited } from "#layers/http/Limited.ts"
import { Once } from "#layers/http/Once.ts"
import { Patient } from "#layers/http/Patient.ts"
import { Replies } from "#layers/http/Replies.ts"
import { Api } from "#schemas/api/Api.ts"
import { OpenApi } from "effect/http-api"

/**
 * The API with the middlewares of every request, which run from the last line to the first: who asks, the body, room
 * for one more send, patience with the database, the idempotency key, the limits, the audit, the errors.
 */
const Guarded = Api
  .middleware(Replies)
  .middleware(Audited)
  .middleware(Limited)
  .middleware(Once)
  .middleware(Patient)
  .middleware(Admitted)
  .middleware(Body)
  .middleware(Access)

/** The same, with the whole OpenAPI document. */
export class Served extends Guarded.annotate(OpenApi.Transform, () => document(OpenApi.fromApi(Guarded, named))) {}
