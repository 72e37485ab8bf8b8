import { isList, isObject, type Value } from "#schemas/Json.ts"
import { PreferenceChannel } from "#schemas/Preferences.ts"
import { platforms } from "#src/content/elemental/Jsonnet.ts"
import { languageOf } from "#src/content/elemental/Locales.ts"
import type { Audience } from "#src/content/elemental/Walk.ts"
import type { Schema } from "effect"

const channels: ReadonlyArray<string> = PreferenceChannel.literals

/** The part for channels that have none of their own: no provider is meant by it. */
const otherwise = "default"

/** Providers and locales that are told apart: no author names more, and who does may have meant us ill. */
const most = 100

/** For whom content may be rendered, and how many values a rendering goes over at most. */
export interface Places {
  readonly audiences: ReadonlyArray<Audience>
  readonly size: number
}

/**
 * An audience of each kind that elements tell apart: in the channels, at the providers and with the locales that they
 * name, and in a channel that they do not name. Readers of no locale come first.
 */
export const of = (elements: Schema.JsonArray): Places => {
  const named = new Set<string>()
  const locales = new Set<string>()
  let size = 0
  const walk = (value: Value): void => {
    size++
    if (isList(value)) return value.forEach(walk)
    if (!isObject(value)) return
    const { channel, channels, locales: spoken } = value
    for (const name of [channel, ...isList(channels) ? channels : []]) if (typeof name === "string") named.add(name)
    for (const name of isObject(spoken) ? Object.keys(spoken) : []) locales.add(languageOf(name) ?? "")
    Object.values(value).forEach(walk)
  }
  walk(elements)
  const other = channels.find((channel) => !named.has(channel))
  const kinds = channels.filter((channel) =>
    named.has(channel) || channel === other || channel === "email" || channel === "direct_message"
  )
  const providers = new Set([...platforms.map(({ provider }) => provider), ...named])
  const sets = [
    [],
    ...[...providers].filter((name) => name !== otherwise && !channels.includes(name)).slice(0, most).map((
      name
    ) => [name])
  ]
  const spoken = [undefined, ...[...locales].filter((name) => name !== "").slice(0, most)]
  return {
    size,
    audiences: spoken.flatMap((locale) =>
      sets.flatMap((providers) => kinds.map((channel) => ({ channel, providers, locale })))
    )
  }
}
