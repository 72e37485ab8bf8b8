import * as Apn from "#layers/providers/Apn.ts"
import { listed } from "#layers/providers/Catalogue.ts"
import * as Expo from "#layers/providers/Expo.ts"
import * as FirebaseFcm from "#layers/providers/FirebaseFcm.ts"
import { messageId, type Row } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"
import { generateKeyPairSync } from "node:crypto"

export const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
export const ec = generateKeyPairSync("ec", { namedCurve: "P-256" })

const fcmFault = (code: number, status: string, errorCode: string | undefined, message: string): Answer =>
  json(code, {
    error: {
      code,
      message,
      status,
      details: errorCode === undefined
        ? [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: "message.token" }] }]
        : [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }]
    }
  })

export const firebaseFcm: Row = {
  entry: listed(FirebaseFcm.definition),
  settings: {
    project_id: "myproject-b5ae1",
    client_email: "push@myproject-b5ae1.iam.gserviceaccount.com",
    private_key: rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    token_url: "{origin}/token"
  },
  profile: { firebaseToken: "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1" },
  before: { "/token": json(200, { access_token: "ya29.token", expires_in: 3599, token_type: "Bearer" }) },
  override: { body: { data: { order: "42" } } },
  success: json(200, { name: "projects/myproject-b5ae1/messages/0:1500415314455276%31bd1c9631bd1c96" }),
  reference: "projects/myproject-b5ae1/messages/0:1500415314455276%31bd1c9631bd1c96",
  request: {
    method: "POST",
    path: "/v1/projects/myproject-b5ae1/messages:send",
    headers: { authorization: "Bearer ya29.token", "content-type": "application/json" },
    body: {
      message: {
        token: "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1",
        notification: { title: "Your order", body: "It is on its way." },
        android: { notification: { tag: `${messageId}:push:firebase-fcm` } },
        apns: { headers: { "apns-collapse-id": `${messageId}:push:firebase-fcm` } },
        data: { order: "42" }
      }
    }
  },
  refusals: [
    {
      name: "404 UNREGISTERED",
      answer: fcmFault(404, "NOT_FOUND", "UNREGISTERED", "Requested entity was not found."),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "400 token",
      answer: fcmFault(
        400,
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
        "The registration token is not a valid FCM registration token"
      ),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "400 content",
      answer: fcmFault(
        400,
        "INVALID_ARGUMENT",
        undefined,
        "Invalid value at 'message.data[0].value' (TYPE_STRING), 42"
      ),
      kind: "ContentRejected"
    },
    {
      name: "403 SENDER_ID_MISMATCH",
      answer: fcmFault(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", "SenderId mismatch"),
      kind: "RecipientRejected"
    },
    {
      name: "401 third party",
      answer: fcmFault(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", "Auth error from APNS or Web Push Service"),
      kind: "Misconfigured"
    },
    {
      name: "429 QUOTA_EXCEEDED",
      answer: fcmFault(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", "Quota exceeded for quota metric"),
      kind: "RateLimited"
    },
    { name: "503 UNAVAILABLE", answer: fcmFault(503, "UNAVAILABLE", "UNAVAILABLE", "unavailable"), kind: "Unavailable" }
  ]
}

const apnFault = (status: number, reason: string): Answer => json(status, { reason })
const device = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

export const apn: Row = {
  entry: listed(Apn.definition),
  http2: true,
  settings: {
    team_id: "DEF123GHIJ",
    key_id: "ABC123DEFG",
    topic: "com.example.MyApp",
    private_key: ec.privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  },
  profile: { apn: { token: device } },
  override: { body: { aps: { sound: "default" }, order: 42 } },
  success: { status: 200, headers: { "apns-id": "eabeae54-14a8-11e5-b60b-1697f925ec7b" } },
  reference: "eabeae54-14a8-11e5-b60b-1697f925ec7b",
  request: {
    method: "POST",
    path: `/3/device/${device}`,
    headers: {
      authorization: /^bearer [\w-]+\.[\w-]+\.[\w-]+$/,
      "apns-topic": "com.example.MyApp",
      "apns-push-type": "alert",
      "apns-priority": "10",
      "apns-collapse-id": /^[\w-]{43}$/
    },
    body: {
      aps: { alert: { title: "Your order", body: "It is on its way." }, sound: "default" },
      order: 42
    }
  },
  refusals: [
    { name: "410 Unregistered", answer: apnFault(410, "Unregistered"), kind: "RecipientRejected", invalidates: true },
    { name: "410 ExpiredToken", answer: apnFault(410, "ExpiredToken"), kind: "RecipientRejected", invalidates: true },
    { name: "400 BadDeviceToken", answer: apnFault(400, "BadDeviceToken"), kind: "RecipientRejected" },
    { name: "400 DeviceTokenNotForTopic", answer: apnFault(400, "DeviceTokenNotForTopic"), kind: "RecipientRejected" },
    { name: "413 PayloadTooLarge", answer: apnFault(413, "PayloadTooLarge"), kind: "ContentRejected" },
    { name: "400 PayloadEmpty", answer: apnFault(400, "PayloadEmpty"), kind: "ContentRejected" },
    { name: "400 TopicDisallowed", answer: apnFault(400, "TopicDisallowed"), kind: "Misconfigured" },
    { name: "403 InvalidProviderToken", answer: apnFault(403, "InvalidProviderToken"), kind: "Misconfigured" },
    { name: "403 ExpiredProviderToken", answer: apnFault(403, "ExpiredProviderToken"), kind: "Unavailable" },
    { name: "429 TooManyRequests", answer: apnFault(429, "TooManyRequests"), kind: "RateLimited" },
    { name: "503 Shutdown", answer: apnFault(503, "Shutdown"), kind: "Unavailable" }
  ],
  differs: { "empty 2xx": { outcome: "Accepted", why: "an empty body is APNs' success" } }
}

const ticket = (error: string, message: string): Answer =>
  json(200, { data: { status: "error", message, details: { error } } })

export const expo: Row = {
  entry: listed(Expo.definition),
  settings: { access_token: "expo-token" },
  profile: { expo: { tokens: ["ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]"] } },
  override: { body: { sound: "default" } },
  success: json(200, { data: { status: "ok", id: "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX" } }),
  reference: "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX",
  request: {
    method: "POST",
    path: "/--/api/v2/push/send",
    headers: { authorization: "Bearer expo-token", "content-type": "application/json" },
    body: {
      to: "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]",
      title: "Your order",
      body: "It is on its way.",
      sound: "default"
    }
  },
  refusals: [
    {
      name: "DeviceNotRegistered",
      answer: ticket(
        "DeviceNotRegistered",
        "\"ExponentPushToken[xxx]\" is not a registered push notification recipient"
      ),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "400 token",
      answer: json(400, { errors: [{ code: "VALIDATION_ERROR", message: "\"to\" is not a valid Expo push token." }] }),
      kind: "RecipientRejected"
    },
    { name: "MessageTooBig", answer: ticket("MessageTooBig", "too big"), kind: "ContentRejected" },
    { name: "MessageRateExceeded", answer: ticket("MessageRateExceeded", "slow down"), kind: "RateLimited" },
    { name: "InvalidCredentials", answer: ticket("InvalidCredentials", "credentials"), kind: "Misconfigured" },
    {
      name: "429 TOO_MANY_REQUESTS",
      answer: json(429, { errors: [{ code: "TOO_MANY_REQUESTS", message: "slow down" }] }),
      kind: "RateLimited"
    }
  ]
}
