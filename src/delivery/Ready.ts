import { Placement } from "#src/delivery/Placement.ts"
import { ShardCount } from "#src/delivery/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Backlogs } from "#src/reports/Backlog.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import { Clock, Effect } from "effect"

/**
 * An effect that says why this node does not do its work; `undefined` when it does. Not what the cluster has given it counts, but what runs:
 * each such shard has taken its epoch, and what is due in them could be read at the last look. A node without a shard is ready if others
 * own them all, unless it is `alone`.
 */
export const unready = Effect.fnUntraced(function*(options: { readonly alone: boolean }) {
  const shards = yield* Shards
  const placement = yield* Placement
  const backlogs = yield* Backlogs
  const clusters = yield* Clusters
  const count = yield* ShardCount

  return Effect.gen(function*() {
    if (!(yield* backlogs.isWritable)) return "the database is read-only"
    const running = new Set(yield* shards.owned)
    const assigned = yield* placement.assigned
    const idle = assigned.filter((shard) => !running.has(shard))
    if (idle.length > 0)
      return `${assigned.length - idle.length} of the ${assigned.length} shards placed here run so far`
    if (!(yield* shards.reading)) return "what is due cannot be read"
    if (options.alone ? running.size < count : running.size === 0) {
      const unowned = options.alone
        ? count - running.size
        : (yield* clusters.look(yield* Clock.currentTimeMillis)).unowned.length
      if (unowned > 0) return `${running.size} of ${count} shards run here so far`
    }
    return undefined
  })
})
