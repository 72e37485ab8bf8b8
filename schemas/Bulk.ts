import { Id, Reference } from "#schemas/Id.ts"
import { Locale } from "#schemas/Locale.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { RecipientPreferences } from "#schemas/Preferences.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import { Schema } from "effect"

/**
 * What a bulk job sends to each of its users (api.md §13): a send's message without its recipients, or the older form.
 * There, `event` names the template, `brand` the brand, and `override` holds overrides by a provider's key, and by
 * channel under `channel`; what is no object in it is ignored. `locale` is the language of users who have none in the job;
 * as a map, which the published client types and nobody explains, it is kept and has no effect.
 */
export const BulkMessage = Schema.Struct({
  ...Instructions.fields,
  event: optional(Id),
  brand: optional(Reference),
  locale: optional(Schema.Union([Locale, JsonMap])),
  override: optional(JsonMap)
}).annotate({ title: "BulkMessage" })
export type BulkMessage = typeof BulkMessage.Type

/**
 * One user of a bulk job, named by `recipient` (a user's id), by `to`, or by the addresses in `profile`. `data` is
 * merged over the message's (api.md §13).
 */
export const BulkUser = Schema.Struct({
  profile: optional(JsonMap),
  recipient: optional(Id),
  to: optional(Recipient),
  data: optional(JsonMap),
  preferences: optional(RecipientPreferences)
}).annotate({ title: "BulkUser" })
export type BulkUser = typeof BulkUser.Type

/**
 * How many users one call may add: a job may have any number, but those of one call must be stored within the time that
 * a caller waits.
 */
export const mostUsers = 10_000

/** The users of one call. */
export const BulkUsers = Schema.NonEmptyArray(BulkUser).check(Schema.isMaxLength(mostUsers))

/** `ERROR`: it was not expanded, or not fully. Its request was set aside, and can be resumed. */
export const BulkJobStatus = Schema.Literals(["CREATED", "PROCESSING", "COMPLETED", "ERROR"])
export type BulkJobStatus = typeof BulkJobStatus.Type

/** `ENQUEUED`: the user has a message. */
export const BulkUserStatus = Schema.Literals(["PENDING", "ENQUEUED", "ERROR"])
export type BulkUserStatus = typeof BulkUserStatus.Type
