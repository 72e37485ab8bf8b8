import { Brands } from "#src/content/Brands.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { Effect, Layer } from "effect"

/** An environment without tenants and brands; to ask for any is a defect. */
export const layer = Layer.mergeAll(
  Layer.mock(Brands, { fallback: () => Effect.undefined }),
  Layer.mock(Memberships, {}),
  Layer.mock(TenantTemplates, { resolve: () => Effect.undefined }),
  Layer.mock(Tenants, { some: () => Effect.succeed(false), chain: () => Effect.succeed([]) })
)
