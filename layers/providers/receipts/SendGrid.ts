import * as EnhancedStatus from "#layers/providers/EnhancedStatus.ts"
import { base64, forged, fresh, reading, textOf } from "#layers/providers/receipts/Checks.ts"
import { fromMarks, isOfCopy } from "#layers/providers/receipts/Marks.ts"
import type { SuppressionReason } from "#schemas/Suppression.ts"
import type { AddressReport } from "#src/reports/AddressReports.ts"
import type { CallbackReader } from "#src/reports/Callbacks.ts"
import type { Receipt, ReceiptEvent } from "#src/reports/Receipts.ts"
import { Buffer } from "node:buffer"
import { createPublicKey, verify } from "node:crypto"
import { Effect, Option, Schema } from "effect"

/**
 * The verification key that the console shows when the signed event webhook is switched on: base64 of a DER public key
 * (P-256).
 */
const Settings = Schema.Struct({ webhook_public_key: Schema.String })

/**
 * One event (docs.sendgrid.com, Event Webhook Reference). Custom arguments are members beside the vendor's own fields.
 */
const Event = Schema.StructWithRest(
  Schema.Struct({
    event: Schema.String,
    /** Some have none (Troubleshooting the Event Webhook), such as those of a mail that was dropped at once. */
    sg_event_id: Schema.optionalKey(Schema.String),
    email: Schema.optionalKey(Schema.String),
    sg_message_id: Schema.optionalKey(Schema.String),
    timestamp: Schema.Number,
    sg_machine_open: Schema.optionalKey(Schema.Boolean),
    reason: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Schema.String),
    /** Of a bounce: `bounce`, or `blocked` where the mail was refused and not the address. */
    type: Schema.optionalKey(Schema.String),
    bounce_classification: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Json)]
)
type Event = typeof Event.Type

/** `processed`, `deferred`, complaints and unsubscriptions do not change a message's status. */
const table = new Map<string, ReceiptEvent>([
  ["delivered", "Deliver"],
  ["open", "Open"],
  ["click", "Click"],
  ["bounce", "Bounce"],
  ["dropped", "Bounce"]
])

const kindOf = (event: Event): ReceiptEvent | undefined =>
  // A privacy proxy fetched the pixel, which proves only that the mail arrived.
  event.event === "open" && event.sg_machine_open === true ? "Deliver" : table.get(event.event)

const detailOf = ({ reason, status }: Event): string | undefined =>
  [status, reason].filter(Boolean).join(" ") || undefined

const timeOf = ({ timestamp }: Event): number => timestamp * 1_000

/** Of what SendGrid did not send at all: the reasons that lie in the address. */
const dropped = new Map<string | undefined, SuppressionReason>([
  ["Bounced Address", "BOUNCED"],
  ["Invalid", "BOUNCED"],
  ["Spam Reporting Address", "COMPLAINED"],
  ["Unsubscribed Address", "UNSUBSCRIBED"]
])

/**
 * Why the address is to be sent to no more. Who leaves one of SendGrid's groups (`group_unsubscribe`) still wants all
 * other mail.
 */
const reasonOf = (event: Event): SuppressionReason | undefined => {
  switch (event.event) {
    case "bounce":
      return event.type !== "blocked" &&
          (EnhancedStatus.isDead(event.status ?? "", event.reason ?? "") ||
            event.bounce_classification === "Invalid Address")
        ? "BOUNCED"
        : undefined
    case "dropped":
      return dropped.get(event.reason)
    case "spamreport":
      return "COMPLAINED"
    case "unsubscribe":
      return "UNSUBSCRIBED"
    default:
      return undefined
  }
}

/** Whether the mail was not sent since its recipient had complained or unsubscribed. */
const isUnwanted = (event: Event): boolean => {
  const reason = reasonOf(event)
  return reason === "COMPLAINED" || reason === "UNSUBSCRIBED"
}

/** What it says of the address; of a copy's as much as of the message's own. */
const report = (event: Event): ReadonlyArray<AddressReport> => {
  const reason = reasonOf(event)
  return reason === undefined || event.email === undefined
    ? []
    : [{ channel: "email", address: event.email, reason, detail: detailOf(event), at: timeOf(event) }]
}

const receipt = (event: Event): ReadonlyArray<Receipt> => {
  const kind = kindOf(event)
  const isCopy = isOfCopy(event["tidings_to"], event.email === undefined ? undefined : [event.email])
  return kind === undefined || isCopy ? [] : [{
    id: event.sg_event_id ?? `${event.event}:${event.timestamp}`,
    event: kind,
    ...fromMarks((name) => event[name]),
    // What follows the first dot names the machine that handled it; the `X-Message-Id` of the API's answer ends before
    // it.
    reference: event.sg_message_id?.split(".", 1)[0],
    at: timeOf(event),
    detail: kind === "Bounce" ? detailOf(event) : undefined,
    ...(isUnwanted(event) ? { isUnwanted: true } : {})
  }]
}

/**
 * How long SendGrid repeats a post that was not accepted, in ms (docs.sendgrid.com, Troubleshooting the Event Webhook).
 * It is not documented whether a repeat is signed anew. One that is not changes nothing twice: events have ids,
 * and times by which they suppress an address once.
 */
const retried = 24 * 3_600_000

const settingsOf = Schema.decodeUnknownOption(Settings)
const eventOf = Schema.decodeUnknownOption(Event)
const listOf = reading(Schema.Array(Schema.Json))

const isSigned = (key: string, signature: string, signed: Uint8Array): Effect.Effect<boolean> =>
  Effect.try({
    try: () => {
      const [der, given] = [base64(key), base64(signature)]
      if (der === undefined || given === undefined) return false
      return verify("sha256", signed, createPublicKey({ key: der, format: "der", type: "spki" }), given)
    },
    catch: (cause) => cause
  }).pipe(Effect.orElseSucceed(() => false))

/**
 * SendGrid's signed event webhook: ECDSA (P-256, SHA-256) over the timestamp header and the raw body. The adapter sends
 * the message's id as custom argument.
 */
export const reader: CallbackReader = {
  read: Effect.fnUntraced(function*({ body, headers }, given) {
    const settings = Option.getOrUndefined(settingsOf(given))
    if (settings === undefined) return yield* forged("the configuration has no webhook_public_key")
    const signature = headers["x-twilio-email-event-webhook-signature"] ?? ""
    const timestamp = headers["x-twilio-email-event-webhook-timestamp"] ?? ""
    const signed = Buffer.concat([Buffer.from(timestamp), body])
    if (!(yield* isSigned(settings.webhook_public_key, signature, signed)))
      return yield* forged("the signature is wrong")
    yield* fresh(/^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : undefined, retried)
    const events = Option.getOrElse(listOf(textOf(body)), () => []).flatMap((event) => Option.toArray(eventOf(event)))
    return { receipts: events.flatMap(receipt), addresses: events.flatMap(report) }
  })
}
