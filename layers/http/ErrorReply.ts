import { HttpServerResponse } from "effect/http"

/** The closed set of values a caller finds in `type` of an error body. */
export type ErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "authorization_error"
  | "rate_limit_error"
  | "api_error"

/** The body every refusal carries: exactly `message` (a sentence) and `type`, in that order. */
export const errorBody = (message: string, type: ErrorType): string => JSON.stringify({ message, type })

/** Answers `status` with `{message, type}` as JSON. `headers` come on top of the content type. */
export const errorReply = (
  status: number,
  message: string,
  type: ErrorType,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(errorBody(message, type), { status, headers, contentType: "application/json" })
