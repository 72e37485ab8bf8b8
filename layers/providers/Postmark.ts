import * as Email from "#layers/providers/Email.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { addressees } from "#layers/providers/receipts/Marks.ts"
import { baseOf, baseUrl, line, secret } from "#layers/providers/SettingFields.ts"
import { define, noFault, reading, stateless } from "#layers/providers/VendorDefinition.ts"
import type { VendorTable } from "#layers/providers/VendorTable.ts"
import { Effect, Redacted, Schema } from "effect"

const Settings = Schema.Struct({
  server_token: secret,
  ...Email.sender,
  message_stream: Schema.optionalKey(line),
  /** Checks the webhooks (`receipts/Postmark.ts`). */
  webhook_secret: Schema.optionalKey(secret),
  ...baseUrl
})

const table: VendorTable = [
  // Inactive in this message stream: by a hard bounce, a spam complaint or an unsubscription, or since the account's
  // people have it so. It does not say which, and some can be taken back.
  { code: "406", kind: "RecipientRejected" },
  { code: "300", says: /'from'|sender/i, kind: "Misconfigured" },
  { code: "300", says: /'(?:to|cc|bcc)'|illegal email|recipient/i, kind: "RecipientRejected" },
  { code: ["300", "402", "403", "409", "411"], kind: "ContentRejected" },
  { code: "100", kind: "Unavailable" },
  { code: "429", kind: "RateLimited" },
  { code: ["10", "400", "401", "405", "412", "413"], kind: "Misconfigured" },
  { status: 413, kind: "ContentRejected" }
]

const Answer = Schema.Struct({
  ErrorCode: Schema.Int,
  Message: Schema.String,
  MessageID: Schema.optional(Schema.String),
  /** As it was in the request. */
  To: Schema.optional(Schema.String)
})
const read = reading(Answer)

const inactive = { codes: ["406"], message: "The recipient is inactive; only copies were sent" }

/**
 * Postmark accepts a mail if one address is good, and names those that it leaves out only in its message text. If these
 * are all the addresses that the mail is for, only copies (cc, bcc) were sent.
 */
const isForNobody = ({ Message, To = "" }: typeof Answer.Type): boolean => {
  const named = /inactive addresses: (.+?)\.?(?: Inactive |$)/is.exec(Message)?.[1]
  if (named === undefined) return false
  const left = new Set(named.toLowerCase().split(/[,\s]+/))
  const meant = To.toLowerCase().split(/[\s<>",;]+/).filter((word) => /.@./.test(word))
  return meant.length > 0 && meant.every((address) => left.has(address))
}

/** POST /email; a refusal is 422 with an ErrorCode (postmarkapp.com/developer/api/overview#error-codes, /email-api). */
export const definition = define({
  key: "postmark",
  name: "Postmark",
  description: "E-mail over Postmark's API",
  channel: "email",
  says: ["Subject", "TextBody", "HtmlBody"],
  settings: Settings,
  addressees: ["To"],
  recipients: Email.recipients,
  writer: stateless(Effect.fnUntraced(function*({ delivery, settings, to }) {
    const email = yield* Email.of(delivery, to, settings)
    const list = (people: ReadonlyArray<Email.Mailbox>) => Email.some(people, Email.written)?.join(", ")
    return {
      method: "POST" as const,
      url: `${baseOf(settings, "https://api.postmarkapp.com")}/email`,
      headers: {
        "x-postmark-server-token": Redacted.value(settings.server_token),
        accept: "application/json",
        "content-type": "application/json"
      },
      body: JsonBody.write(Overrides.body({
        From: Email.written(email.from),
        To: list(email.to),
        Cc: list(email.cc),
        Bcc: list(email.bcc),
        ReplyTo: list(email.replyTo),
        Subject: email.subject,
        TextBody: email.text === "" ? undefined : email.text,
        HtmlBody: email.html === "" ? undefined : email.html,
        Headers: Email.some(email.headers, ([Name, Value]) => ({ Name, Value })),
        Attachments: Email.some(email.attachments, (file) =>
          Overrides.present({
            Name: file.filename,
            Content: file.content,
            ContentType: file.type,
            ContentID: file.contentId === undefined ? undefined : `cid:${file.contentId}`
          })),
        MessageStream: settings.message_stream ?? "outbound",
        Metadata: {
          tidings_message_id: delivery.messageId,
          ...addressees(email.to.map(({ email }) => email), [...email.cc, ...email.bcc])
        }
      }, delivery.override))
    }
  })),
  accepted: (answer) => {
    const reference = read(answer)?.MessageID
    return reference === undefined ? undefined : { reference }
  },
  fault: (answer) => {
    const said = read(answer)
    if (said === undefined) return noFault
    if (said.ErrorCode === 0) return isForNobody(said) ? inactive : noFault
    return { codes: [`${said.ErrorCode}`], message: said.Message }
  },
  table
})
