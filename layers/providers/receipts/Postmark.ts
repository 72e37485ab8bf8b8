import { base64, equal, forged, instant, reading, textOf } from "#layers/providers/receipts/Checks.ts"
import { fromMarks, isOfCopy } from "#layers/providers/receipts/Marks.ts"
import type { CallbackReader } from "#src/reports/Callbacks.ts"
import type { Receipt, ReceiptEvent } from "#src/reports/Receipts.ts"
import { Buffer } from "node:buffer"
import { Effect, Option, Schema } from "effect"

/** The operator's own secret, which is part of the webhook's URL: `https://tidings:<secret>@host/callbacks/pc_…`. */
const Settings = Schema.Struct({ webhook_secret: Schema.NonEmptyString })

/** The user name in that URL. */
const userName = "tidings"

/** One callback (postmarkapp.com/developer/webhooks). */
const Report = Schema.Struct({
  RecordType: Schema.String,
  MessageID: Schema.String,
  ID: Schema.optionalKey(Schema.Number),
  Type: Schema.optionalKey(Schema.String),
  /** The address that it is about; bounces call it `Email`. */
  Recipient: Schema.optionalKey(Schema.String),
  Email: Schema.optionalKey(Schema.String),
  DeliveredAt: Schema.optionalKey(Schema.String),
  BouncedAt: Schema.optionalKey(Schema.String),
  ReceivedAt: Schema.optionalKey(Schema.String),
  Description: Schema.optionalKey(Schema.String),
  Details: Schema.optionalKey(Schema.String),
  Metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
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

const receipt = (report: Report): ReadonlyArray<Receipt> => {
  const kind = kindOf(report)
  const at = report.DeliveredAt ?? report.BouncedAt ?? report.ReceivedAt
  const address = report.Recipient ?? report.Email
  const isCopy = isOfCopy(report.Metadata?.["tidings_to"], address === undefined ? undefined : [address])
  return kind === undefined || isCopy ? [] : [{
    // Postmark gives an event id only to bounces.
    id: `${report.RecordType}:${report.MessageID}:${report.ID ?? at ?? ""}`,
    event: kind,
    ...fromMarks((name) => report.Metadata?.[name]),
    reference: report.MessageID,
    at: instant(at),
    detail: kind === "Bounce" ? report.Details ?? report.Description : undefined
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
    return Option.match(reportOf(textOf(body)), { onNone: () => [], onSome: receipt })
  })
}
