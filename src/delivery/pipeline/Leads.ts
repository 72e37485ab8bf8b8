import { providerOf, type Routing } from "#schemas/Routing.ts"
import { isNamed, type Provider } from "#src/delivery/Provider.ts"

/**
 * Whether a routing may lead to a channel that one of these providers serves; a message that names no routing may go
 * anywhere. What is looked up for a channel is looked up for no other messages.
 */
export const to = (
  channel: string,
  routing: Routing | null | undefined,
  configured: ReadonlyArray<Provider>
): boolean => {
  const vendors = configured.filter((provider) => provider.channel === channel)
  const names = (name: string) => name === channel || vendors.some((vendor) => isNamed(vendor, name))
  const leads = ({ channels }: Routing): boolean =>
    channels.some((entry) => {
      if (typeof entry === "string") return names(entry)
      if ("channels" in entry) return leads(entry)
      return names("channel" in entry ? entry.channel : providerOf(entry))
    })
  return vendors.length > 0 && (routing === undefined || routing === null || leads(routing))
}
