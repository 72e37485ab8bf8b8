import * as ChatText from "#layers/providers/ChatText.ts"
import * as Devices from "#layers/providers/Devices.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import type { Asking } from "#layers/providers/PushReceipts.ts"
import { baseOf, baseUrl, secret } from "#layers/providers/SettingFields.ts"
import { define, noFault, reading, stateless } from "#layers/providers/VendorDefinition.ts"
import type { VendorRequest } from "#layers/providers/VendorHttp.ts"
import type { Fault, VendorTable } from "#layers/providers/VendorTable.ts"
import { isObject } from "#schemas/Json.ts"
import { Effect, Option, Redacted, Schema } from "effect"

/** The access token is needed only by projects with enhanced push security. */
const Settings = Schema.Struct({ access_token: Schema.optionalKey(secret), ...baseUrl })

/** A refused ticket comes with HTTP 200, a refused request with `errors`. */
const table: VendorTable = [
  { code: "DeviceNotRegistered", kind: "RecipientRejected", invalidates: true },
  { code: ["VALIDATION_ERROR", "ticket"], says: /push token/i, kind: "RecipientRejected" },
  { code: ["MessageTooBig", "VALIDATION_ERROR"], kind: "ContentRejected" },
  // To the same device.
  { code: "MessageRateExceeded", kind: "RateLimited", ofRecipient: true },
  { code: "TOO_MANY_REQUESTS", kind: "RateLimited" },
  { code: ["InvalidCredentials", "MismatchSenderId", "UNAUTHORIZED"], kind: "Misconfigured" },
  { code: ["ExpoError", "ProviderError", "INTERNAL_SERVER_ERROR"], kind: "Unavailable" },
  { status: 413, kind: "ContentRejected" }
]

const post = (settings: typeof Settings.Type, call: "send" | "getReceipts", body: object): VendorRequest => ({
  method: "POST",
  url: `${baseOf(settings, "https://exp.host")}/--/api/v2/push/${call}`,
  headers: {
    "content-type": "application/json",
    accept: "application/json",
    ...(settings.access_token === undefined ? {} : { authorization: `Bearer ${Redacted.value(settings.access_token)}` })
  },
  body: JsonBody.write(body)
})

const Ticket = Schema.Struct({
  status: Schema.Literals(["ok", "error"]),
  id: Schema.optional(Schema.String),
  message: Schema.optional(Schema.String),
  details: Schema.optional(Schema.Struct({ error: Schema.optional(Schema.String) }))
})
const ticket = reading(Schema.Struct({ data: Ticket }))
const refusal = reading(Schema.Struct({
  errors: Schema.Array(Schema.Struct({ code: Schema.String, message: Schema.optional(Schema.String) }))
}))

/**
 * What became of one push. A fault need not say more than that it is one; what does not fit is as good as no receipt
 * yet.
 */
const Receipt = Schema.Struct({
  status: Schema.Literals(["ok", "error"]),
  message: Schema.optional(Schema.Json),
  details: Schema.optional(Schema.Json)
})
const receiptOf = Schema.decodeUnknownOption(Receipt)
const receipts = reading(Schema.Struct({ data: Schema.Record(Schema.String, Schema.Json) }))

const faultOf = ({ details, message, status }: typeof Receipt.Type): Fault => {
  if (status === "ok") return noFault
  const code = isObject(details) ? details["error"] : undefined
  return {
    codes: [typeof code === "string" && code !== "" ? code : "receipt"],
    message: typeof message === "string" ? message : ""
  }
}

const asking: Asking<typeof Settings.Type> = {
  request: (settings, ids) => post(settings, "getReceipts", { ids }),
  read: (answer) => {
    const { data } = receipts(answer) ?? {}
    return data && new Map(
      Object.entries(data).flatMap(([id, one]) =>
        Option.match(receiptOf(one), { onNone: () => [], onSome: (receipt) => [[id, faultOf(receipt)] as const] })
      )
    )
  }
}

/**
 * POST /--/api/v2/push/send with one message (docs.expo.dev/push-notifications/sending-notifications). Its answer says
 * that Expo has the push; /getReceipts tells later what Apple or Google said to it.
 */
export const definition = define({
  key: "expo",
  name: "Expo",
  description: "Push notifications over Expo's push service",
  channel: "push",
  says: ["title", "body", "data"],
  settings: Settings,
  recipients: (profile) => Devices.tokensOf(profile["expo"]),
  writer: stateless<typeof Settings.Type, string>(({ delivery, settings, to }) =>
    Effect.succeed(
      post(settings, "send", {
        to,
        ...ChatText.push(delivery.rendered, (alert) => Overrides.body(alert ?? {}, delivery.override))
      })
    )
  ),
  accepted: (answer) => {
    const { data } = ticket(answer) ?? {}
    return data?.status === "ok" ? { reference: data.id } : undefined
  },
  fault: (answer) => {
    const { data } = ticket(answer) ?? {}
    if (data?.status === "error") return { codes: [data.details?.error ?? "ticket"], message: data.message ?? "" }
    const [first] = refusal(answer)?.errors ?? []
    return first === undefined ? noFault : { codes: [first.code], message: first.message ?? "" }
  },
  table,
  receipts: asking
})
