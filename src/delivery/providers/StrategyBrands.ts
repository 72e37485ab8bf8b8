import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"

/** Whether a strategy, or a tenant's own template, has a channel in this brand. */
export const names = ({ channels }: Pick<RoutingStrategy | TenantTemplate, "channels">, brandId: string): boolean =>
  Object.values(channels ?? {}).some((channel) => channel.brand_id === brandId)
