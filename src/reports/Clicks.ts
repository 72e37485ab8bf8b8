import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Firsts from "#src/reports/Firsts.ts"
import { note } from "#src/reports/ReaderEvents.ts"
import * as Signatures from "#src/reports/Signatures.ts"
import { isOwn, messageOf, OpenLinks, PublicUrl } from "#src/reports/Tracking.ts"
import { Context, Effect, Layer, Option } from "effect"

/** What the operator wants to hear of readers of mails, beyond what templates and vendors tell. */
export const Tracked = Context.Reference<{ readonly clicks: boolean; readonly opens: boolean }>("tidings/Tracked", {
  defaultValue: () => ({ clicks: false, opens: false })
})

/** What a mail has in it besides what it says. */
export interface MailTracks {
  /** The address through which a link leads to another one; `undefined`: that stays as it is. */
  readonly click: ((href: string) => string | undefined) | undefined
  /** The address of the picture that tells that the mail is opened. */
  readonly picture: string | undefined
}

/** Makes them for a message; `undefined` if nothing is tracked. */
export const MailTracking = Context.Reference<((scope: Scope, id: MessageId) => MailTracks) | undefined>(
  "tidings/MailTracking",
  { defaultValue: () => undefined }
)

/** Takes readers to where the links of their mails lead (api.md 25.2). */
export class Clicks extends Context.Service<Clicks, {
  /** Where the link with this id leads; `undefined` for a forged one. */
  readonly targetOf: (linkId: string) => string | undefined
  /** Its reader follows a link that leads somewhere. The first time, the message becomes CLICKED. */
  readonly clicked: (linkId: string) => Effect.Effect<void, StoreUnavailable>
}>()("tidings/Clicks") {}

/** The path of a link through which a reader goes. */
export const clickPath = "/t/click"

/** Characters of an address that is tracked: a link of more might not survive every mail client. */
const longest = 1_600

const signatures = Signatures.of("tracking/click")

/** What is signed of a link's id `<message id>.<scope>.<address in base64url>.<signature>`. */
const signedOf = (scope: string, id: string, address: string): string => `${scope} ${id} ${address}`

/** Where `https:a` leads depends on the page that it stands on. */
const web = /^https?:\/\//i

/** The address of a page in the web, as it can stand in a header. */
const pageOf = (href: string): string | undefined =>
  web.test(href) && URL.canParse(href) ? new URL(href).href : undefined

/** Makes what mails have in them, signed with a key derived from the installation's. */
const tracking = Effect.gen(function*() {
  const { clicks, opens } = yield* Tracked
  const base = yield* PublicUrl
  const openLinks = yield* OpenLinks
  const { sign } = yield* signatures
  if (base === undefined || (!clicks && !opens)) return undefined
  const click = (scope: Scope, id: MessageId) => (href: string): string | undefined => {
    const page = isOwn(base, href) ? undefined : pageOf(href)
    if (page === undefined || page.length > longest) return undefined
    const address = Buffer.from(page).toString("base64url")
    return `${base}${clickPath}/${id}.${scope}.${address}.${sign(signedOf(String(scope), id, address))}`
  }
  return (scope: Scope, id: MessageId): MailTracks => ({
    click: clicks ? click(scope, id) : undefined,
    picture: opens ? openLinks?.(scope, id).opened : undefined
  })
})

export const layerTracking = Layer.effect(MailTracking, tracking)

export const layer = Layer.effect(
  Clicks,
  Effect.gen(function*() {
    const journal = yield* Journal
    const { isSigned } = yield* signatures
    const first = Firsts.make()

    const read = (linkId: string) => {
      const [id = "", scope = "", address = "", signature = ""] = linkId.split(".")
      return isSigned(signedOf(scope, id, address), signature)
        ? Option.getOrUndefined(Option.map(messageOf({ id, scope }), (message) => ({ ...message, address })))
        : undefined
    }

    return Clicks.of({
      targetOf: (linkId) => {
        const link = read(linkId)
        return link === undefined ? undefined : pageOf(Buffer.from(link.address, "base64url").toString())
      },
      clicked: Effect.fnUntraced(function*(linkId) {
        const link = read(linkId)
        if (link === undefined) return
        const { id, scope } = link
        const where = { channel: "email" }
        // One event for all links of a message.
        yield* first(scope, id, note(journal, { scope, id, event: "Click", where, eventId: "tidings/click" }))
      })
    })
  })
)
