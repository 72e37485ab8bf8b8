import { optional } from "#schemas/Optional.ts"
import * as Text from "#schemas/Text.ts"
import { Schema } from "effect"

/** What a webhook can be told of (api.md 25.1). */
export const WebhookEventType = Schema.Literals([
  "message:updated",
  "notification:submitted",
  "notification:submission_canceled",
  "notification:published",
  "audiences:updated",
  "audiences:user:matched",
  "audiences:user:unmatched",
  "audiences:calculated"
]).annotate({ title: "WebhookEventType" })
export type WebhookEventType = typeof WebhookEventType.Type

/** Only an enabled webhook is told anything. What happens meanwhile, a disabled one is not told later either. */
export const WebhookState = Schema.Literals(["ENABLED", "DISABLED"]).annotate({ title: "WebhookState" })
export type WebhookState = typeof WebhookState.Type

const isUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.username === ""
    && url.password === ""
}

/** Where events are posted. Whether its host may be reached is seen when it is called. */
const WebhookUrl = Schema.String.check(
  Schema.isMaxLength(2_048),
  Text.storable,
  Schema.makeFilter((text) =>
    isUrl(text) ? undefined : "Expected an absolute http: or https: URL without a user and password"
  )
)

/** 16 bytes of base64 or more, or a text that does not say that it is base64. */
const signingPattern =
  /^(?!whsec_)|^whsec_(?=.{22})(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/**
 * What signs the events of a webhook: printable ASCII. One that begins with `whsec_` names the bytes that follow in
 * base64 (standardwebhooks.com), any other is its own bytes.
 */
export const WebhookSecret = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{16,256}$/, { message: "Expected 16 to 256 printable characters" }),
  Schema.isPattern(signingPattern, { message: "Expected 16 bytes in base64, or more, behind whsec_" })
)

const described = Schema.String.check(Schema.isMaxLength(512), Text.storable)

/** A webhook as callers write it. Without `types` it is told of everything. */
export const WebhookWrite = Schema.Struct({
  url: WebhookUrl,
  types: optional(Schema.NonEmptyArray(WebhookEventType)),
  description: optional(described),
  state: optional(WebhookState)
}).annotate({ title: "WebhookWrite" })
export type WebhookWrite = typeof WebhookWrite.Type
