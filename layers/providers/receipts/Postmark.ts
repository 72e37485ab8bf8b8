import { base64, equal, forged, instant, reading, textOf } from "#layers/providers/receipts/Checks.ts"
import { fromMarks, isOfCopy } from "#layers/providers/receipts/Marks.ts"
import type { SuppressionReason } from "#schemas/Suppression.ts"
import type { AddressReport } from "#src/reports/AddressReports.ts"
import { type CallbackReader, nothing } from "#src/reports/Callbacks.ts"
import type { Receipt, ReceiptEvent } from "#src/reports/Receipts.ts"
import { Buffer } from "node:buffer"
import { Effect, Option, Schema } from "effect"

/** The operator's own secret, which is part of the webhook's URL: `https://tidings:<secret>@host/callbacks/pc_…`. */
const Settings = Schema.Struct({
  webhook_secret: Schema.NonEmptyString,
  message_stream: Schema.optionalKey(Schema.String)
})

/** The stream that mail goes through where the settings name none, as in the adapter. */
const defaultStream = "outbound"

/** The user name in that URL. */
const userName = "tidings"

/** One callback (postmarkapp.com/developer/webhooks). */
const Report = Schema.Struct({
  RecordType: Schema.String,
  MessageID: Schema.optionalKey(Schema.String),
  ID: Schema.optionalKey(Schema.Number),
  Type: Schema.optionalKey(Schema.String),
  /** The address that it is about; bounces call it `Email`. */
  Recipient: Schema.optionalKey(Schema.String),
  Email: Schema.optionalKey(Schema.String),
  DeliveredAt: Schema.optionalKey(Schema.String),
  BouncedAt: Schema.optionalKey(Schema.String),
  ReceivedAt: Schema.optionalKey(Schema.String),
  ChangedAt: Schema.optionalKey(Schema.String),
  Description: Schema.optionalKey(Schema.String),
  Details: Schema.optionalKey(Schema.String),
  Metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Of a `SubscriptionChange`: whether the address is sent to no more in this stream, why, and who had it so. */
  SuppressSending: Schema.optionalKey(Schema.Boolean),
  SuppressionReason: Schema.optionalKey(Schema.String),
  Origin: Schema.optionalKey(Schema.String),
  MessageStream: Schema.optionalKey(Schema.String)
})
type Report = typeof Report.Type

/**
 * Bounce types after which the mail does not arrive; the others are delays, automatic replies and subscription changes.
 */
const final = new Set([
  "HardBounce",
  "SoftBounce",
  "BadEmailAddress",
  "Blocked",
  "DMARCPolicy",
  "ManuallyDeactivated",
  "SMTPApiError",
  "SpamNotification",
  "TemplateRenderingFailed",
  "VirusNotification"
])

const table = new Map<string, ReceiptEvent>([
  ["Delivery", "Deliver"],
  ["Open", "Open"],
  ["Click", "Click"],
  ["Bounce", "Bounce"]
])

const kindOf = ({ RecordType, Type }: Report): ReceiptEvent | undefined =>
  RecordType === "Bounce" && !final.has(Type ?? "") ? undefined : table.get(RecordType)

const addressOf = ({ Email, Recipient }: Report): string | undefined => Recipient ?? Email

const detailOf = ({ Description, Details }: Report): string | undefined => Details ?? Description

/**
 * The reasons of a `SubscriptionChange`. `ManualSuppression` is none: who unsubscribes from one message stream, such as a
 * newsletter's, still wants all other mail, and Postmark itself refuses what is sent in that stream.
 */
const changes = new Map<string | undefined, SuppressionReason>([
  ["HardBounce", "BOUNCED"],
  ["SpamComplaint", "COMPLAINED"]
])

/**
 * Why the address is to be sent to no more. Postmark has a list for each message stream, of which the configuration's
 * own counts, and what the recipient did: whom the account's people suppress or reactivate there, they do here.
 */
const reasonOf = (report: Report, stream: string): SuppressionReason | undefined => {
  const { MessageStream = stream, Origin, RecordType, SuppressSending, SuppressionReason, Type } = report
  switch (RecordType) {
    case "Bounce":
      return Type === "HardBounce" || Type === "BadEmailAddress" ? "BOUNCED" : undefined
    case "SpamComplaint":
      return "COMPLAINED"
    case "SubscriptionChange":
      return SuppressSending === true && Origin === "Recipient" && MessageStream === stream
        ? changes.get(SuppressionReason)
        : undefined
    default:
      return undefined
  }
}

/** What it says of the address; of a copy's as much as of the message's own. */
const about = (report: Report, stream: string): ReadonlyArray<AddressReport> => {
  const [address, reason] = [addressOf(report), reasonOf(report, stream)]
  return address === undefined || reason === undefined
    ? []
    : [{
      channel: "email",
      address,
      reason,
      detail: detailOf(report),
      at: instant(report.BouncedAt ?? report.ChangedAt)
    }]
}

const receipt = (report: Report): ReadonlyArray<Receipt> => {
  const kind = kindOf(report)
  const at = report.DeliveredAt ?? report.BouncedAt ?? report.ReceivedAt
  const address = addressOf(report)
  const isCopy = isOfCopy(report.Metadata?.["tidings_to"], address === undefined ? undefined : [address])
  return kind === undefined || report.MessageID === undefined || isCopy ? [] : [{
    // Postmark gives an event id only to bounces.
    id: `${report.RecordType}:${report.MessageID}:${report.ID ?? at ?? ""}`,
    event: kind,
    ...fromMarks((name) => report.Metadata?.[name]),
    reference: report.MessageID,
    at: instant(at),
    detail: kind === "Bounce" ? detailOf(report) : undefined
  }]
}

const settingsOf = Schema.decodeUnknownOption(Settings)
const reportOf = reading(Report)

const isOurs = (authorization: string | undefined, secret: string): boolean => {
  const given = authorization?.startsWith("Basic ") === true ? base64(authorization.slice("Basic ".length)) : undefined
  return given !== undefined && equal(given.toString("latin1"), Buffer.from(`${userName}:${secret}`).toString("latin1"))
}

/**
 * Postmark signs nothing. Its callbacks are recognised by the secret in the webhook's URL, which arrives as Basic
 * authentication. The adapter sends the message's id as metadata.
 */
export const reader: CallbackReader = {
  read: Effect.fnUntraced(function*({ body, headers }, given) {
    const settings = Option.getOrUndefined(settingsOf(given))
    if (settings === undefined) return yield* forged("the configuration has no webhook_secret")
    if (!isOurs(headers["authorization"], settings.webhook_secret)) return yield* forged("the secret is wrong")
    return Option.match(reportOf(textOf(body)), {
      onNone: () => nothing,
      onSome: (report) => ({
        receipts: receipt(report),
        addresses: about(report, settings.message_stream ?? defaultStream)
      })
    })
  })
}
