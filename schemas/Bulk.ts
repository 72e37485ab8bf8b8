import { Id, Reference } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { RecipientPreferences } from "#schemas/Preferences.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import { Schema } from "effect"

/**
 * What a bulk job says to each of its users (api.md §13): a send's message without its recipients, or the older form, in which `event` names
 * the template, `brand` the brand, and `override` has what is said to a provider by its key, and to channels under `channel`. `locale` is kept
 * and says nothing: what a template says in another language is in its own locales.
 */
export const BulkMessage = Schema.Struct({
  ...Instructions.fields,
  event: optional(Id),
  brand: optional(Reference),
  locale: optional(JsonMap),
  override: optional(Schema.Record(Schema.String, JsonMap))
})
export type BulkMessage = typeof BulkMessage.Type

/**
 * One person of a bulk job, named by `recipient` (a user's id), by `to`, or by the addresses in `profile`; `data` is merged over the message's
 * (api.md §13).
 */
export const BulkUser = Schema.Struct({
  profile: optional(JsonMap),
  recipient: optional(Id),
  to: optional(Recipient),
  data: optional(JsonMap),
  preferences: optional(RecipientPreferences)
})
export type BulkUser = typeof BulkUser.Type

/** `ERROR`: nothing could be made of it, or not all: its request was set aside, and can be resumed. */
export const BulkJobStatus = Schema.Literals(["CREATED", "PROCESSING", "COMPLETED", "ERROR"])
export type BulkJobStatus = typeof BulkJobStatus.Type

/** `ENQUEUED`: the user has a message. */
export const BulkUserStatus = Schema.Literals(["PENDING", "ENQUEUED", "ERROR"])
export type BulkUserStatus = typeof BulkUserStatus.Type
