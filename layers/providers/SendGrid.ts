import * as Email from "#layers/providers/Email.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { addressees } from "#layers/providers/receipts/Marks.ts"
import { baseOf, baseUrl, line, secret } from "#layers/providers/SettingFields.ts"
import { define, noFault, reading, stateless } from "#layers/providers/VendorDefinition.ts"
import type { VendorTable } from "#layers/providers/VendorTable.ts"
import { usedUp } from "#layers/providers/Verdict.ts"
import { isObject } from "#schemas/Json.ts"
import { Effect, Redacted, Schema } from "effect"

const Settings = Schema.Struct({
  api_key: secret,
  ...Email.sender,
  /** Checks the event webhook (`receipts/SendGrid.ts`). */
  webhook_public_key: Schema.optionalKey(line),
  ...baseUrl
})

/** A fault names its field (`personalizations.0.to.0.email`), which tells a bad address from bad content. */
const table: VendorTable = [
  { status: 400, says: /^personalizations\.\d+\.(?:to|cc|bcc)\b.*email/, kind: "RecipientRejected" },
  { status: 400, says: /^from\b|verified sender/i, kind: "Misconfigured" },
  { status: [400, 413], kind: "ContentRejected" },
  // The plan's share of the day or month is sent (sendgrid/sendgrid-nodejs#1032).
  { status: 401, says: /credits exceeded/i, kind: "RateLimited", wait: usedUp }
]

const faults = reading(Schema.Struct({
  errors: Schema.Array(Schema.Struct({ message: Schema.String, field: Schema.optional(Schema.NullOr(Schema.String)) }))
}))

/**
 * Keeps each address once, ignoring case: SendGrid refuses a mail in which an address occurs twice, be it as recipient
 * or as copy.
 */
const apart = (...lists: ReadonlyArray<ReadonlyArray<Email.Mailbox>>): ReadonlyArray<ReadonlyArray<Email.Mailbox>> => {
  const seen = new Set<string>()
  return lists.map((list) =>
    list.filter(({ email }) => {
      const isNew = !seen.has(email.toLowerCase())
      seen.add(email.toLowerCase())
      return isNew
    })
  )
}

const words = (name: string): string =>
  name.split(/[,;]/).map((part) => part.trim()).filter((part) => part !== "").join(" ")

/**
 * A recipient's name without commas and semicolons: SendGrid accepts a mail with them, reads the name as addresses and
 * drops the mail.
 */
const named = ({ email, name }: Email.Mailbox) => Overrides.present({ email, name: words(name ?? "") || undefined })

/**
 * An attachment's media type as SendGrid takes it. Of its parameters only the `method` of an invitation is allowed:
 * with any other, the mail is refused.
 */
const bare = (type: string): string => {
  const [essence = "", ...parameters] = type.split(/; ?/)
  return [essence, ...parameters.filter((one) => /^method=/i.test(one))].join("; ")
}

/** Whether the override names a template of SendGrid, which has a subject: a mail without one is refused. */
const isTemplate = ({ body }: Schema.JsonObject): boolean => isObject(body) && typeof body["template_id"] === "string"

/** Mail Send v3: POST /v3/mail/send, 202 without a body (twilio.com/docs/sendgrid/api-reference/mail-send). */
export const definition = define({
  key: "sendgrid",
  name: "SendGrid",
  description: "E-mail over SendGrid's Mail Send API",
  channel: "email",
  says: ["subject", "content", "template_id"],
  settings: Settings,
  addressees: ["personalizations"],
  recipients: Email.recipients,
  writer: stateless(Effect.fnUntraced(function*({ delivery, settings, to }) {
    const email = yield* Email.of(delivery, to, settings)
    const mailbox = ({ email, name }: Email.Mailbox) => Overrides.present({ email, name })
    const [addressed = [], cc = [], bcc = []] = apart(email.to, email.cc, email.bcc)
    const content = [
      { type: "text/plain", value: email.text },
      { type: "text/html", value: email.html }
    ].filter(({ value }) => value !== "")
    return {
      method: "POST" as const,
      url: `${baseOf(settings, "https://api.sendgrid.com")}/v3/mail/send`,
      headers: {
        authorization: `Bearer ${Redacted.value(settings.api_key)}`,
        // Without it, its API may answer 406 (twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/errors).
        accept: "application/json",
        "content-type": "application/json"
      },
      body: JsonBody.write(Overrides.body({
        personalizations: [Overrides.present({
          to: addressed.map(named),
          cc: Email.some(cc, named),
          bcc: Email.some(bcc, named)
        })],
        from: mailbox(email.from),
        reply_to_list: Email.some(email.replyTo, mailbox),
        // Of one character at least.
        subject: email.subject !== "" ? email.subject : isTemplate(delivery.override) ? undefined : " ",
        content,
        headers: email.headers.length === 0 ? undefined : Object.fromEntries(email.headers),
        attachments: Email.some(email.attachments, (file) =>
          Overrides.present({
            content: file.content,
            filename: file.filename,
            type: bare(file.type),
            content_id: file.contentId,
            disposition: file.contentId === undefined ? "attachment" : "inline"
          })),
        // Is returned in every event of the message.
        custom_args: {
          tidings_message_id: delivery.messageId,
          ...addressees(addressed.map(({ email }) => email), [...cc, ...bcc])
        }
      }, delivery.override))
    }
  })),
  accepted: ({ body, headers, whole }) => whole && body === "" ? { reference: headers["x-message-id"] } : undefined,
  fault: (answer) => {
    const [first] = faults(answer)?.errors ?? []
    if (first === undefined) return noFault
    const field = first.field ?? ""
    return { codes: field === "" ? [] : [field], message: field === "" ? first.message : `${field}: ${first.message}` }
  },
  table
})
