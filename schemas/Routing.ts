import { Reference } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { Schema } from "effect"

export const RoutingMethod = Schema.Literals(["all", "single"]).annotate({ title: "RoutingMethod" })
export type RoutingMethod = typeof RoutingMethod.Type

/** Milliseconds. 0, which the published client's own examples use, counts as left out. */
export const Timeout = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * `single` stops at the first success, `all` sends to each. An entry is a channel, a provider's key, or a nested
 * routing (api.md 2.3).
 */
export interface Routing {
  readonly method: RoutingMethod
  readonly channels: ReadonlyArray<RoutingEntry>
}
export type RoutingEntry = string | Routing | ChannelEntry | ProviderEntry | NamedEntry

/** Settings of one provider for one message (`message.providers.<key>`). Timeouts in ms. */
export const ProviderSettings = Schema.Struct({
  if: optional(Schema.String),
  override: optional(JsonMap),
  timeout: optional(Timeout),
  timeouts: optional(Timeout),
  metadata: optional(JsonMap)
}).annotate({ title: "ProviderSettings" })
export type ProviderSettings = typeof ProviderSettings.Type

/**
 * The object form of a channel entry that the public documentation shows: there, `providers` has settings by a
 * provider's key. An empty one says nothing.
 */
export const ChannelEntry = Schema.Struct({
  channel: Schema.NonEmptyString,
  method: optional(RoutingMethod),
  providers: optional(
    Schema.Union([Schema.Array(Schema.NonEmptyString), Schema.Record(Schema.String, ProviderSettings)])
  ),
  if: optional(Schema.String)
})
export type ChannelEntry = typeof ChannelEntry.Type

type Providers = ChannelEntry["providers"]

const isList = (providers: NonNullable<Providers>): providers is ReadonlyArray<string> => Array.isArray(providers)

/** The providers that a channel entry names, best first; `undefined` if it names none. */
export const namesIn = (providers: Providers): ReadonlyArray<string> | undefined => {
  if (providers === undefined || providers === null) return undefined
  if (isList(providers)) return providers
  const names = Object.keys(providers)
  return names.length === 0 ? undefined : names
}

/** What a channel entry says of its providers, by their names. */
export const settingsIn = (providers: Providers): Readonly<Record<string, ProviderSettings>> | undefined =>
  providers === undefined || providers === null || isList(providers) ? undefined : providers

/** The object form of a provider entry that the public documentation shows. */
export const ProviderEntry = Schema.Struct({
  provider: Schema.NonEmptyString,
  override: optional(JsonMap),
  if: optional(Schema.String),
  timeouts: optional(Timeout)
})
export type ProviderEntry = typeof ProviderEntry.Type

/**
 * A provider entry as the older clients of the compatible service type it: by `name`. With channels, it is a nested
 * routing that lacks its method.
 */
const NamedEntry = Schema.Struct({
  name: Schema.NonEmptyString,
  if: optional(Schema.String),
  channels: Schema.optionalKey(Schema.Never.annotate({ message: "Expected a method beside it" }))
})
type NamedEntry = Omit<typeof NamedEntry.Type, "channels">

/** The provider that an entry of either form names. */
export const providerOf = (entry: ProviderEntry | NamedEntry): string =>
  "provider" in entry ? entry.provider : entry.name

const AnyRouting: Schema.Codec<Routing> = Schema.Struct({
  method: RoutingMethod,
  channels: Schema.Array(
    Schema.Union([
      Schema.NonEmptyString,
      Schema.suspend((): Schema.Codec<Routing> => AnyRouting),
      ChannelEntry,
      ProviderEntry,
      NamedEntry
    ]).annotate({ message: "Expected a channel, a provider's key, {channel}, {provider} or {method, channels}" })
  ).annotate({ title: "RoutingEntries" })
}).annotate({ title: "NestedRouting" })

/** How many entries a routing may have: each attempt of a message looks at all of them, without yielding. */
const mostEntries = 100

const entries = ({ channels }: Routing): number =>
  channels.reduce((sum, entry) => sum + 1 + (typeof entry === "object" && "channels" in entry ? entries(entry) : 0), 0)

export const Routing = AnyRouting.check(
  Schema.makeFilter((routing) =>
    entries(routing) <= mostEntries
      ? undefined
      : `Expected at most ${mostEntries} entries, those of nested routings among them`
  )
).annotate({ title: "Routing" })

/** Settings of one channel for one message (`message.channels.<id>`). Timeouts in ms. */
export const ChannelSettings = Schema.Struct({
  brand_id: optional(Reference),
  if: optional(Schema.String),
  override: optional(JsonMap),
  providers: optional(Schema.Array(Schema.NonEmptyString)),
  routing_method: optional(RoutingMethod),
  timeout: optional(Timeout),
  timeouts: optional(Schema.Struct({ channel: optional(Timeout), provider: optional(Timeout) })),
  metadata: optional(JsonMap)
}).annotate({ title: "ChannelSettings" })
export type ChannelSettings = typeof ChannelSettings.Type
