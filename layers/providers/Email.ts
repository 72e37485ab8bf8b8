import { internationalAddress, listed, ofRecipient } from "#layers/providers/Address.ts"
import * as Attachments from "#layers/providers/Attachments.ts"
import { inAscii } from "#layers/providers/EncodedWords.ts"
import * as ListUnsubscribe from "#layers/providers/ListUnsubscribe.ts"
import { line } from "#layers/providers/SettingFields.ts"
import { ContentRejected, type DeliveryError, Misconfigured } from "#schemas/DeliveryError.ts"
import { optional } from "#schemas/Optional.ts"
import type { Delivery } from "#src/delivery/Provider.ts"
import { Effect, Option, Schema } from "effect"

export interface Mailbox {
  readonly email: string
  readonly name?: string
}

export interface Attachment {
  readonly filename: string
  /** Base64. */
  readonly content: string
  /** The media type with its parameters. */
  readonly type: string
  readonly contentId: string | undefined
}

/**
 * An e-mail, from which each vendor writes its request. Addresses are checked, header texts are on one line, and the
 * values of `headers` are ASCII.
 */
export interface Email {
  readonly from: Mailbox
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly bcc: ReadonlyArray<Mailbox>
  readonly replyTo: ReadonlyArray<Mailbox>
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly attachments: ReadonlyArray<Attachment>
}

/** The sender of messages that name none: `from_address`, or its older name `from`. */
export const sender = { from_address: Schema.optionalKey(line), from: Schema.optionalKey(line) }

/** Header text: one line, without control characters. */
export const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim()

/** The headers that a message may set (reliability.md §4); the others are set by the vendor or by this server. */
const allowedHeader = (name: string): boolean => /^(?:x|list)-[a-z0-9-]+$/i.test(name) || named.has(name.toLowerCase())

const named = new Set([
  "in-reply-to",
  "references",
  "precedence",
  "auto-submitted",
  "importance",
  "priority",
  "feedback-id",
  "organization",
  "keywords",
  "comments",
  "sensitivity",
  "thread-index",
  "thread-topic"
])

const Person = Schema.Union([
  Schema.String,
  Schema.Struct({ email: Schema.String, name: optional(Schema.String) })
])

const Persons = Schema.Union([Person, Schema.Array(Person)])

/** The overrides of channel `email` (api.md §3). */
const Overridden = Schema.Struct({
  from: optional(Person),
  to: optional(Persons),
  reply_to: optional(Persons),
  cc: optional(Persons),
  bcc: optional(Persons),
  subject: optional(Schema.String),
  text: optional(Schema.String),
  html: optional(Schema.String),
  headers: optional(Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))),
  attachments: optional(Schema.Json)
})

const attachmentsOf = Effect.fnUntraced(function*(given: Schema.Json | undefined) {
  const found = yield* Effect.fromResult(Attachments.fromOverride(given, "base64")).pipe(
    Effect.mapError((fault) => new ContentRejected({ detail: `Override: ${fault}` }))
  )
  return found.map(({ cid, content, contentType, filename }): Attachment => ({
    filename,
    content: content.toString("base64"),
    type: contentType,
    contentId: cid
  }))
})

const decode = Schema.decodeUnknownOption(Overridden)

/** Linear in the text, without backtracking: a text may come from a variable and be as long as a send. */
const angled = /^([^<>]*)<([^<>]*)>$/

/** `a@b.c`, `Ann <a@b.c>` or `{email, name}`; `undefined` for anything else. */
const mailbox = (person: typeof Person.Type): Mailbox | undefined => {
  const named = typeof person === "string" ? angled.exec(person.trim()) : null
  const [email, name] = typeof person === "string"
    ? named === null ? [person.trim(), ""] : [named[2] ?? "", (named[1] ?? "").trim().replace(/^"(.*)"$/, "$1")]
    : [person.email, person.name ?? ""]
  return Option.match(internationalAddress(email), {
    onNone: () => undefined,
    onSome: (email) => oneLine(name) === "" ? { email } : { email, name: oneLine(name) }
  })
}

