import { base64, forged, fresh, instant, textOf } from "#layers/providers/receipts/Checks.ts"
import { Outbound } from "#src/delivery/Outbound.ts"
import { type Forged, Unverifiable } from "#src/reports/Callbacks.ts"
import { Buffer } from "node:buffer"
import { verify, X509Certificate } from "node:crypto"
import { Cache, Clock, Effect, Exit, Option, Schema } from "effect"

/** One line of text: fields that are separated by line ends in the signed text may not contain one. */
const line = Schema.String.check(Schema.isPattern(/^[^\r\n]*$/))

/** What SNS posts to an HTTP subscription (docs.aws.amazon.com/sns, Parsing Amazon SNS message formats). */
const Envelope = Schema.Struct({
  Type: Schema.Literals(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: line,
  TopicArn: line,
  Subject: Schema.optionalKey(Schema.NullOr(line)),
  Message: Schema.String,
  Timestamp: line,
  Token: Schema.optionalKey(line),
  SubscribeURL: Schema.optionalKey(line),
  SignatureVersion: Schema.Literals(["1", "2"]),
  Signature: Schema.String,
  SigningCertURL: Schema.String
})
export type Envelope = typeof Envelope.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Envelope))

/** The signed fields of each type, in the order in which they are signed. */
const signedFields = (type: Envelope["Type"]) =>
  type === "Notification"
    ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const
    : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const

const signed = (envelope: Envelope): string =>
  signedFields(envelope.Type).flatMap((name) => {
    const value = envelope[name]
    return value === undefined || value === null ? [] : [`${name}\n${value}\n`]
  }).join("")

const host = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/

/** The URL if it is one of SNS itself, else `undefined`. */
const atSns = (text: string): URL | undefined => {
  const url = URL.parse(text)
  if (url === null || url.protocol !== "https:" || !host.test(url.hostname)) return undefined
  return `${url.port}${url.username}${url.password}${url.hash}` === "" ? url : undefined
}

const certificateUrl = (text: string): string | undefined => {
  const url = atSns(text)
  return url !== undefined && url.search === "" &&
      /^\/SimpleNotificationService-[0-9a-f]{1,64}\.pem$/.test(url.pathname)
    ? url.href
    : undefined
}

const deadlineMs = 5_000

/**
 * How long SNS repeats a post that was not accepted, with its first signature, in ms (docs.aws.amazon.com/sns, Message
 * delivery retries).
 */
const retried = 60 * 60_000

const parsed = (pem: string) =>
  Effect.try({
    try: () => new X509Certificate(pem),
    catch: () => new Unverifiable({ detail: "the signing certificate is not one" })
  })

/**
 * Verifies that a post is from SNS and of one topic. Certificates are fetched only from SNS's own hosts, through the
 * outbound guard, and kept for a day. Anyone can have AWS sign posts of a topic, so the topic's name is as much a part
 * of the check as the signature.
 */
export const make = Effect.gen(function*() {
  const outbound = yield* Outbound

  const get = (url: string) =>
    outbound.request({ method: "GET", url, headers: {}, deadlineMs }).pipe(
      Effect.mapError(({ detail }) => new Unverifiable({ detail })),
      Effect.filterOrFail(({ status }) => status === 200, ({ status }) =>
        new Unverifiable({ detail: `SNS answered ${status}` }))
    )

  const certificates = yield* Cache.makeWith(
    (url: string) => Effect.flatMap(get(url), ({ body }) => parsed(body)),
    { capacity: 16, timeToLive: (exit) => Exit.isSuccess(exit) ? "1 day" : "5 seconds" }
  )

  const isSigned = Effect.fnUntraced(function*(envelope: Envelope, certificate: X509Certificate) {
    const now = yield* Clock.currentTimeMillis
    const signature = base64(envelope.Signature)
    const [from, to] = [instant(certificate.validFrom), instant(certificate.validTo)]
    if (signature === undefined || from === undefined || to === undefined || now < from || now > to) return false
    const algorithm = envelope.SignatureVersion === "1" ? "sha1" : "sha256"
    return yield* Effect.try({
      try: () =>
        certificate.publicKey.asymmetricKeyType === "rsa" &&
        verify(algorithm, Buffer.from(signed(envelope)), certificate.publicKey, signature),
      catch: (cause) => cause
    }).pipe(Effect.orElseSucceed(() => false))
  })

  /** Confirms the subscription. The URL is built anew from the signed fields. */
  const confirm = (envelope: Envelope) => {
    const url = atSns(envelope.SubscribeURL ?? "")
    if (url === undefined || envelope.Token === undefined) return forged("the SubscribeURL is not SNS's")
    const query = new URLSearchParams({
      Action: "ConfirmSubscription",
      TopicArn: envelope.TopicArn,
      Token: envelope.Token
    })
    return get(`https://${url.hostname}/?${query}`)
  }

  /**
   * The verified notification in a body. `undefined` for a post about the subscription itself, which is handled here.
   */
  const read = Effect.fnUntraced(
    function*(body: Uint8Array, topic: string): Effect.fn.Return<Envelope | undefined, Forged | Unverifiable> {
      const envelope = Option.getOrUndefined(decode(textOf(body)))
      if (envelope === undefined) return yield* forged("it is no SNS message")
      if (envelope.TopicArn !== topic) return yield* forged("it is of another topic")
      const url = certificateUrl(envelope.SigningCertURL)
      if (url === undefined) return yield* forged("the SigningCertURL is not SNS's")
      yield* fresh(instant(envelope.Timestamp), retried)
      const certificate = yield* Cache.get(certificates, url)
      if (!(yield* isSigned(envelope, certificate))) return yield* forged("the signature is wrong")
      if (envelope.Type === "Notification") return envelope
      if (envelope.Type === "SubscriptionConfirmation") yield* confirm(envelope)
      return undefined
    }
  )
  return { read }
})
