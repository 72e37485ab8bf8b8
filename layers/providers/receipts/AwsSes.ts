import * as EnhancedStatus from "#layers/providers/EnhancedStatus.ts"
import { forged, instant, reading } from "#layers/providers/receipts/Checks.ts"
import { fromMarks, isOfCopy } from "#layers/providers/receipts/Marks.ts"
import * as Sns from "#layers/providers/receipts/Sns.ts"
import type { AddressReport } from "#src/reports/AddressReports.ts"
import { type CallbackReader, nothing } from "#src/reports/Callbacks.ts"
import type { Receipt, ReceiptEvent } from "#src/reports/Receipts.ts"
import { Effect, Option, Schema } from "effect"

/**
 * The topic that the configuration set publishes to. Posts of any other are refused, since AWS signs posts of anyone's
 * topic.
 */
const Settings = Schema.Struct({ webhook_topic_arn: Schema.NonEmptyString })

const Timed = Schema.Struct({ timestamp: Schema.optionalKey(Schema.String) })

/**
 * One event (docs.aws.amazon.com/ses, Contents of event data that Amazon SES publishes to Amazon SNS).
 * `notificationType`: the older feedback notifications of an identity, which carry no tags.
 */
const Record = Schema.Struct({
  eventType: Schema.optionalKey(Schema.String),
  notificationType: Schema.optionalKey(Schema.String),
  mail: Schema.Struct({
    messageId: Schema.String,
    tags: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String)))
  }),
  delivery: Schema.optionalKey(
    Schema.Struct({ ...Timed.fields, recipients: Schema.optionalKey(Schema.Array(Schema.String)) })
  ),
  open: Schema.optionalKey(Timed),
  click: Schema.optionalKey(Timed),
  bounce: Schema.optionalKey(Schema.Struct({
    timestamp: Schema.optionalKey(Schema.String),
    bounceType: Schema.String,
    bounceSubType: Schema.optionalKey(Schema.String),
    bouncedRecipients: Schema.optionalKey(Schema.Array(Schema.Struct({
      emailAddress: Schema.optionalKey(Schema.String),
      status: Schema.optionalKey(Schema.String),
      diagnosticCode: Schema.optionalKey(Schema.String)
    })))
  })),
  complaint: Schema.optionalKey(Schema.Struct({
    timestamp: Schema.optionalKey(Schema.String),
    complaintSubType: Schema.optionalKey(Schema.String),
    complaintFeedbackType: Schema.optionalKey(Schema.String),
    complainedRecipients: Schema.optionalKey(
      Schema.Array(Schema.Struct({ emailAddress: Schema.optionalKey(Schema.String) }))
    )
  })),
  reject: Schema.optionalKey(Schema.Struct({ reason: Schema.optionalKey(Schema.String) })),
  failure: Schema.optionalKey(Schema.Struct({ errorMessage: Schema.optionalKey(Schema.String) }))
})
type Record = typeof Record.Type

/** `Send`, `DeliveryDelay` and `Subscription` do not change a message's status, nor does a reader's `Complaint`. */
const table = new Map<string, ReceiptEvent>([
  ["Delivery", "Deliver"],
  ["Open", "Open"],
  ["Click", "Click"],
  ["Bounce", "Bounce"],
  ["Reject", "Bounce"],
  ["Rendering Failure", "Bounce"]
])

const nameOf = ({ eventType, notificationType }: Record): string => eventType ?? notificationType ?? ""

/**
 * SES took the mail and did not send it, since the address is on the account's suppression list for a complaint. For a
 * bounce, the event is a `Bounce`.
 */
const isSuppressed = ({ complaint }: Record): boolean => complaint?.complaintSubType === "OnAccountSuppressionList"

/**
 * A `Transient` bounce of type `General` may as well be an out-of-office reply to a mail that arrived, so it proves
 * nothing.
 */
const kindOf = (record: Record): ReceiptEvent | undefined => {
  const { bounce } = record
  const vague = bounce?.bounceType === "Transient" && (bounce.bounceSubType ?? "General") === "General"
  if (vague) return undefined
  return isSuppressed(record) ? "Bounce" : table.get(nameOf(record))
}

