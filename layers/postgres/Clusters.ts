import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import * as Overdue from "#layers/postgres/statements/Overdue.ts"
import * as Runners from "#layers/postgres/Runners.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type { ClusterNode } from "#schemas/api/Cluster.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Ms after which a node that was not heard of holds no locks any more (`ManyNodes`). */
const silence = 8_000

const owners = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ shard: Schema.Int, epoch: Schema.Int, node: Schema.String, since: Schema.Int }))
)
const runners = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ address: Schema.String, healthy: Schema.Boolean, seen: Schema.Int }))
)
const waiting = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ shard: Schema.Int, due: Schema.Int, id: Schema.String, scope: Schema.Int, since: Schema.Int })
  )
)
const exists = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ found: Schema.Boolean })]))

/** Shows the cluster: the epochs of the shards name their owners, and the cluster's own table says which are alive. */
export const layer = Layer.effect(
  Clusters,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const count = yield* ShardCount
    const overdue = yield* Overdue.make

    /** The runners of the cluster; `undefined` if there is none, since one node has the store to itself. */
    const living = Effect.gen(function*() {
      const [{ found }] = yield* exists(yield* sql`select to_regclass(${Runners.table}) is not null as found`)
      if (!found) return undefined
      return yield* runners(
        yield* sql`select address, healthy, ${sql.literal(Runners.heardAt)}::bigint::float8 as seen
          from ${sql(Runners.table)} order by address`
      )
    })

    return Clusters.of({
      look: Effect.fnUntraced(function*(now, scope) {
        const known = yield* living
        const owned = yield* owners(
          yield* sql`select shard, epoch::float8 as epoch, node, taken_at::float8 as since from epochs order by shard`
        )
        const due = yield* waiting(
          yield* inOrder(sql)(sql`
            select shard, count(*)::int as due, (array_agg(id order by since, id))[1] as id,
              (array_agg(scope order by since, id))[1] as scope, min(since)::float8 as since
            from ${overdue(now, "id, scope, shard,")} group by shard order by since`)
        )
        const dueOf = new Map(due.map((row) => [row.shard, row.due]))
        const seen = known?.map(({ address, healthy, seen }) => ({
          address,
          alive: healthy && now - seen < silence,
          last_seen: seen
        })) ?? [...new Set(owned.map(({ node }) => node))].map((address) => ({ address, alive: true, last_seen: null }))
        const nodes = seen.map((node): ClusterNode => ({
          ...node,
          shards: owned.flatMap(({ epoch, node: owner, shard, since }) =>
            owner === node.address ? [{ shard, epoch, since, due: dueOf.get(shard) ?? 0 }] : []
          )
        }))
        const served = new Set(nodes.flatMap(({ alive, shards }) => alive ? shards.map(({ shard }) => shard) : []))
        const oldest = due[0]
        return {
          at: now,
          shards: count,
          unowned: Array.from({ length: count }, (_, shard) => shard).filter((shard) => !served.has(shard)),
          nodes,
          due: Math.min(Overdue.counted, due.reduce((sum, row) => sum + row.due, 0)),
          lag: oldest === undefined ? 0 : Math.max(0, now - oldest.since),
          oldest_due: oldest === undefined
            ? null
            : { id: oldest.scope === scope ? oldest.id : null, shard: oldest.shard, since: oldest.since }
        }
      }, orUnavailable)
    })
  })
)
