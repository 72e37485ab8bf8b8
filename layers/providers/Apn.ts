import * as BearerToken from "#layers/providers/BearerToken.ts"
import * as ChatText from "#layers/providers/ChatText.ts"
import * as Devices from "#layers/providers/Devices.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { baseOf, baseUrl, privateKey, segment } from "#layers/providers/SettingFields.ts"
import * as SignedToken from "#layers/providers/SignedToken.ts"
import { badAddress, define, noFault, reading, type Writer } from "#layers/providers/VendorDefinition.ts"
import type { VendorTable } from "#layers/providers/VendorTable.ts"
import { isObject } from "#schemas/Json.ts"
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"

const Settings = Schema.Struct({
  team_id: segment,
  key_id: segment,
  private_key: privateKey,
  /** The app's bundle id. */
  topic: segment,
  environment: Schema.optionalKey(Schema.Literals(["production", "sandbox"])),
  ...baseUrl
})

const table: VendorTable = [
  { code: ["Unregistered", "ExpiredToken"], kind: "RecipientRejected", invalidates: true },
  // Also the answer to a sandbox token in production: the token is dead for this configuration, but not for good.
  { code: ["BadDeviceToken", "DeviceTokenNotForTopic", "MissingDeviceToken"], kind: "RecipientRejected" },
  {
    code: ["PayloadTooLarge", "PayloadEmpty", "BadExpirationDate", "BadPriority", "BadCollapseId"],
    kind: "ContentRejected"
  },
  // Our token expired early, because the clocks differ: the next call makes a new one.
  { code: "ExpiredProviderToken", kind: "Unavailable" },
  // To the same device.
  { code: "TooManyRequests", kind: "RateLimited", ofRecipient: true },
  { code: "TooManyProviderTokenUpdates", kind: "RateLimited" },
  { code: ["IdleTimeout", "InternalServerError", "ServiceUnavailable", "Shutdown"], kind: "Unavailable" },
  { status: 410, kind: "RecipientRejected", invalidates: true },
  { status: 413, kind: "ContentRejected" }
]

const hosts = { production: "https://api.push.apple.com", sandbox: "https://api.sandbox.push.apple.com" }
const refusal = reading(Schema.Struct({ reason: Schema.String }))

/** Whether a push only wakes the app. Apple wants such a push to be called so, and not to be urgent. */
const isSilent = ({ aps }: Schema.JsonObject): boolean =>
  isObject(aps) && aps["content-available"] === 1 &&
  ["alert", "sound", "badge"].every((shown) => (aps[shown] ?? undefined) === undefined)

/** Apple wants a provider token renewed after 20 to 60 minutes. */
const lifetimeMs = 50 * 60_000

const writer = Effect.fnUntraced(function*(settings: typeof Settings.Type) {
  const token = yield* BearerToken.make(() =>
    SignedToken.make({
      algorithm: "ES256",
      privateKey: settings.private_key,
      keyId: settings.key_id,
      claims: { iss: settings.team_id }
    }).pipe(Effect.map((token) => ({ token, lifetimeMs })))
  )
  const request: Writer<typeof Settings.Type, string>["request"] = Effect.fnUntraced(
    function*({ delivery, line, settings, to }) {
      if (!/^[0-9a-fA-F]{16,400}$/.test(to)) return yield* badAddress("Not a device token")
      const payload = ChatText.push(
        delivery.rendered,
        (alert) => Overrides.body({ aps: alert === undefined ? undefined : { alert } }, delivery.override)
      )
      const isBackground = isSilent(payload)
      const bearer = yield* token.get(line)
      return {
        method: "POST" as const,
        url: `${baseOf(settings, hosts[settings.environment ?? "production"])}/3/device/${to}`,
        // On one connection Apple refuses the tokens of another key, and a new one within 20 minutes of the last, as two
        // configurations with the same key would use there (Pr0Ger/PyAPNs2#76).
        http2: bearer,
        headers: {
          authorization: `bearer ${bearer}`,
          "apns-topic": settings.topic,
          "apns-push-type": isBackground ? "background" : "alert",
          "apns-priority": isBackground ? "5" : "10",
          // At most 64 bytes. A second copy replaces the first one on the device.
          "apns-collapse-id": createHash("sha256").update(delivery.idempotencyToken).digest("base64url"),
          "content-type": "application/json"
        },
        body: JsonBody.write(payload)
      }
    }
  )
  return { request, forget: token.forget }
})

/**
 * POST /3/device/{token} over HTTP/2 with an ES256 provider token; 200 without a body
 * (developer.apple.com/documentation/usernotifications, "Sending notification requests to APNs").
 */
export const definition = define({
  key: "apn",
  name: "Apple Push Notification service",
  description: "Push notifications to Apple devices",
  channel: "push",
  says: ["aps.alert", "aps.content-available"],
  settings: Settings,
  holds: ["team_id", "key_id", "private_key"],
  recipients: (profile) => Devices.tokensOf(profile["apn"]),
  // Many streams of few connections.
  atOnce: 256,
  writer,
  accepted: ({ body, headers, status, whole }) =>
    status === 200 && whole && body === "" ? { reference: headers["apns-id"] } : undefined,
  fault: (answer) => {
    const said = refusal(answer)
    return said === undefined ? noFault : { codes: [said.reason], message: "" }
  },
  // The key itself. Apple shuts out who makes tokens more often than every 20 minutes (`TooManyProviderTokenUpdates`).
  // The last one is not in its table (swift-server-community/APNSwift#229).
  beyondToken: [
    "InvalidProviderToken",
    "UnrelatedKeyIdInToken",
    "BadEnvironmentKeyIdInToken",
    "Forbidden",
    "BadEnvironmentKeyInToken"
  ],
  table
})
