import { valueAt } from "#schemas/Json.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { blank, type Rendered } from "#schemas/Rendered.ts"
import * as Frame from "#src/content/Frame.ts"
import { NothingToSay } from "#src/content/NothingToSay.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import { Result } from "effect"

/**
 * What a message changes of the payload that one provider is given (api.md §3). What its routing says at this place
 * wins over what it says of the provider, and that over what it says of the channel. Objects are merged deeply, arrays
 * are replaced.
 */
export const of = (
  instructions: Pick<Instructions, "channels" | "providers">,
  { channel, override }: { readonly channel: string; readonly override?: JsonMap | null | undefined },
  provider: Provider
): JsonMap => {
  const ofChannel = instructions.channels?.[channel]?.override
  const ofProvider = Settings.ofProvider(instructions, provider)?.override
  return [ofChannel, ofProvider, override].reduce<JsonMap>(
    (under, over) => over === undefined || over === null ? under : ProfileChange.merge(under, over),
    {}
  )
}

/** What an e-mail's override says in place of the content (api.md §3). */
const texts = ["subject", "text", "html"] as const

/** Where an e-mail's override has something for the recipient, whichever vendor sends it. */
const inEmail = [...texts, "attachments", "body.attachments"]
const anywhere = ["body"]

const isGiven = (override: JsonMap, path: string): boolean => (valueAt(override, path.split(".")) ?? null) !== null

/** Whether the override says enough for a message without content. The inbox has no overrides. */
export const says = (override: JsonMap, provider: Provider): boolean =>
  provider._tag === "Vendor" &&
  [...provider.says ?? anywhere, ...provider.channel === "email" ? inEmail : []].some((path) => isGiven(override, path))

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

/**
 * The same of a rendering that may have failed. A content that has nothing for the channel is no failure where the
 * override says it all.
 */
export const over = <E>(
  rendering: Result.Result<Rendered, E | NothingToSay>,
  channel: string,
  override: JsonMap,
  provider: Provider
): Result.Result<Rendered, E | NothingToSay> => {
  const isNothing = Result.isFailure(rendering) && rendering.failure instanceof NothingToSay
  const found = isNothing && says(override, provider) ? Result.succeed(blank) : rendering
  if (Result.isFailure(found)) return found
  const seen = shown(channel, found.success, override)
  return seen === found.success ? found : Result.succeed(seen)
}
