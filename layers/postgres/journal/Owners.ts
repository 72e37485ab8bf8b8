import * as DueNotice from "#layers/postgres/notices/DueNotice.ts"
import type { Handover } from "#src/delivery/journal/Handover.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Writes rows that make this work. `write` is given what its commit is to tell the owners of those shards that this node
 * does not own, if any. A shard that is given up meanwhile has an owner who was told nothing: that one is notified as well.
 */
export const telling =
  (sql: SqlClient.SqlClient, { owns }: Pick<Handover["Service"], "owns">) =>
  <A, E>(work: ReadonlyArray<DueNotice.Work>, write: (notice: string | undefined) => Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const byOwner = Map.groupBy(work, ({ shard }) => owns(shard) ? "us" : "others")
      return Effect.tap(write(DueNotice.of(byOwner.get("others") ?? [])), () => {
        const notice = DueNotice.of((byOwner.get("us") ?? []).filter(({ shard }) => !owns(shard)))
        return notice === undefined
          ? Effect.void
          : Effect.ignore(sql`select pg_notify(${DueNotice.channel}, ${notice})`)
      })
    })
