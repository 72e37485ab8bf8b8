import { GroupId, Reference } from "#schemas/Id.ts"
import { optional } from "#schemas/Optional.ts"
import { refuse } from "#schemas/SchemaRefusal.ts"
import { fromIso } from "#schemas/WrittenTime.ts"
import { DateTime, Effect, Schema, SchemaTransformation } from "effect"

/** The name that a push provider gives to one installed app. */
export const Token = GroupId

export const TokenProvider = Schema.Literals(["firebase-fcm", "apn", "expo", "onesignal"]).annotate({
  title: "TokenProvider"
})
export type TokenProvider = typeof TokenProvider.Type

/** Only `active` tokens are sent to. */
export const TokenStatus = Schema.Literals(["active", "unknown", "failed", "revoked"])
export type TokenStatus = typeof TokenStatus.Type

const text = optional(Schema.String)

/** What an app tells of the device it runs on. */
const Device = Schema.Struct({
  app_id: text,
  ad_id: text,
  device_id: text,
  platform: text,
  manufacturer: text,
  model: text
}).annotate({ title: "Device" })

const Tracking = Schema.Struct({ os_version: text, ip: text, lat: text, long: text }).annotate({
  title: "DeviceTracking"
})

/** Tokens that one user has at most: for a new one, the oldest goes. */
export const mostTokens = 500

/** What callers gave for a token besides its provider. */
export const TokenDetails = Schema.Struct({
  device: Schema.optionalKey(Device),
  properties: Schema.optionalKey(Schema.Json),
  tracking: Schema.optionalKey(Tracking)
})
export type TokenDetails = typeof TokenDetails.Type

const Iso = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transformEffect({
      decode: (iso) => {
        const time = fromIso(iso)
        return time === undefined
          ? refuse("Expected an ISO 8601 date-time, or false")
          : Effect.succeed(time)
      },
      encode: (time) => Effect.succeed(DateTime.formatIso(DateTime.makeUnsafe(time)))
    })
  )
)

/** Epoch ms, on the wire ISO 8601; `false`: never. */
export const Expiry = Schema.Union([Iso, Schema.Literal(false)])
export type Expiry = typeof Expiry.Type

/** A token as callers write it; without `expiry_date` it holds for two months. */
export const TokenWrite = Schema.Struct({
  provider_key: TokenProvider,
  expiry_date: optional(Expiry),
  device: optional(Device),
  properties: optional(Schema.Json),
  tracking: optional(Tracking)
})
export type TokenWrite = typeof TokenWrite.Type

/**
 * Characters of JSON that a token's device, properties and tracking may have together: an app writes them with a user's
 * own key, and whoever lists the user's tokens is shown all.
 */
const mostDetail = 8_000

/** The check of that, for what has the fields of a write. */
export const isBrief = Schema.makeFilter(({ device, properties, tracking }: TokenWrite) =>
  JSON.stringify({ device, properties, tracking }).length <= mostDetail
    ? undefined
    : `Expected at most ${mostDetail} characters of JSON in device, properties and tracking`
)

/** The details in a write; `null` counts as left out. */
export const detailsOf = ({ device, properties, tracking }: TokenWrite): TokenDetails => ({
  ...(device === undefined || device === null ? {} : { device }),
  ...(properties === undefined || properties === null ? {} : { properties }),
  ...(tracking === undefined || tracking === null ? {} : { tracking })
})

/** A token as a patch sees it. The patched document must still be one. */
export const TokenDocument = Schema.Struct({
  token: Token,
  ...TokenWrite.fields,
  status: TokenStatus,
  status_reason: optional(Reference.check(Schema.isMaxLength(512)))
}).check(isBrief)
export type TokenDocument = typeof TokenDocument.Type
