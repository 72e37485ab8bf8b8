import { addrSpec, isOneLine } from "#layers/providers/Address.ts"
import { optional } from "#schemas/Optional.ts"
import { Option, Redacted, Schema } from "effect"
import { createPrivateKey, type KeyObject } from "node:crypto"

const addressLike = Schema.makeFilter((text: string) =>
  Option.isSome(addrSpec(text)) ? undefined : "must be one plain e-mail address"
)
const oneLine = Schema.makeFilter((text: string) => isOneLine(text) ? undefined : "must be one line")
const hostLike = Schema.isPattern(/^[A-Za-z0-9._:-]{1,253}$/, { message: "Expected a host name or an IP address" })

/** The key, if it is of a kind that DKIM signs with (RFC 6376, RFC 8463). */
export const signingKey = (pem: string): Option.Option<KeyObject> =>
  Option.liftThrowable(createPrivateKey)(pem).pipe(
    Option.filter(({ asymmetricKeyType }) => asymmetricKeyType === "rsa" || asymmetricKeyType === "ed25519")
  )

const signingKeyLike = Schema.makeFilter((pem: string) =>
  Option.isSome(signingKey(pem)) ? undefined : "must be an RSA or Ed25519 private key in PEM form"
)

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_600_000 }))

const DkimSettings = Schema.Struct({
  /** `d=`: the domain that publishes the key. */
  domain: Schema.NonEmptyString.check(
    Schema.isPattern(/^[A-Za-z0-9.-]{1,253}$/, { message: "Expected a domain name" })
  ),
  /** `s=`: the key is read at `<selector>._domainkey.<domain>`. */
  selector: Schema.NonEmptyString.check(
    Schema.isPattern(/^[A-Za-z0-9._-]{1,63}$/, { message: "Expected a DKIM selector" })
  ),
  private_key: Schema.RedactedFromValue(Schema.String.check(signingKeyLike), { label: "private_key" })
})
export type DkimSettings = typeof DkimSettings.Type

/**
 * A mail server of the operator. Certificates are always verified, against `ca` where it is given; there is no switch
 * for that. Unless `require_tls` is false, or on loopback, a session must be encrypted. A password is never sent over
 * an unencrypted session, except on loopback.
 */
export const SmtpSettings = Schema.Struct({
  host: Schema.String.check(hostLike),
  /** Default 587, or 465 with `secure`. */
  port: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))),
  /** TLS from the first byte. By default only on port 465; other ports use STARTTLS. */
  secure: optional(Schema.Boolean),
  /** Default true, on loopback false. */
  require_tls: optional(Schema.Boolean),
  /** Certificate authorities in PEM form, in place of the runtime's own. */
  ca: optional(Schema.NonEmptyString),
  username: optional(Schema.NonEmptyString),
  password: optional(Schema.RedactedFromValue(Schema.NonEmptyString, { label: "password" })),
  from_address: Schema.String.check(addressLike),
  from_name: optional(Schema.String.check(oneLine, Schema.isMaxLength(256))),
  /** The name of this server in EHLO; by default the machine's name. */
  name: optional(Schema.String.check(hostLike)),
  dkim: optional(DkimSettings),
  /** The most connections at a time, default 5. */
  connections: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))),
  /** Messages over one connection, default 100. */
  messages_per_connection: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  /** An unused connection is closed after this many ms, default 30,000. */
  idle_timeout: optional(Millis),
  /** From the first try to connect until greeting and login are done, in ms, default 15,000. */
  greeting_timeout: optional(Millis),
  /** From the beginning of a hand-over to the last byte of the message, in ms, default 60,000. */
  send_timeout: optional(Millis),
  /** From the end of the message to its answer, in ms, default 600,000 (RFC 5321 §4.5.3.2.6). */
  answer_timeout: optional(Millis)
}).check(
  Schema.makeFilter(({ password, username }) =>
    (password ?? undefined) === undefined || (username ?? undefined) !== undefined
      ? undefined
      : "password needs a username"
  )
)
export type SmtpSettings = typeof SmtpSettings.Type

/** Parses the private key, once per configuration. */
export const dkimKey = (settings: DkimSettings): Option.Option<KeyObject> =>
  signingKey(Redacted.value(settings.private_key))
