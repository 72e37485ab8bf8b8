import { Id } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { SentPreferences } from "#schemas/Preferences.ts"
import { Schema } from "effect"

/** A webhook address: where one message is posted (api.md 2.1). */
export const WebhookAddress = Schema.Struct({
  url: Schema.NonEmptyString,
  method: optional(Schema.Literals(["POST", "PUT"])),
  headers: optional(Schema.Record(Schema.String, Schema.String)),
  authentication: optional(Schema.Struct({
    mode: Schema.Literals(["none", "basic", "bearer"]),
    username: optional(Schema.String),
    password: optional(Schema.String),
    token: optional(Schema.String)
  })),
  profile: optional(Schema.Literals(["limited", "expanded"]))
}).annotate({ title: "WebhookAddress" })
export type WebhookAddress = typeof WebhookAddress.Type

/**
 * One recipient: a user, a direct address, or a named audience, according to the keys that are present. Other keys are
 * profile fields for this send only (api.md 2.1).
 */
export const Recipient = Schema.StructWithRest(
  Schema.Struct({
    user_id: optional(Id),
    email: optional(Id),
    phone_number: optional(Id),
    webhook: optional(WebhookAddress),
    list_id: optional(Id),
    list_pattern: optional(Id),
    audience_id: optional(Id),
    tenant_id: optional(Id),
    account_id: optional(Id),
    context: optional(Schema.Struct({ tenant_id: optional(Id) })),
    preferences: optional(SentPreferences),
    locale: optional(Schema.String),
    data: optional(JsonMap)
  }),
  [JsonMap]
).annotate({ title: "Recipient" })
export type Recipient = typeof Recipient.Type
