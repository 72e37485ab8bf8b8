import type { OutputPart } from "#src/reports/OutputParts.ts"
import { HttpServerResponse } from "effect/http"

/** A mail is what its author and its data say: opened in a browser it runs nothing and is of no origin, and its pictures load. */
const guards = {
  "cache-control": "no-store",
  "content-security-policy":
    "sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff"
}

/** A part of a rendering under its own media type. */
export const outputReply = ({ contentType, text }: OutputPart): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { contentType, headers: guards })
