import * as SigV4 from "#layers/providers/aws/SigV4.ts"
import * as Email from "#layers/providers/Email.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { addressees } from "#layers/providers/receipts/Marks.ts"
import { baseOf, baseUrl, line, secret } from "#layers/providers/SettingFields.ts"
import { define, noFault, reading, type Writer } from "#layers/providers/VendorDefinition.ts"
import { usedUp } from "#layers/providers/Verdict.ts"
import type { VendorAnswer } from "#layers/providers/VendorHttp.ts"
import type { VendorTable } from "#layers/providers/VendorTable.ts"
import { isObject } from "#schemas/Json.ts"
import { DateTime, Effect, Redacted, Schema } from "effect"
import { encodeWord } from "nodemailer/lib/mime-funcs"

const Settings = Schema.Struct({
  access_key_id: Schema.String.check(
    Schema.isPattern(/^\w{16,128}$/, { message: "Expected 16 to 128 letters and digits" })
  ),
  secret_access_key: secret,
  session_token: Schema.optionalKey(secret),
  region: Schema.String.check(
    Schema.isPattern(/^[a-z]{2}(?:-[a-z]+)+-\d$/, { message: "Expected a region such as eu-west-1" })
  ),
  ...Email.sender,
  configuration_set_name: Schema.optionalKey(line),
  /** Checks the events (`receipts/AwsSes.ts`). */
  webhook_topic_arn: Schema.optionalKey(line),
  ...baseUrl
})

// The quota of 24 hours, or the sending rate: each may be told by any of these.
const limits = ["TooManyRequestsException", "ThrottlingException", "Throttling", "LimitExceededException"]

const table: VendorTable = [
  { code: limits, says: /\bdaily\b/i, kind: "RateLimited", wait: usedUp },
  { code: limits, kind: "RateLimited" },
  { code: ["BadRequestException", "MessageRejected"], says: /not verified/i, kind: "Misconfigured" },
  {
    code: ["BadRequestException", "MessageRejected"],
    says: /suppress|blacklist/i,
    kind: "RecipientRejected",
    invalidates: true
  },
  {
    code: ["BadRequestException", "MessageRejected"],
    says: /local address|domain (?:name )?contains|illegal address|missing final '@domain'|to address|destination/i,
    kind: "RecipientRejected"
  },
  { code: ["BadRequestException", "MessageRejected", "ValidationException"], kind: "ContentRejected" },
  { code: ["InternalFailure", "ServiceUnavailable", "InternalServiceErrorException"], kind: "Unavailable" }
]

const accepted = reading(Schema.Struct({ MessageId: Schema.NonEmptyString }))
const words = reading(Schema.Struct({
  message: Schema.optional(Schema.String),
  Message: Schema.optional(Schema.String),
  __type: Schema.optional(Schema.String)
}))

const fault = (answer: VendorAnswer) => {
  if (answer.status >= 200 && answer.status < 300) return noFault
  const said = words(answer)
  const type = answer.headers["x-amzn-errortype"] ?? said?.__type ?? ""
  const code = type.split(":")[0]?.split("#").at(-1) ?? ""
  return { codes: code === "" ? [] : [code], message: said?.message ?? said?.Message ?? "" }
}

/**
 * SES copies mailboxes into the header as they are: a name beyond ASCII must be in encoded words (RFC 2047), or it is
 * lost.
 */
const written = (mailbox: Email.Mailbox): string =>
  mailbox.name === undefined || /^[\x20-\x7e]*$/.test(mailbox.name)
    ? Email.written(mailbox)
    : `${encodeWord(mailbox.name, "B", 52)} <${mailbox.email}>`

const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" })

/** Whether the override names a template of SES, which takes no content beside it. */
const isTemplate = ({ body }: Schema.JsonObject): boolean =>
  isObject(body) && isObject(body["Content"]) && isObject(body["Content"]["Template"])

const said = ({ html, subject, text }: Email.Email) => ({
  Subject: utf8(subject),
  Body: Overrides.present({
    Text: text === "" ? undefined : utf8(text),
    Html: html === "" ? undefined : utf8(html)
  })
})

const writer = (settings: typeof Settings.Type) => {
  const sign = SigV4.signer({
    accessKeyId: settings.access_key_id,
    secretAccessKey: Redacted.value(settings.secret_access_key),
    sessionToken: settings.session_token === undefined ? undefined : Redacted.value(settings.session_token),
    region: settings.region,
    service: "ses"
  })
  const request: Writer<typeof Settings.Type, string>["request"] = Effect.fnUntraced(
    function*({ delivery, settings, to }) {
      const email = yield* Email.of(delivery, to, settings)
      const body = JsonBody.write(Overrides.body({
        FromEmailAddress: written(email.from),
        Destination: Overrides.present({
          ToAddresses: email.to.map(written),
          CcAddresses: Email.some(email.cc, written),
          BccAddresses: Email.some(email.bcc, written)
        }),
        ReplyToAddresses: Email.some(email.replyTo, written),
        Content: {
          [isTemplate(delivery.override) ? "Template" : "Simple"]: Overrides.present({
            ...(isTemplate(delivery.override) ? {} : said(email)),
            Headers: Email.some(email.headers, ([Name, Value]) => ({ Name, Value })),
            Attachments: Email.some(email.attachments, (file) =>
              Overrides.present({
                FileName: file.filename,
                RawContent: file.content,
                // How SES writes it in the mail: left out, it is 7 bits, which no file survives.
                ContentTransferEncoding: "BASE64",
                ContentType: file.type,
                ContentId: file.contentId,
                ContentDisposition: file.contentId === undefined ? "ATTACHMENT" : "INLINE"
              }))
          })
        },
        ConfigurationSetName: settings.configuration_set_name,
        EmailTags: Object.entries({
          tidings_message_id: delivery.messageId,
          ...addressees(email.to.map(({ email }) => email), [...email.cc, ...email.bcc])
        }).map(([Name, Value]) => ({ Name, Value }))
      }, delivery.override))
      const url = `${baseOf(settings, `https://email.${settings.region}.amazonaws.com`)}/v2/email/outbound-emails`
      const unsigned = { method: "POST" as const, url, headers: { "content-type": "application/json" }, body }
      const { host: _, ...headers } = sign(unsigned, DateTime.formatIso(yield* DateTime.now))
      return { ...unsigned, headers }
    }
  )
  return Effect.succeed({ request })
}

/** SES v2 SendEmail, simple content, signed (docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html). */
export const definition = define({
  key: "aws-ses",
  name: "Amazon SES",
  description: "E-mail over Amazon Simple Email Service, API version 2",
  channel: "email",
  says: ["Content"],
  settings: Settings,
  addressees: ["Destination.ToAddresses"],
  recipients: Email.recipients,
  writer,
  accepted: (answer) => {
    const taken = accepted(answer)
    return taken === undefined ? undefined : { reference: taken.MessageId }
  },
  fault,
  table
})
