import { isObject, type Value, valueAt } from "#schemas/Json.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { Action, blank, type Rendered } from "#schemas/Rendered.ts"
import * as Frame from "#src/content/Frame.ts"
import { safeHref } from "#src/content/Href.ts"
import { NothingToSay } from "#src/content/NothingToSay.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import { Option, Result, Schema } from "effect"

/** What it takes to merge an override once, in members of its objects: scalars and lists are replaced. */
export const sizeOf = (override: Value): number =>
  isObject(override) ? Object.values(override).reduce<number>((sum, member) => sum + 1 + sizeOf(member), 0) : 0

/** The same of all that a message says of channels and providers. */
export const sizeOfAll = ({ channels, providers }: Pick<Instructions, "channels" | "providers">): number =>
  [...Object.values(channels ?? {}), ...Object.values(providers ?? {})]
    .reduce((sum, { override }) => sum + sizeOf(override ?? undefined), 0)

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

type Field = "subject" | "text" | "html" | "title" | "body" | "actions"

/** What an override says in place of the content, by channel (api.md §3). */
const inPlace: ReadonlyMap<string, ReadonlyArray<Field>> = new Map([
  ["email", ["subject", "text", "html"]],
  ["inbox", ["title", "body", "actions"]]
])

/** Where an e-mail's override has something for the recipient, whichever vendor sends it. */
const inEmail = ["subject", "text", "html", "attachments", "body.attachments"]
const inInbox = ["title", "body"]
const anywhere = ["body"]

/** Whether the override has something at this path, such as `body.title`. */
export const isGiven = (override: JsonMap, path: string): boolean =>
  (valueAt(override, path.split(".")) ?? null) !== null

/** Whether the override says enough for a message without content. */
export const says = (override: JsonMap, provider: Provider): boolean =>
  provider._tag === "Vendor"
    ? [...provider.says ?? anywhere, ...provider.channel === "email" ? inEmail : []].some((path) =>
      isGiven(override, path)
    )
    : inInbox.some((name) => typeof override[name] === "string" && override[name] !== "")

/** What was last made of a rendering, for which channel and by which override, for the messages of a fan-out that share it. */
const made = new WeakMap<Rendered, { readonly channel: string; readonly by: JsonMap; readonly output: Rendered }>()

const actionsOf = Schema.decodeUnknownOption(Schema.Array(Action))

/** A field of a rendering in the words of an override; `undefined` where these are none. */
const said: { readonly [Name in Field]: (value: Schema.Json | undefined) => Partial<Rendered> | undefined } = {
  subject: (subject) => typeof subject === "string" ? { subject } : undefined,
  text: (text) => typeof text === "string" ? { text } : undefined,
  html: (html) => typeof html === "string" ? { html } : undefined,
  title: (title) => typeof title === "string" ? { title } : undefined,
  body: (body) => typeof body === "string" ? { body, text: body } : undefined,
  // They lead to where the content's may lead.
  actions: (value) =>
    Option.getOrUndefined(Option.map(actionsOf(value), (all) => ({
      actions: all.filter(({ href }) => href === "" || safeHref(href) !== undefined)
    })))
}

/**
 * What the recipient is given to see: the rendering, with what the override says in its place. Without that it is the
 * same object.
 */
export const shown = (channel: string, rendered: Rendered, override: JsonMap): Rendered => {
  const names = inPlace.get(channel) ?? []
  const own = names.flatMap((name) => said[name](override[name]) ?? [])
  if (own.length === 0) return rendered
  const known = made.get(rendered)
  if (known?.channel === channel && names.every((name) => known.by[name] === override[name])) return known.output
  const output = Frame.like(rendered, own.reduce<Rendered>((seen, one) => ({ ...seen, ...one }), rendered))
  made.set(rendered, { channel, by: override, output })
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
