import type { JsonMap } from "#schemas/Optional.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import * as Frame from "#src/content/Frame.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import { namedIn, type Vendor } from "#src/delivery/Provider.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"

/**
 * What a message changes of the payload that one provider is given (api.md §3). What its routing says at this place
 * wins over what it says of the provider, and that over what it says of the channel. Objects are merged deeply, arrays
 * are replaced.
 */
export const of = (
  { channels, providers }: Pick<Instructions, "channels" | "providers">,
  { channel, override }: Pick<Candidate, "channel" | "override">,
  vendor: Vendor
): JsonMap =>
  [channels?.[channel]?.override, namedIn(providers, vendor)?.override, override].reduce<JsonMap>(
    (under, over) => over === undefined || over === null ? under : ProfileChange.merge(under, over),
    {}
  )

/** What an e-mail's override says in place of the content (api.md §3). */
const texts = ["subject", "text", "html"] as const

/** What was last made of a rendering, for the messages of a fan-out that share it. */
const made = new WeakMap<Rendered, Rendered>()

/**
 * What the recipient is given to see: the rendering, with what the override says in its place. Without that it is the
 * same object.
 */
export const shown = (channel: string, rendered: Rendered, override: JsonMap): Rendered => {
  const own = channel !== "email" ? [] : texts.flatMap((name) => {
    const text = override[name]
    return typeof text === "string" ? [[name, text] as const] : []
  })
  if (own.length === 0) return rendered
  const known = made.get(rendered)
  if (known !== undefined && texts.every((name) => known[name] === (new Map(own).get(name) ?? rendered[name]))) {
    return known
  }
  const output = Frame.like(rendered, { ...rendered, ...Object.fromEntries(own) })
  made.set(rendered, output)
  return output
}
