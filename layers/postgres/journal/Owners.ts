import type { Handover } from "#src/delivery/journal/Handover.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Writes rows of these shards. `write` is given those that this node does not own, whose owners its commit is to notify.
 * One that is given up meanwhile has an owner who was told nothing: that one is notified as well.
 */
export const telling =
  (sql: SqlClient.SqlClient, { owns }: Pick<Handover["Service"], "owns">) =>
  <A, E>(shards: Iterable<number>, write: (unowned: ReadonlyArray<number>) => Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const all = [...new Set(shards)]
      const unowned = all.filter((shard) => !owns(shard))
      return Effect.tap(write(unowned), () => {
        const givenUp = all.filter((shard) => !unowned.includes(shard) && !owns(shard))
        return givenUp.length === 0
          ? Effect.void
          : Effect.ignore(sql`select pg_notify('tidings_due', ${givenUp.join(",")})`)
      })
    })
