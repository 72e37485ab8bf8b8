import type { Rendered } from "#schemas/Rendered.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { withLinks } from "#src/content/html/Links.ts"
import { withPicture } from "#src/content/html/Picture.ts"
import * as Utm from "#src/content/Utm.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import { type MailTracks, MailTracking } from "#src/reports/Clicks.ts"
import { isOwn, PublicUrl } from "#src/reports/Tracking.ts"
import { Effect } from "effect"

/** What a provider is given of a rendering, which is stored and shown as it is. */
export type Outgoing = (
  message: Pick<OpenMessage, "id" | "instructions" | "scope">,
  provider: Provider,
  rendered: Rendered
) => Rendered

const utmOf = (instructions: Instructions, provider: Provider): Utm.Utm =>
  Utm.of(
    instructions.metadata?.utm,
    instructions.channels?.[provider.channel]?.metadata?.["utm"],
    Settings.ofProvider(instructions, provider)?.metadata?.["utm"]
  )

const untracked: MailTracks = { click: undefined, picture: undefined }

/**
 * Adds to the HTML of mails what belongs to the way and not to what was said: the parameters of campaigns
 * (`metadata.utm`) to its links, redirects that tell of clicks, and the picture that tells that it is opened (api.md
 * 25.2). Links of our own, such as those by which to unsubscribe, stay as they are.
 */
export const make = Effect.gen(function*() {
  const tracking = yield* MailTracking
  const base = yield* PublicUrl
  return (message: Parameters<Outgoing>[0], provider: Provider, rendered: Rendered): Rendered => {
    if (provider.channel !== "email" || rendered.html === "") return rendered
    const utm = utmOf(message.instructions, provider)
    if (tracking === undefined && utm.length === 0) return rendered
    const { click, picture } = tracking?.(message.scope, message.id) ?? untracked
    const linked = click === undefined && utm.length === 0
      ? rendered.html
      : withLinks(rendered.html, ({ href, isTracked }) => {
        if (isOwn(base, href)) return undefined
        const page = Utm.added(href, utm)
        return (isTracked ? click?.(page ?? href) : undefined) ?? page
      })
    const html = picture === undefined || picture === "" ? linked : withPicture(linked, picture)
    return { ...rendered, html }
  }
})
