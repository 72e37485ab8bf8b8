import { Context, Effect, Schema } from "effect"

/**
 * The guard or the shape of the request forbids it: no byte was sent, and none will be until a setting or the URL
 * changes.
 */
export class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  reason: Schema.Literals(["url", "scheme", "credentials", "header", "address", "port"]),
  detail: Schema.String
}) {}

/** Proved: no byte of the request was handed to a connection. Worth another try. */
export class OutboundNotSent extends Schema.TaggedError<OutboundNotSent>()("OutboundNotSent", {
  stage: Schema.Literals(["dns", "connect", "tls", "deadline"]),
  detail: Schema.String
}) {}

/**
 * The request was handed to a connection and no whole answer came back. `status` is there when the status line had
 * been read.
 */
export class OutboundUnknown extends Schema.TaggedError<OutboundUnknown>()("OutboundUnknown", {
  reason: Schema.Literals(["deadline", "disconnected", "unreadable"]),
  status: Schema.optionalKey(Schema.Int),
  detail: Schema.String
}) {}

/**
 * What can become of a request that got no answer (reliability.md 2.5). A `detail` names host and fault, never path,
 * query or peer address.
 */
export const OutboundError = Schema.Union([OutboundRefused, OutboundNotSent, OutboundUnknown])
export type OutboundError = typeof OutboundError.Type

export interface OutboundRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Absolute, `http:` or `https:`, without credentials. */
  readonly url: string
  /** Framing headers (`host`, `content-length`, `transfer-encoding`, …) are refused: they are the client's. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent as UTF-8. */
  readonly body?: string | undefined
  /** For everything together, look-up to last byte of the answer, in ms. */
  readonly deadlineMs: number
}

export interface OutboundResponse {
  readonly status: number
  /** Names in lower case; repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** At most 64 KiB, decoded as UTF-8. */
  readonly body: string
  /** `body` is not all of the answer. */
  readonly truncated: boolean
}

/**
 * The only way out: every request to a host that a caller, recipient or vendor setting names goes through here. It
 * never connects to an address outside the public internet unless the operator allowed it, follows no redirect (a 3xx
 * is the answer), reuses no connection, and ends within `deadlineMs`. Interruption closes the connection.
 */
export class Outbound extends Context.Service<Outbound, {
  readonly request: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundError>
}>()("tidings/Outbound") {}

/** For who needs to know no more than the status: it says what became of a call, also if the rest of its answer did not come. */
export const answered = (
  error: OutboundUnknown
): Effect.Effect<Pick<OutboundResponse, "headers" | "status">, OutboundUnknown> =>
  error.status === undefined || error.status < 200
    ? Effect.fail(error)
    : Effect.succeed({ status: error.status, headers: {} })
