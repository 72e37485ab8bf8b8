import type { SealBroken } from "#src/access/Sealed.ts"
import type { NoCatalogue } from "#src/content/Catalogue.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Effect, type Schema } from "effect"

/** Leaves `StoreUnavailable` as the only error of a method that reads what is stored, if that cannot be read. */
export const orUnavailable = Effect.mapError((cause: NoCatalogue | Schema.SchemaError | SealBroken) =>
  new StoreUnavailable({ cause })
)
