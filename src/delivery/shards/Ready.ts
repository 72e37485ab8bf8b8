import { Placement } from "#src/delivery/shards/Placement.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Backlogs } from "#src/reports/Backlog.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import { Clock, Effect } from "effect"

/**
 * How long the cluster's tables are waited for, which may be locked. Whoever asks waits twice as long for the whole
 * answer.
 */
const patience = "1 second"

/**
 * An effect that says why this node does not do its work; `undefined` when it does. The database must take writes. A
 * shard that the cluster has given to this node counts only once it has taken its epoch, and the last look at what is
 * due must have succeeded. A node without a shard is ready if others own them all, unless it is `alone`.
 */
export const unready = Effect.fnUntraced(function*(options: { readonly alone: boolean }) {
  const shards = yield* Shards
  const placement = yield* Placement
  const backlogs = yield* Backlogs
  const clusters = yield* Clusters
  const count = yield* ShardCount

  /** How many shards nobody owns; all of them, if the cluster's tables do not say in time. */
  const unownedByAnyone = Effect.flatMap(Clock.currentTimeMillis, (now) => clusters.look(now, undefined)).pipe(
    Effect.timeout(patience),
    Effect.match({ onFailure: () => count, onSuccess: ({ unowned }) => unowned.length })
  )

  return Effect.gen(function*() {
    if (!(yield* backlogs.isWritable)) return "the database is read-only"
    if (!(yield* backlogs.hasRoom)) return "the database's disk is full"
    if (yield* backlogs.isLocked) return "messages cannot be written: another session of the database has locked them"
    const running = new Set(yield* shards.owned)
    const assigned = yield* placement.assigned
    const idle = assigned.filter((shard) => !running.has(shard))
    if (idle.length > 0)
      return `${assigned.length - idle.length} of the ${assigned.length} shards placed here run so far`
    if (!(yield* shards.reading)) return "what is due cannot be read"
    if (options.alone ? running.size < count : running.size === 0) {
      const unowned = options.alone ? count - running.size : yield* unownedByAnyone
      if (unowned > 0) return `${running.size} of ${count} shards run here so far`
    }
    return undefined
  })
})
