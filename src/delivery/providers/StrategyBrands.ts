import type { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"

/** A strategy, or a tenant's own template. */
export type Way = Pick<RoutingStrategy | TenantTemplate, "channels">

/** Whether it has a channel in this brand. */
export const names = ({ channels }: Way, brandId: string): boolean =>
  Object.values(channels ?? {}).some((channel) => channel.brand_id === brandId)
