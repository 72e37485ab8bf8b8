import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { counterOf, RateLimits, windowMs, windowStart, workspaceOf } from "#src/access/RateLimits.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ count: Schema.Int, start: Schema.Number })])
)

/**
 * Counters in the database: one row per workspace and kind of request, for the current window. In a transaction, they
 * are part of it. Another node's clock may be ahead: the later of two windows counts. One that is later still was counted
 * by a clock that has been set back since, and does not. A counter that exists for each of many things also deletes rows
 * of other windows, except those that another session has locked.
 */
export const layer = Layer.effect(
  RateLimits,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return RateLimits.of({
      take: Effect.fnUntraced(function*(scope, rule) {
        const start = windowStart(yield* Clock.currentTimeMillis)
        const next = start + windowMs
        const name = counterOf(rule)
        const over = rule.of === undefined
          ? sql``
          : sql`with over as (delete from request_counts where ctid = any(array(
            select ctid from request_counts where scope = ${
            workspaceOf(scope)
          } and starts_with(name, ${`${rule.name}/`})
              and (window_start < ${start}::bigint or window_start > ${next}::bigint) and name <> ${name}
            for update skip locked)))`
        const [{ count, start: counted }] =
          yield* sql`${over} insert into request_counts as c (scope, name, window_start, count)
          values (${workspaceOf(scope)}, ${name}, ${start}::bigint, 1)
          on conflict (scope, name) do update set
            count = case when c.window_start between excluded.window_start and ${next}::bigint
              then least(c.count, ${rule.limit}::int) + 1 else 1 end,
            window_start = case when c.window_start = ${next}::bigint then c.window_start else excluded.window_start end
          returning count, window_start::float8 as start`.pipe(Effect.flatMap(decode))
        return { count, endsAt: counted + windowMs }
      }, orUnavailable)
    })
  })
)
