import * as BearerToken from "#layers/providers/BearerToken.ts"
import * as ChatText from "#layers/providers/ChatText.ts"
import * as Devices from "#layers/providers/Devices.ts"
import { headerToken } from "#layers/providers/HeaderToken.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { baseOf, baseUrl, line, privateKey, segment, url } from "#layers/providers/SettingFields.ts"
import * as SignedToken from "#layers/providers/SignedToken.ts"
import * as TokenAnswer from "#layers/providers/TokenAnswer.ts"
import { define, noFault, reading, type Writer } from "#layers/providers/VendorDefinition.ts"
import type { VendorTable } from "#layers/providers/VendorTable.ts"
import { isObject } from "#schemas/Json.ts"
import { Effect, Schema } from "effect"

/** The fields of a service account's key file. */
const Settings = Schema.Struct({
  project_id: segment,
  client_email: line,
  private_key: privateKey,
  token_url: Schema.optionalKey(url),
  ...baseUrl
})

const table: VendorTable = [
  { code: "UNREGISTERED", kind: "RecipientRejected", invalidates: true },
  // The token belongs to another sender's app: dead for this configuration, not for good.
  { code: "SENDER_ID_MISMATCH", kind: "RecipientRejected" },
  { code: "INVALID_ARGUMENT", says: /registration token/i, kind: "RecipientRejected", invalidates: true },
  { code: "INVALID_ARGUMENT", kind: "ContentRejected" },
  { code: "QUOTA_EXCEEDED", kind: "RateLimited" },
  { code: ["UNAVAILABLE", "INTERNAL"], kind: "Unavailable" },
  { code: "THIRD_PARTY_AUTH_ERROR", kind: "Misconfigured" }
]

const accepted = reading(Schema.Struct({ name: Schema.NonEmptyString }))
const refusal = reading(Schema.Struct({
  error: Schema.Struct({
    status: Schema.optional(Schema.String),
    message: Schema.optional(Schema.String),
    details: Schema.optional(Schema.Array(Schema.Struct({ errorCode: Schema.optional(Schema.String) })))
  })
}))

/** Whether there is something to show, by the rendering or by the override. */
const isShown = (notification: ChatText.Alert | undefined, override: Schema.Json | undefined): boolean => {
  if (!isObject(override)) return notification !== undefined
  const { android, notification: own = notification } = override
  return isObject(own) || (isObject(android) && isObject(android["notification"]))
}

const scope = "https://www.googleapis.com/auth/firebase.messaging"
const hour = 3_600

const writer = Effect.fnUntraced(function*(settings: typeof Settings.Type) {
  const tokenUrl = settings.token_url ?? "https://oauth2.googleapis.com/token"
  const token = yield* BearerToken.make(Effect.fnUntraced(function*(line) {
    const assertion = yield* SignedToken.make({
      algorithm: "RS256",
      privateKey: settings.private_key,
      claims: { iss: settings.client_email, scope, aud: tokenUrl },
      lifetimeSeconds: hour
    })
    const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    return yield* TokenAnswer.request(line, "Google", tokenUrl, { grant_type, assertion })
  }))
  const request: Writer<typeof Settings.Type, string>["request"] = Effect.fnUntraced(
    function*({ delivery, line, settings, to }) {
      const base = baseOf(settings, "https://fcm.googleapis.com")
      return {
        method: "POST" as const,
        url: `${base}/v1/projects/${settings.project_id}/messages:send`,
        headers: { authorization: `Bearer ${yield* token.get(line)}`, "content-type": "application/json" },
        body: JsonBody.write({
          message: {
            token: to,
            ...ChatText.push(delivery.rendered, (notification) =>
              Overrides.body({
                notification,
                // A second copy replaces the first one on the device. Nothing replaces what only wakes the app: with a tag, it
                // would be shown.
                android: isShown(notification, delivery.override["body"])
                  ? { notification: { tag: delivery.idempotencyToken } }
                  : undefined,
                apns: { headers: { "apns-collapse-id": headerToken(delivery.idempotencyToken, 64) } }
              }, delivery.override))
          }
        })
      }
    }
  )
  return { request, forget: token.forget }
})

/**
 * HTTP v1: POST /v1/projects/{project}/messages:send with a service account's OAuth 2 token (RFC 7523)
 * (firebase.google.com/docs/reference/fcm/rest/v1/projects.messages and /v1/ErrorCode).
 */
export const definition = define({
  key: "firebase-fcm",
  name: "Firebase Cloud Messaging",
  description: "Push notifications over Firebase Cloud Messaging, HTTP v1",
  channel: "push",
  says: [
    "notification",
    "data",
    "android.notification",
    "android.data",
    "apns.payload",
    "webpush.notification",
    "webpush.data"
  ],
  settings: Settings,
  holds: ["client_email", "private_key", "token_url"],
  recipients: (profile) => Devices.tokens(profile["firebaseToken"]),
  writer,
  accepted: (answer) => {
    const taken = accepted(answer)
    return taken === undefined ? undefined : { reference: taken.name }
  },
  fault: (answer) => {
    const said = refusal(answer)?.error
    if (said === undefined) return noFault
    const codes = [...(said.details ?? []).map(({ errorCode }) => errorCode), said.status]
    return { codes: codes.filter((code) => code !== undefined), message: said.message ?? "" }
  },
  // Those of Apple or of a web push service, which the operator gave to Google.
  beyondToken: ["THIRD_PARTY_AUTH_ERROR"],
  table
})
