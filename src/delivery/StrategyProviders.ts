import type { RoutingEntry } from "#schemas/Routing.ts"
import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"

const ofEntry = (entry: RoutingEntry): ReadonlyArray<string> => {
  if (typeof entry === "string") return [entry]
  if ("channels" in entry) return entry.channels.flatMap(ofEntry)
  return "channel" in entry ? entry.providers ?? [] : [entry.provider]
}

/** What a strategy sends through by name: providers' keys, aliases or ids, among the names of channels. */
export const namedIn = ({ channels, routing }: RoutingStrategy): ReadonlySet<string> =>
  new Set([
    ...routing.channels.flatMap(ofEntry),
    ...Object.values(channels ?? {}).flatMap(({ providers }) => providers ?? [])
  ])

/** Whether a strategy could no longer send as it says without this configuration. `others`: those that remain. */
export const needs = (
  strategy: RoutingStrategy,
  { alias, id, provider }: { readonly id: string; readonly provider: string; readonly alias: string | undefined },
  others: ReadonlyArray<{ readonly provider: string }>
): boolean => {
  const named = namedIn(strategy)
  return named.has(id) || (alias !== undefined && named.has(alias)) ||
    (named.has(provider) && !others.some((other) => other.provider === provider))
}
