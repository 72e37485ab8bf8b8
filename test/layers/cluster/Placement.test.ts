import * as Placed from "#layers/cluster/Placement.ts"
import * as SingleNode from "#layers/cluster/SingleNode.ts"
import { Placement } from "#src/delivery/shards/Placement.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Queue, Schema } from "effect"
import { Sharding, ShardId } from "effect/cluster"

const count = 64

/** A node's engine, which notes whom it was asked to own shards for. `next` ends with the next shard. */
const engine = Effect.map(Queue.unbounded<readonly [shard: number, node: string]>(), (owned) => ({
  next: Queue.take(owned),
  layer: Layer.merge(
    Layer.mock(Shards, {
      own: (shard, node) => Effect.andThen(Queue.offer(owned, [shard, node]), Effect.never)
    }),
    Layer.succeed(ShardCount, count)
  )
}))

const all = Array.from({ length: count }, (_, shard) => shard)

describe("Placement", () => {
  it.live("P2: the only node is given every shard, and owns each of them once, in its own name", () =>
    Effect.gen(function*() {
      const { layer, next } = yield* engine
      const { assigned } = Context.get(
        yield* Layer.build(Placed.layer("a node").pipe(Layer.provide([SingleNode.layer, layer]))),
        Placement
      )
      const owned = yield* Effect.replicateEffect(next, count)
      assert.deepStrictEqual(owned.map(([shard]) => shard).toSorted((a, b) => a - b), all)
      assert.deepStrictEqual([...new Set(owned.map(([, node]) => node))], ["a node"])
      assert.deepStrictEqual(yield* assigned, all)
    }))

  it.effect.prop(
    "P2: what counts as given to a node is what the cluster runs on it, whether or not it runs yet",
    { held: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))) },
    ({ held }) =>
      Effect.gen(function*() {
        const { layer } = yield* engine
        const mine = new Set(held.map((number) => ShardId.toString(ShardId.make("default", number))))
        /** Which of the cluster's shards a name belongs to. */
        const idOf = (name: string, group: string) =>
          ShardId.make(group, ([...name].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 64) + 1)
        const given: Array<number> = []
        let registered = 0
        const sharding = Layer.mock(Sharding.Sharding, {
          getShardId: idOf,
          hasShardId: (id) => mine.has(ShardId.toString(id)),
          registerSingleton: (name, _, options) =>
            Effect.sync(() => {
              if (mine.has(ShardId.toString(idOf(name, options?.shardGroup ?? "")))) given.push(registered)
              registered++
            })
        })
        const { assigned } = Context.get(
          yield* Layer.build(Placed.layer("a node").pipe(Layer.provide([sharding, layer]))),
          Placement
        )
        assert.strictEqual(registered, count)
        assert.deepStrictEqual(yield* assigned, given)
      })
  )
})
