import * as ListUnsubscribe from "#layers/providers/ListUnsubscribe.ts"
import * as Address from "#layers/providers/Address.ts"
import * as Mailbox from "#layers/providers/smtp/Mailbox.ts"
import * as Attachments from "#layers/providers/Attachments.ts"
import * as Headers from "#layers/providers/smtp/Headers.ts"
import { ContentRejected, RecipientRejected } from "#schemas/DeliveryError.ts"
import { isObject } from "#schemas/Json.ts"
import type { Delivery } from "#src/delivery/Provider.ts"
import { Option, Result, type Schema } from "effect"

/** The message to send, with every part of it checked, so that composing it needs no more checks. */
export interface Mail {
  readonly from: Mailbox.Mailbox
  readonly to: ReadonlyArray<Mailbox.Mailbox>
  readonly cc: ReadonlyArray<Mailbox.Mailbox>
  readonly bcc: ReadonlyArray<Mailbox.Mailbox>
  readonly replyTo: ReadonlyArray<Mailbox.Mailbox>
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: ReadonlyArray<Headers.Header>
  readonly attachments: ReadonlyArray<Attachments.Attachment>
}

const recipientLimit = 100
const subjectLimit = 998

const rejected = (detail: string) => new ContentRejected({ detail })

const given = (value: Schema.Json | undefined): value is Schema.Json => value !== undefined && value !== null

const line = (key: string, value: Schema.Json): Result.Result<string, ContentRejected> => {
  if (typeof value !== "string" || !Address.isOneLine(value)) {
    return Result.fail(rejected(`The ${key} is not one line of text`))
  }
  return value.length <= subjectLimit
    ? Result.succeed(value)
    : Result.fail(rejected(`The ${key} is longer than ${subjectLimit} characters`))
}

const text = (key: string, value: Schema.Json): Result.Result<string, ContentRejected> =>
  typeof value === "string" && !value.includes("\u0000")
    ? Result.succeed(value.replace(/\r\n?|\n/g, "\r\n"))
    : Result.fail(rejected(`The ${key} is not text`))

/** `override.body` is in nodemailer's form, whose contents are text unless they say otherwise (api.md §3). */
const attachmentsOf = ({ attachments, body }: Delivery["override"]) => {
  const own = isObject(body) ? body["attachments"] : undefined
  return given(own) ? Attachments.fromOverride(own, "utf-8") : Attachments.fromOverride(attachments, "base64")
}

/** The recipients: of the override, else the profile's address. */
const recipients = ({ override, profile }: Delivery) =>
  given(override["to"])
    ? Result.mapError(
      Mailbox.mailboxes(override["to"]),
      (index) => rejected(`Override to: entry ${index} is no address`)
    )
    : Option.match(typeof profile["email"] === "string" ? Address.addrSpec(profile["email"]) : Option.none(), {
      onNone: () => Result.fail(new RecipientRejected({ detail: "The recipient has no valid e-mail address" })),
      onSome: (address) => Result.succeed([{ name: "", address }])
    })

/** The message that a delivery asks for, or the first reason why it cannot be sent. */
export const fromDelivery = (
  delivery: Delivery,
  sender: Mailbox.Mailbox
): Result.Result<Mail, ContentRejected | RecipientRejected> =>
  Result.gen(function*() {
    const { override, rendered } = delivery
    const mailboxes = (key: string) =>
      Result.mapError(
        Mailbox.mailboxes(override[key]),
        (index) => rejected(`Override ${key}: entry ${index} is no address`)
      )
    const to = yield* recipients(delivery)
    const cc = yield* mailboxes("cc")
    const bcc = yield* mailboxes("bcc")
    const [from = sender, ...others] = yield* mailboxes("from")
    if (others.length > 0) return yield* Result.fail(rejected("Override from: more than one address"))
    const count = to.length + cc.length + bcc.length
    if (to.length === 0 || count > recipientLimit) {
      return yield* Result.fail(rejected(`A message has 1 to ${recipientLimit} recipients, not ${count}`))
    }
    const headers = yield* Result.mapError(
      Headers.custom(override["headers"]),
      (fault) => rejected(`Override: ${fault}`)
    )
    return {
      from,
      to,
      cc,
      bcc,
      replyTo: yield* mailboxes("reply_to"),
      subject: yield* line("subject", override["subject"] ?? rendered.subject),
      text: yield* text("text", override["text"] ?? rendered.text),
      html: yield* text("html", override["html"] ?? rendered.html),
      headers: [
        ...headers,
        ...ListUnsubscribe.fields(rendered, headers.map(({ key }) => key)).map(([key, value]) => ({ key, value }))
      ],
      attachments: yield* Result.mapError(
        attachmentsOf(override),
        (fault) => rejected(`Override: ${fault}`)
      )
    }
  })
