import { Schema } from "effect"

type Type =
  | "invalid_request_error"
  | "authentication_error"
  | "authorization_error"
  | "rate_limit_error"
  | "api_error"

/** The body of every error: a sentence for people and a type for programs, and nothing else (api.md, Annex C). */
const body = <const T extends Type>(type: T) => ({ message: Schema.String, type: Schema.tag(type) })

/** The request is malformed; `message` names each refused field by its path. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(body("invalid_request_error"), {
  httpApiStatus: 400,
  description: "The request is malformed; `message` names each refused field by its path."
}) {}

export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(body("authentication_error"), {
  httpApiStatus: 401,
  description: "No API key, or not one of this installation's."
}) {}

export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(body("authorization_error"), {
  httpApiStatus: 403,
  description: "The scopes of the user's token do not allow it."
}) {}

/** The environment has as many of something as the operator allows. */
export class LimitExceeded extends Schema.Error<LimitExceeded>("LimitExceeded")(body("authorization_error"), {
  httpApiStatus: 402,
  description: "The environment has as many of these as the operator allows."
}) {}

/** The named resource does not exist in the key's environment. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(body("invalid_request_error"), {
  httpApiStatus: 404,
  description: "There is no such resource in the key's environment."
}) {}

export class Conflict extends Schema.Error<Conflict>("Conflict")(body("invalid_request_error"), {
  httpApiStatus: 409,
  description:
    "The request conflicts with something else that is stored, as `message` says; or an earlier request with this Idempotency-Key is still running, and `Retry-After` says when to ask again."
}) {}

export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(body("invalid_request_error"), {
  httpApiStatus: 413,
  description: "The request body is over 6 MB."
}) {}

export class UnsupportedMediaType
  extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(body("invalid_request_error"), {
    httpApiStatus: 415,
    description: "The request body is compressed, or is not JSON."
  })
{}

/** `Retry-After` says when to ask again. */
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(body("rate_limit_error"), {
  httpApiStatus: 429,
  description:
    "More requests of this kind than the workspace may make in a minute; `Retry-After` says when to ask again."
}) {}

export class InternalError extends Schema.Error<InternalError>("InternalError")(body("api_error"), {
  httpApiStatus: 500,
  description: "A fault of this service, which is in its log."
}) {}

/** Nothing is known to be stored; a retry, best with the same Idempotency-Key, is safe. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(body("api_error"), {
  httpApiStatus: 503,
  description:
    "The database does not answer, or the node has more to do than it can. `Retry-After` says when to ask again."
}) {}
