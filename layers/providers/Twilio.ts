import * as ChatText from "#layers/providers/ChatText.ts"
import { headerToken } from "#layers/providers/HeaderToken.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import * as Phone from "#layers/providers/Phone.ts"
import { marked } from "#layers/providers/receipts/Marks.ts"
import { baseOf } from "#layers/providers/SettingFields.ts"
import { TwilioSettings } from "#layers/providers/twilio/Settings.ts"
import { define, noFault, reading, type Writer } from "#layers/providers/VendorDefinition.ts"
import type { VendorTable } from "#layers/providers/VendorTable.ts"
import { usedUp } from "#layers/providers/Verdict.ts"
import { Misconfigured } from "#schemas/DeliveryError.ts"
import { Effect, Redacted, Schema } from "effect"

const table: VendorTable = [
  // 21614: a landline; 21211 and 21265: not a number. 21610 (the recipient sent STOP) does not invalidate: it can be
  // taken back.
  { code: ["21211", "21614", "21265"], kind: "RecipientRejected", invalidates: true },
  { code: ["21610", "21214", "21635"], kind: "RecipientRejected" },
  // There is no route from this sender to that number, as from an alphanumeric sender to the USA; another vendor's
  // sender may have one.
  { code: "21612", kind: "Misconfigured" },
  { code: ["21602", "21605", "21617", "21619", "21620", "21623", "21654", "21656", "21658"], kind: "ContentRejected" },
  // Between the same two numbers.
  { code: "14107", kind: "RateLimited", ofRecipient: true },
  { code: "63038", kind: "RateLimited", wait: usedUp },
  { code: ["20429", "21611"], kind: "RateLimited" },
  { code: ["20500", "20503"], kind: "Unavailable" }
]

const accepted = reading(Schema.Struct({ sid: Schema.NonEmptyString }))
const refusal = reading(Schema.Struct({ code: Schema.Int, message: Schema.optional(Schema.String) }))

const Field = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
/** A list is sent as one field per item (`MediaUrl`), `null` as none. */
const Form = Schema.Record(Schema.String, Schema.Union([Field, Schema.Array(Field), Schema.Null]))
const valuesOf = (value: (typeof Form.Type)[string] | undefined): ReadonlyArray<string> =>
  [value].flat().flatMap((one) => one === undefined || one === null ? [] : [`${one}`])

const fieldsOf = Schema.decodeUnknownEffect(Form)

/**
 * Twilio's SDK writes the request and passes it to its HTTP client, which is replaceable: this one keeps the request
 * and sends nothing, so that deadline, pool, interruption and outcomes are those of every vendor. The SDK is loaded
 * with the first configuration only, since it costs 0.2 s and 35 MB.
 */
const sdk = Effect.fnUntraced(function*(settings: TwilioSettings) {
  const { default: twilio } = yield* Effect.promise(() => import("twilio"))
  const last: { request: { readonly uri: string; readonly headers?: unknown; readonly data?: unknown } | undefined } = {
    request: undefined
  }
  class Kept extends twilio.RequestClient {
    override request(options: { readonly uri: string; readonly headers?: unknown; readonly data?: unknown }) {
      last.request = options
      return new Promise<never>(() => {})
    }
  }
  const client = twilio(settings.account_sid, Redacted.value(settings.auth_token), { httpClient: new Kept() })
  client.api.baseUrl = baseOf(settings, "https://api.twilio.com")
  return (message: Parameters<typeof client.messages.create>[0]) =>
    Effect.try({
      try: () => {
        last.request = undefined
        void client.messages.create(message)
        return last.request
      },
      catch: () => new Misconfigured({ detail: "The Twilio SDK refuses the request" })
    }).pipe(Effect.filterOrFail(
      (request) => request !== undefined,
      () => new Misconfigured({ detail: "The Twilio SDK wrote no request" })
    ))
})

const Headers = Schema.decodeUnknownEffect(Schema.Record(Schema.String, Schema.String))

const writer = Effect.fnUntraced(function*(settings: TwilioSettings) {
  const written = yield* sdk(settings)
  const basic = Buffer.from(`${settings.account_sid}:${Redacted.value(settings.auth_token)}`).toString("base64")
  const request: Writer<TwilioSettings, string>["request"] = Effect.fnUntraced(function*({ delivery, to }) {
    const number = yield* Effect.fromResult(Phone.ofRecipient(to))
    const { from, messaging_service_sid: messagingServiceSid } = settings
    if (from === undefined && messagingServiceSid === undefined) {
      return yield* new Misconfigured({ detail: "No sender: set `from` or `messaging_service_sid`" })
    }
    // Another account signs its callbacks with its own token, and they would be refused as forged.
    const callback = Overrides.changes(delivery.override, "account_sid", "auth_token")
      ? undefined
      : settings.status_callback
    const { data, headers, uri } = yield* written({
      to: number,
      body: ChatText.sms(delivery.rendered),
      ...(callback === undefined ? {} : { statusCallback: marked(callback, delivery.messageId) }),
      ...(messagingServiceSid === undefined ? {} : { messagingServiceSid }),
      ...(from === undefined ? {} : { from })
    })
    const form = yield* fieldsOf(Overrides.body(yield* fieldsOf(data), delivery.override))
    return {
      method: "POST" as const,
      url: uri,
      headers: {
        ...Object.fromEntries(
          Object.entries(yield* Headers(headers)).map(([name, value]) => [name.toLowerCase(), value])
        ),
        authorization: `Basic ${basic}`,
        // It is not documented whether the Messages API deduplicates by this token.
        "i-twilio-idempotency-token": headerToken(delivery.idempotencyToken, 256)
      },
      body: new URLSearchParams(
        Object.entries(form).flatMap(([name, value]) => valuesOf(value).map((one) => [name, one]))
      ).toString()
    }
  }, Effect.catchTag("SchemaError", () => Effect.fail(new Misconfigured({ detail: "override.body is no form" }))))
  return { request }
})

/** POST /2010-04-01/Accounts/{sid}/Messages.json, written by Twilio's own SDK (twilio.com/docs/api/errors). */
export const definition = define({
  key: "twilio",
  name: "Twilio",
  description: "Text messages over Twilio Programmable Messaging",
  channel: "sms",
  says: ["Body", "MediaUrl", "ContentSid"],
  settings: TwilioSettings,
  addressees: ["To"],
  recipients: Phone.recipients,
  writer,
  accepted: (answer) => {
    const taken = accepted(answer)
    return taken === undefined ? undefined : { reference: taken.sid }
  },
  fault: (answer) => {
    if (answer.status < 300) return noFault
    const said = refusal(answer)
    return said === undefined ? noFault : { codes: [`${said.code}`], message: said.message ?? "" }
  },
  table
})
