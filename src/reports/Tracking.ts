import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { once } from "#src/content/Once.ts"
import { derive, SecretKey } from "#src/access/SecretKey.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"

/** Where readers' mail clients reach this server, without a slash at its end; `undefined`: nowhere, and mails have no such links. */
export const PublicUrl = Context.Reference<string | undefined>("tidings/PublicUrl", { defaultValue: () => undefined })

/** What templates are given of one message to report its opening with. */
export interface OpenLink {
  readonly openTrackingId: string
  /** Absolute; empty where the server has no public URL. */
  readonly opened: string
}

/** Reports of readers' mail clients (api.md 25.2). */
export class Tracking extends Context.Service<Tracking, {
  /** A mail client fetched the link of this id: the first time the message is OPENED. A forged id has no effect. */
  readonly opened: (trackingId: string) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/Tracking") {}

/** The links alone, for what renders; none where nothing tracks. */
export const OpenLinks = Context.Reference<((scope: Scope, id: MessageId) => OpenLink) | undefined>(
  "tidings/OpenLinks",
  { defaultValue: () => undefined }
)

const signatureLength = 22

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({ id: MessageId, scope: Schema.NumberFromString.pipe(Schema.decodeTo(Scope)) })
)

/** `<message id>.<scope>.<signature>`: it names the message to who may know it, and nobody else can make one. */
const signed = (key: KeyObject, scope: string, id: string): string =>
  createHmac("sha256", key).update(`${scope} ${id}`).digest("base64url").slice(0, signatureLength)

/** Whoever asks wrote one of the two: it may hold characters of several bytes. */
const isSame = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The path of the picture that a mail loads when it is opened. */
export const openPath = "/t/open"

/** As an object of its own: every signature would else make it anew, at eight times the cost of signing. */
const signingKey = Effect.map(SecretKey, (key) => createSecretKey(derive(key, "tracking/open")))

/**
 * The links, made from the installation's key. A signature costs as much as a small rendering, and most messages name none: it is made when it
 * is asked for.
 */
const links = Effect.gen(function*() {
  const key = yield* signingKey
  const base = yield* PublicUrl
  return (scope: Scope, id: MessageId): OpenLink => {
    const trackingId = once(() => `${id}.${scope}.${signed(key, String(scope), id)}`)
    return {
      get openTrackingId() {
        return trackingId()
      },
      get opened() {
        return base === undefined ? "" : `${base}${openPath}/${trackingId()}`
      }
    }
  }
})

export const layerLinks = Layer.effect(OpenLinks, links)

export const layer = Layer.effect(
  Tracking,
  Effect.gen(function*() {
    const journal = yield* Journal
    const key = yield* signingKey
    return Tracking.of({
      opened: Effect.fnUntraced(function*(trackingId) {
        const [id = "", scope = "", signature = ""] = trackingId.split(".")
        if (!isSame(signature, signed(key, scope, id))) return
        const message = yield* Effect.option(decode({ id, scope }))
        if (message._tag === "None") return
        yield* journal.observe({
          ...message.value,
          event: "Open",
          history: { type: "OPENED", ts: yield* Clock.currentTimeMillis },
          // Clients and their proxies fetch a picture as often as they like.
          eventId: "tidings/open"
        }).pipe(Effect.catchTag("MessageNotFound", () => Effect.void))
      })
    })
  })
)
