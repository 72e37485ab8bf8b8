import type { JsonMap } from "#schemas/Optional.ts"
import type { ChannelSettings, ProviderSettings } from "#schemas/Routing.ts"
import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"
import { named, type Provider } from "#src/delivery/Provider.ts"
import * as Timeouts from "#src/delivery/pipeline/Timeouts.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"

type Over<A> = (under: A, over: A) => A

const given = <A extends object>(settings: A): Partial<A> => {
  const kept: Partial<A> = {}
  for (const key in settings) if (settings[key] !== null && settings[key] !== undefined) kept[key] = settings[key]
  return kept
}

const override = (under: JsonMap | null | undefined, over: JsonMap | null | undefined): JsonMap | undefined =>
  under && over ? ProfileChange.merge(under, over) : over ?? under ?? undefined

/**
 * The settings `over` win: overrides of payloads are merged deeply, as a channel's and a provider's are (api.md §3),
 * timeouts one by one and in either spelling (api.md 2.3), and everything else is replaced.
 */
const channel: Over<ChannelSettings> = (under, over) => {
  const timeouts = given({
    channel: Timeouts.given(over.timeouts?.channel, over.timeout, under.timeouts?.channel, under.timeout),
    provider: Timeouts.given(over.timeouts?.provider, under.timeouts?.provider)
  })
  return given({
    ...under,
    ...given(over),
    override: override(under.override, over.override),
    timeout: undefined,
    timeouts: Object.keys(timeouts).length === 0 ? undefined : timeouts
  })
}

/** The same of a provider. */
const provider: Over<ProviderSettings> = (under, over) =>
  given({
    ...under,
    ...given(over),
    override: override(under.override, over.override),
    timeout: undefined,
    timeouts: Timeouts.given(over.timeouts, over.timeout, under.timeouts, under.timeout)
  })

/** Settings by name: the strategy's, under what the message gives of the same name. */
const byName = <A>(
  together: Over<A>,
  strategy: Readonly<Record<string, A>> | null | undefined,
  message: Readonly<Record<string, A>> | null | undefined
): Readonly<Record<string, A>> => {
  const own = Object.entries(message ?? {}).map(([name, settings]): [string, A] => {
    const under = strategy !== null && strategy !== undefined && Object.hasOwn(strategy, name)
      ? strategy[name]
      : undefined
    return [name, under === undefined ? settings : together(under, settings)]
  })
  return Object.fromEntries([...Object.entries(strategy ?? {}), ...own])
}

/**
 * The instructions with what a template or its strategy adds to them: what the message itself says of its routing wins
 * (api.md §15, 26.3).
 */
export const routed = (
  instructions: Instructions,
  strategy: Pick<RoutingStrategy | TenantTemplate, "channels" | "providers" | "routing"> | undefined
): Instructions =>
  strategy === undefined ? instructions : {
    ...instructions,
    routing: instructions.routing ?? strategy.routing,
    channels: byName(channel, strategy.channels, instructions.channels),
    providers: byName(provider, strategy.providers, instructions.providers)
  }

/** What instructions say of a provider by any of its names: the more special name wins. */
export const ofProvider = (
  { providers }: Pick<Instructions, "providers">,
  one: Provider
): ProviderSettings | undefined => {
  // Most messages say nothing of any.
  if (providers === undefined || providers === null) return undefined
  const [first, ...others] = named(providers, one)
  return first === undefined ? undefined : others.reduce(provider, first)
}
