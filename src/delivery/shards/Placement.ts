import { Context, type Effect } from "effect"

/** Where the shards run. */
export class Placement extends Context.Service<Placement, {
  /** The shards that the cluster has given to this node: it holds their locks, whether or not they run yet. */
  readonly assigned: Effect.Effect<ReadonlyArray<number>>
}>()("tidings/Placement") {}
