import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { once } from "#src/cache/Once.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Firsts from "#src/reports/Firsts.ts"
import { note } from "#src/reports/ReaderEvents.ts"
import * as Signatures from "#src/reports/Signatures.ts"
import { Context, Effect, Layer, Option, Schema } from "effect"

/**
 * The URL at which readers' mail clients reach this server, without a slash at its end. `undefined`: there is none, and
 * mails have no such links.
 */
export const PublicUrl = Context.Reference<string | undefined>("tidings/PublicUrl", { defaultValue: () => undefined })

/** Whether an address is one of our own for readers of mails, who go there without a redirect or a campaign. */
export const isOwn = (base: string | undefined, href: string): boolean =>
  base !== undefined && href.startsWith(`${base}/t/`)

/** The variables by which templates report that a message was opened. */
export interface OpenLink {
  readonly openTrackingId: string
  /** Absolute; empty where the server has no public URL. */
  readonly opened: string
}

/** Takes reports of readers' mail clients (api.md 25.2). */
export class Tracking extends Context.Service<Tracking, {
  /**
   * A mail client fetched the link with this id. The first time, the message becomes OPENED. A forged id has no effect.
   */
  readonly opened: (trackingId: string) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/Tracking") {}

/** Makes a message's links, for the renderer; `undefined` if nothing tracks. */
export const OpenLinks = Context.Reference<((scope: Scope, id: MessageId) => OpenLink) | undefined>(
  "tidings/OpenLinks",
  { defaultValue: () => undefined }
)

/** The message that the parts of a link's id are of; none if they are of no message. */
export const messageOf = Schema.decodeUnknownOption(
  Schema.Struct({ id: MessageId, scope: Schema.NumberFromString.pipe(Schema.decodeTo(Scope)) })
)

/** What is signed of a tracking id `<message id>.<scope>.<signature>`. */
const signedOf = (scope: Scope | string, id: string): string => `${scope} ${id}`

/** The path of the picture that a mail loads when it is opened. */
export const openPath = "/t/open"

const signatures = Signatures.of("tracking/open")

/**
 * Makes links, signed with a key derived from the installation's. A signature costs as much as a small rendering, and
 * most templates use none: it is made only when it is read.
 */
const links = Effect.gen(function*() {
  const { sign } = yield* signatures
  const base = yield* PublicUrl
  return (scope: Scope, id: MessageId): OpenLink => {
    const trackingId = once(() => `${id}.${scope}.${sign(signedOf(scope, id))}`)
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

/** Notes that the message was opened: once, however often its link is fetched. */
export const opened = (
  journal: Journal["Service"],
  scope: Scope,
  id: MessageId
): Effect.Effect<void, StoreUnavailable> => note(journal, { scope, id, event: "Open", eventId: "tidings/open" })

export const layer = Layer.effect(
  Tracking,
  Effect.gen(function*() {
    const journal = yield* Journal
    const { isSigned } = yield* signatures
    const first = Firsts.make()
    return Tracking.of({
      opened: Effect.fnUntraced(function*(trackingId) {
        const [id = "", scope = "", signature = ""] = trackingId.split(".")
        if (!isSigned(signedOf(scope, id), signature)) return
        const message = messageOf({ id, scope })
        if (Option.isNone(message)) return
        const { value } = message
        yield* first(value.scope, value.id, opened(journal, value.scope, value.id))
      })
    })
  })
)