const several = (given: typeof Persons.Type | null | undefined) =>
  (given === undefined || given === null ? [] : Array.isArray(given) ? given : [given])
    // Only a list that a caller wrote may be split at commas, never a recipient's address.
    .flatMap((person) => typeof person === "string" ? listed(person) : [person])

const mailboxes = Effect.fnUntraced(function*(field: string, given: Parameters<typeof several>[0]) {
  const found = several(given).map(mailbox)
  const good = found.filter((one) => one !== undefined)
  if (good.length < found.length)
    return yield* new ContentRejected({ detail: `override.${field} holds no e-mail address` })
  return good
})

/** The addresses that the override names, as over SMTP, else the recipient's own. */
const recipientsOf = Effect.fnUntraced(
  function*(given: Parameters<typeof several>[0], own: string): Effect.fn.Return<
    ReadonlyArray<Mailbox>,
    DeliveryError
  > {
    const named = yield* mailboxes("to", given)
    if (named.length > 0) return named
    if (given !== undefined && given !== null) return yield* new ContentRejected({ detail: "override.to names nobody" })
    return [{ email: yield* Effect.fromResult(ofRecipient(own)) }]
  }
)

/** The e-mail of a delivery to one address of its recipient. */
export const of = Effect.fnUntraced(
  function*(
    delivery: Delivery,
    to: string,
    settings: { readonly from_address?: string; readonly from?: string }
  ): Effect.fn.Return<Email, DeliveryError> {
    const given = Option.getOrUndefined(decode(delivery.override))
    if (given === undefined) return yield* new ContentRejected({ detail: "The e-mail override cannot be read" })
    const addressees = yield* recipientsOf(given.to, to)
    const own = given.from ?? undefined
    const from = own ?? settings.from_address ?? settings.from
    if (from === undefined) return yield* new Misconfigured({ detail: "No sender: set `from_address`" })
    const sending = mailbox(from)
    if (sending === undefined) {
      return yield* own === undefined
        ? new Misconfigured({ detail: "The sender is no e-mail address" })
        : new ContentRejected({ detail: "override.from holds no e-mail address" })
    }
    // Vendors refuse a header with an empty value.
    const headers = Object.entries(given.headers ?? {})
      .map(([name, value]) => [name, inAscii(oneLine(`${value}`))] as const)
      .filter(([, value]) => value !== "")
    const [refused] = headers.find(([name]) => !allowedHeader(name)) ?? []
    if (refused !== undefined)
      return yield* new ContentRejected({ detail: `A message may not set the header ${oneLine(refused).slice(0, 80)}` })
    const [html, text] = [given.html ?? delivery.rendered.html, given.text ?? delivery.rendered.text]
    return {
      from: sending,
      to: addressees,
      cc: yield* mailboxes("cc", given.cc),
      bcc: yield* mailboxes("bcc", given.bcc),
      replyTo: yield* mailboxes("reply_to", given.reply_to),
      subject: oneLine(given.subject ?? delivery.rendered.subject),
      // Vendors refuse a mail without a text or HTML part, even if it has attachments; SMTP sends an empty one.
      text: text === "" && html === "" ? " " : text,
      html,
      headers: [
        ...headers,
        ...ListUnsubscribe.fields(delivery.rendered, headers.map(([name]) => name))
      ],
      attachments: yield* attachmentsOf(given.attachments)
    }
  }
)

/** A mailbox as text, `"Ann" <a@b.c>`, for APIs that take it so. */
export const written = ({ email, name }: Mailbox): string =>
  name === undefined ? email : `"${name.replaceAll(/["\\]/g, "")}" <${email}>`

/** `undefined` for an empty list, so that the field is left out. */
export const some = <A, B>(list: ReadonlyArray<A>, map: (one: A) => B): ReadonlyArray<B> | undefined =>
  list.length === 0 ? undefined : list.map(map)

/** The e-mail address of a profile, as a list of none or one, which `recipients` of a vendor gives. */
export const recipients = (profile: Schema.JsonObject): ReadonlyArray<string> => {
  const email = profile["email"]
  return typeof email === "string" && email !== "" ? [email] : []
}
