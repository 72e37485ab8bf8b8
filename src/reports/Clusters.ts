import type { Cluster } from "#schemas/api/Cluster.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/** What an operator sees of all nodes at once, from any of them. */
export class Clusters extends Context.Service<Clusters, {
  /** The cluster as the store knows it at `now` (epoch ms). It names no message of another environment than `scope` (P10). */
  readonly look: (now: number, scope: Scope | undefined) => Effect.Effect<Cluster, StoreUnavailable>
}>()("tidings/Clusters") {}
