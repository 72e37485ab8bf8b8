import { type ChannelSettings, providerOf, type Routing, type RoutingEntry } from "#schemas/Routing.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { isNamed, type Provider } from "#src/delivery/Provider.ts"
import { workspaceDefault } from "#src/delivery/Routing.ts"

const channelsOf = (configured: ReadonlyArray<Provider>) => {
  const named = (name: string) => configured.find((provider) => isNamed(provider, name))?.channel
  const of = (entry: RoutingEntry): ReadonlyArray<string> => {
    if (typeof entry === "string") return [named(entry) ?? entry]
    if ("channels" in entry) return entry.channels.flatMap(of)
    if ("channel" in entry) return [entry.channel]
    return [named(providerOf(entry))].flatMap((channel) => channel ?? [])
  }
  return of
}

/** The channels that a message's routing names, each once, in its order; a provider stands for its channel. */
export const named = (
  { routing }: Pick<Instructions, "routing">,
  configured: ReadonlyArray<Provider>
): ReadonlyArray<string> => [...new Set((routing ?? workspaceDefault).channels.flatMap(channelsOf(configured)))]

const always = (routing: Routing): Routing => ({
  ...routing,
  channels: routing.channels.map((entry) => {
    if (typeof entry === "string") return entry
    if ("channels" in entry) return always(entry)
    return "channel" in entry ? { ...entry, if: undefined } : entry
  })
})

/**
 * Channels without the conditions that the template's strategy has for them: a recipient's choice beats those (api.md
 * 10.4, 6).
 */
export const unconditioned = (mapped: Instructions, sent: Instructions): Instructions => {
  const own = (channel: string): ChannelSettings | undefined =>
    sent.channels !== undefined && sent.channels !== null && Object.hasOwn(sent.channels, channel)
      ? sent.channels[channel]
      : undefined
  const ofStrategy = sent.routing === undefined || sent.routing === null
  return {
    ...mapped,
    routing: ofStrategy && mapped.routing !== undefined && mapped.routing !== null
      ? always(mapped.routing)
      : mapped.routing,
    channels: Object.fromEntries(
      Object.entries(mapped.channels ?? {}).map(([channel, settings]) => [
        channel,
        { ...settings, if: own(channel)?.if }
      ])
    )
  }
}