const whyOf = ({ bounce, complaint, failure, reject }: Record): string | undefined => {
  const first = bounce?.bouncedRecipients?.[0]
  const words = [bounce?.bounceType, bounce?.bounceSubType, first?.diagnosticCode ?? first?.status]
  return [...words, complaint?.complaintSubType, reject?.reason, failure?.errorMessage].filter(Boolean).join(" ") ||
    undefined
}

/** The addresses that the event is about; opens and clicks do not say. */
const addressesOf = ({ bounce, complaint, delivery }: Record): ReadonlyArray<string> | undefined =>
  delivery?.recipients ??
    (bounce?.bouncedRecipients ?? complaint?.complainedRecipients)?.flatMap(({ emailAddress }) => emailAddress ?? [])

/** Feedback that is no complaint of a recipient: that a mail is wanted, and what receivers' servers tell of it. */
const noComplaint = new Set(["not-spam", "auth-failure", "virus"])

/**
 * The addresses that are to be sent to no more, those of copies among them. SES calls some refusals of a mail permanent
 * that say nothing of its address, which their status tells. Where a receiver does not name who complained, SES lists
 * whoever of the mail's recipients may have: of several, nobody is known to have done so.
 */
const reports = (record: Record, { Timestamp }: Sns.Envelope): ReadonlyArray<AddressReport> => {
  const { bounce, complaint } = record
  const at = instant((bounce ?? complaint)?.timestamp ?? Timestamp)
  const bounced = bounce?.bounceType === "Permanent" ? bounce.bouncedRecipients ?? [] : []
  const suspected = complaint?.complainedRecipients ?? []
  const complained = suspected.length > 1 || noComplaint.has(complaint?.complaintFeedbackType ?? "") ? [] : suspected
  return [
    ...bounced.flatMap(({ diagnosticCode, emailAddress, status = "" }): ReadonlyArray<AddressReport> =>
      emailAddress === undefined || EnhancedStatus.isOfMail(status, diagnosticCode ?? "")
        ? []
        : [{ channel: "email", address: emailAddress, reason: "BOUNCED", detail: diagnosticCode ?? whyOf(record), at }]
    ),
    ...complained.flatMap(({ emailAddress }): ReadonlyArray<AddressReport> =>
      emailAddress === undefined
        ? []
        : [{
          channel: "email",
          address: emailAddress,
          reason: "COMPLAINED",
          detail: complaint?.complaintFeedbackType,
          at
        }]
    )
  ]
}

const receipt = (record: Record, { MessageId, Timestamp }: Sns.Envelope): ReadonlyArray<Receipt> => {
  const kind = kindOf(record)
  const { bounce, click, complaint, delivery, mail, open } = record
  return kind === undefined || isOfCopy(mail.tags?.["tidings_to"]?.[0], addressesOf(record)) ? [] : [{
    id: MessageId,
    event: kind,
    ...fromMarks((name) => mail.tags?.[name]?.[0]),
    reference: mail.messageId,
    at: instant((delivery ?? bounce ?? complaint ?? open ?? click)?.timestamp ?? Timestamp),
    detail: kind === "Bounce" ? whyOf(record) : undefined
  }]
}

const settingsOf = Schema.decodeUnknownOption(Settings)
const recordOf = reading(Record)

/**
 * SES's events through an SNS topic, which is subscribed to `/callbacks/pc_…` over HTTPS without raw delivery. The
 * adapter sends the message's id as a tag, and the configuration set whose event destination is that topic.
 */
export const make = Effect.map(Sns.make, (sns): CallbackReader => ({
  read: Effect.fnUntraced(function*({ body }, given) {
    const settings = Option.getOrUndefined(settingsOf(given))
    if (settings === undefined) return yield* forged("the configuration has no webhook_topic_arn")
    const envelope = yield* sns.read(body, settings.webhook_topic_arn)
    if (envelope === undefined) return nothing
    return Option.match(recordOf(envelope.Message), {
      onNone: () => nothing,
      onSome: (record) => ({ receipts: receipt(record, envelope), addresses: reports(record, envelope) })
    })
  })
}))
