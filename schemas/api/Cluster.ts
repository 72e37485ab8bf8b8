import { Schema } from "effect"

const Ms = Schema.Int

/** One node of the cluster, or one of its engine workers, by the address at which the others reach it. */
export const ClusterNode = Schema.Struct({
  address: Schema.String,
  /** It has reported itself in the last seconds, and answers the others. */
  alive: Schema.Boolean,
  /** Epoch ms; null for a node that has its store to itself. */
  last_seen: Schema.NullOr(Ms),
  /** The shards that it owns. `due`: how many of a shard's messages are due. */
  shards: Schema.Array(Schema.Struct({ shard: Schema.Int, epoch: Schema.Int, since: Ms, due: Schema.Int }))
})
export type ClusterNode = typeof ClusterNode.Type

/** Which node owns which shards, and how far behind they are. Our addition to the API. */
export const Cluster = Schema.Struct({
  /** When it was so, in epoch ms by the database's clock. Earlier versions do not say. */
  at: Schema.optionalKey(Ms),
  shards: Schema.Int,
  /** Shards that no living node owns. */
  unowned: Schema.Array(Schema.Int),
  nodes: Schema.Array(ClusterNode),
  /** Messages that are due and not done, counted up to 10,000. */
  due: Schema.Int,
  /** How long the oldest of them has been due, in ms; 0 when none is due. */
  lag: Ms,
  /** `id` is null for a caller of another environment. */
  oldest_due: Schema.NullOr(Schema.Struct({ id: Schema.NullOr(Schema.String), shard: Schema.Int, since: Ms }))
})
export type Cluster = typeof Cluster.Type
