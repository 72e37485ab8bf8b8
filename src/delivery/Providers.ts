import type { Scope } from "#schemas/Scope.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/** The providers that an environment may use, in order of priority. */
export class Providers extends Context.Service<Providers, {
  readonly configured: (scope: Scope) => Effect.Effect<ReadonlyArray<Provider>, StoreUnavailable>
}>()("tidings/Providers") {}
