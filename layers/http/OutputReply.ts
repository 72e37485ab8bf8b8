import type { OutputPart } from "#src/reports/OutputParts.ts"
import { HttpServerResponse } from "effect/http"

/**
 * A mail holds whatever its author and its data put there. Opened in a browser, it runs no script and has no origin,
 * but its pictures load.
 */
const guards = {
  "cache-control": "no-store",
  "content-security-policy":
    "sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff"
}

/** A part of a rendering, with its own media type. */
export const outputReply = ({ contentType, text }: OutputPart): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { contentType, headers: guards })
