import * as Attachments from "#layers/providers/Attachments.ts"
import * as Email from "#layers/providers/Email.ts"
import { headerToken } from "#layers/providers/HeaderToken.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { baseOf, baseUrl, secret } from "#layers/providers/SettingFields.ts"
import { define, noFault, reading, stateless } from "#layers/providers/VendorDefinition.ts"
import type { VendorTable } from "#layers/providers/VendorTable.ts"
import { usedUp } from "#layers/providers/Verdict.ts"
import { isObject } from "#schemas/Json.ts"
import { Effect, Redacted, Schema } from "effect"

const Settings = Schema.Struct({ api_key: secret, ...Email.sender, ...baseUrl })

const table: VendorTable = [
  // An earlier attempt with this token is under way, or had another body: the message may have been sent.
  { code: ["concurrent_idempotent_requests", "invalid_idempotent_request"], kind: "Unknown" },
  // A key that was revoked, whatever name that has.
  { status: [401, 403], kind: "Misconfigured" },
  { code: "validation_error", says: /api key|`from`/i, kind: "Misconfigured" },
  { code: "daily_quota_exceeded", kind: "RateLimited", wait: usedUp },
  { code: "monthly_quota_exceeded", kind: "Misconfigured" },
  { code: "validation_error", says: /verif|own email address|testing/i, kind: "Misconfigured" },
  { code: "validation_error", says: /`(?:to|cc|bcc)`/, kind: "RecipientRejected" },
  { code: ["invalid_from_address", "invalid_access", "invalid_region"], kind: "Misconfigured" },
  {
    code: ["validation_error", "invalid_attachment", "invalid_parameter", "missing_required_field", "security_error"],
    kind: "ContentRejected"
  },
  { status: 413, kind: "ContentRejected" }
]

const accepted = reading(Schema.Struct({ id: Schema.NonEmptyString }))
const fault = reading(Schema.Struct({ name: Schema.String, message: Schema.String }))

/**
 * POST /emails; its Idempotency-Key is honoured for 24 h (resend.com/docs/api-reference/emails/send-email, /errors).
 */
export const definition = define({
  key: "resend",
  name: "Resend",
  description: "E-mail over Resend's API",
  channel: "email",
  says: ["subject", "text", "html", "template"],
  settings: Settings,
  addressees: ["to"],
  recipients: Email.recipients,
  writer: stateless(Effect.fnUntraced(function*({ delivery, settings, to }) {
    const email = yield* Email.of(delivery, to, settings)
    const { body } = delivery.override
    // Resend takes no text beside a template of its own, and the template's subject if the mail has none.
    const isTemplate = isObject(body) && isObject(body["template"])
    return {
      method: "POST" as const,
      url: `${baseOf(settings, "https://api.resend.com")}/emails`,
      headers: {
        authorization: `Bearer ${Redacted.value(settings.api_key)}`,
        "idempotency-key": headerToken(delivery.idempotencyToken, 256),
        "content-type": "application/json"
      },
      body: JsonBody.write(Overrides.body({
        from: Email.written(email.from),
        to: email.to.map(Email.written),
        cc: Email.some(email.cc, Email.written),
        bcc: Email.some(email.bcc, Email.written),
        reply_to: Email.some(email.replyTo, Email.written),
        subject: email.subject !== "" ? email.subject : isTemplate ? undefined : " ",
        text: isTemplate || email.text === "" ? undefined : email.text,
        html: isTemplate || email.html === "" ? undefined : email.html,
        headers: email.headers.length === 0 ? undefined : Object.fromEntries(email.headers),
        attachments: Email.some(email.attachments, (file) =>
          Overrides.present({
            content: file.content,
            filename: file.filename,
            // Resend takes a file whose name tells another type, and then sends the mail never (anymail/django-anymail#440).
            content_type: Attachments.isMisnamed({ contentType: file.type, filename: file.filename })
              ? undefined
              : file.type,
            content_id: file.contentId
          })),
        tags: [{ name: "tidings_message_id", value: delivery.messageId }]
      }, delivery.override))
    }
  })),
  accepted: (answer) => {
    const taken = accepted(answer)
    return taken === undefined ? undefined : { reference: taken.id }
  },
  fault: (answer) => {
    const said = fault(answer)
    return said === undefined ? noFault : { codes: [said.name], message: said.message }
  },
  table
})
