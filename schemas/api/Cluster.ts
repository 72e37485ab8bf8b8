import { Schema } from "effect"

const Ms = Schema.Int

/** One node of the cluster, or one engine worker of it, by the address that the others reach it at. */
export const ClusterNode = Schema.Struct({
  address: Schema.String,
  /** It has said so in the last seconds, and answers the others. */
  alive: Schema.Boolean,
  /** Epoch ms; null for a node that alone has its store. */
  last_seen: Schema.NullOr(Ms),
  /** What it owns, with the messages that are due in each. */
  shards: Schema.Array(Schema.Struct({ shard: Schema.Int, epoch: Schema.Int, since: Ms, due: Schema.Int }))
})
export type ClusterNode = typeof ClusterNode.Type

/** Who owns what, and how far behind it is (ours). */
export const Cluster = Schema.Struct({
  shards: Schema.Int,
  /** Shards that no living node owns. */
  unowned: Schema.Array(Schema.Int),
  nodes: Schema.Array(ClusterNode),
  /** Messages that are due and not done, counted up to 10,000. */
  due: Schema.Int,
  /** Ms that the oldest of them has waited; 0 when none is due. */
  lag: Ms,
  oldest_due: Schema.NullOr(Schema.Struct({ id: Schema.String, shard: Schema.Int, since: Ms }))
})
export type Cluster = typeof Cluster.Type
