import { Placement } from "#src/delivery/shards/Placement.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Effect, Layer } from "effect"
import { EntityId, Sharding } from "effect/cluster"

const group = "default"
const nameOf = (shard: number): string => `shard-${shard}`

/** A node that runs no shard itself: its workers do. */
export const none = Layer.succeed(Placement, { assigned: Effect.succeed([]) })

/**
 * Registers each shard as a singleton of the cluster: one node runs it, and another takes over when that one dies.
 * `node` is this node's name in logs.
 */
export const layer = (node: string) =>
  Layer.effect(
    Placement,
    Effect.gen(function*() {
      const shards = yield* Shards
      const count = yield* ShardCount
      const sharding = yield* Sharding.Sharding
      const all = Array.from({ length: count }, (_, shard) => shard)
      for (const shard of all) {
        yield* sharding.registerSingleton(nameOf(shard), shards.own(shard, node), { shardGroup: group })
      }
      return Placement.of({
        assigned: Effect.sync(() =>
          all.filter((shard) => sharding.hasShardId(sharding.getShardId(EntityId.make(nameOf(shard)), group)))
        )
      })
    })
  )
