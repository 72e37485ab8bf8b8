import { batch, scopes } from "#layers/postgres/retention/Batches.ts"
import { type DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const decodeGone = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ count: Schema.Int, last: Schema.NullOr(Schema.Number) })])
)

/**
 * Drops the audit's events from before `before`, in batches, the oldest first. Each begins where the last one ended:
 * while a backup runs, one that began at the oldest event would pass all that are gone.
 */
export const drop = Effect.fn("Retention.audit")(function*(sql: SqlClient.SqlClient, before: DateTime.Utc) {
  for (const id of yield* scopes(sql)) {
    let from = 0
    for (let count = batch; count === batch;) {
      const [gone] = yield* sql`with gone as (delete from audit_events where ctid = any(array(
          select ctid from audit_events
          where scope = ${id} and at >= ${from}::bigint and at < ${before.epochMilliseconds}::bigint
          order by at, id limit ${batch}::int)) returning at)
        select count(*)::int as count, max(at)::float8 as last from gone`.pipe(Effect.flatMap(decodeGone))
      count = gone.count
      from = gone.last ?? from
    }
  }
})
