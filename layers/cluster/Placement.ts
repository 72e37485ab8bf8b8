import { ShardCount } from "#src/delivery/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Effect, Layer } from "effect"
import { Singleton } from "effect/cluster"

/** Each shard is a singleton of the cluster: one node runs it, and another takes it over when that one dies. `node` is a name for logs. */
export const layer = (node: string) =>
  Layer.unwrap(Effect.gen(function*() {
    const shards = yield* Shards
    const count = yield* ShardCount
    const [first, ...rest] = Array.from({ length: count }, (_, shard) =>
      Singleton.make(`shard-${shard}`, shards.own(shard, node)))
    return first === undefined ? Layer.empty : Layer.mergeAll(first, ...rest)
  }))
