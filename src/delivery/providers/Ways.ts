import { namesIn, providerOf, type RoutingEntry } from "#schemas/Routing.ts"
import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"
import * as Catalogue from "#src/delivery/providers/Catalogue.ts"

/** What says how messages are sent: a routing strategy, or a tenant's own template. */
export type Way = Pick<RoutingStrategy | TenantTemplate, "channels" | "routing">

/** The brands that its channels are in. */
export const brandsOf = ({ channels }: Pick<Way, "channels">): ReadonlyArray<string> =>
  Object.values(channels ?? {}).flatMap(({ brand_id: id }) => id === undefined || id === null ? [] : [id])

const ofEntry = (entry: RoutingEntry): ReadonlyArray<string> => {
  if (typeof entry === "string") return [entry]
  if ("channels" in entry) return entry.channels.flatMap(ofEntry)
  return "channel" in entry ? namesIn(entry.providers) ?? [] : [providerOf(entry)]
}

/** The names that it sends through: providers' keys, aliases or ids, mixed with names of channels. */
const namedIn = ({ channels, routing }: Way): ReadonlySet<string> =>
  new Set([
    ...(routing?.channels.flatMap(ofEntry) ?? []),
    ...Object.values(channels ?? {}).flatMap(({ providers }) => providers ?? [])
  ])

/** Whether it could no longer send as it says without this configuration. `others`: those that remain. */
export const needs = (
  way: Way,
  { alias, id, provider }: { readonly id: string; readonly provider: string; readonly alias: string | undefined },
  others: ReadonlyArray<{ readonly provider: string }>
): boolean => {
  const named = namedIn(way)
  return named.has(id) || (alias !== undefined && named.has(alias)) ||
    (Catalogue.namesOf(provider).some((name) => named.has(name)) &&
      !others.some((other) => other.provider === provider))
}
