import { bound, dayOf, firstDay } from "#layers/postgres/days/Partitions.ts"
import { wentOnForLong } from "#layers/postgres/migrations/LongRequests.ts"
import * as Refreshed from "#layers/postgres/statements/Refreshed.ts"
import { MessageId } from "#schemas/MessageId.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The lowest id that an open message may have; empty if unknown. Statements that look for due rows are bounded by it:
 * otherwise each opens the partition of every day, and with a year of days took two seconds, mostly to plan.
 */
export const OpenSince = Context.Reference<() => string>("tidings/postgres/OpenSince", { defaultValue: () => () => "" })

const refreshed = "1 minute"

/** How long a start waits for the days. A lock of somebody's may keep all looks waiting, which the health then tells. */
const patience = "10 seconds"

/** So many days are looked at together, and one by one only where these are not all over. */
const stride = 32

/** In ms, how far the clocks of those who end requests may be behind. */
const behind = 5 * 60_000

const decodeFirst = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ first: Schema.NullOr(Schema.String), going: Schema.NullOr(MessageId) })])
)
const decodeOpen = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ open: Schema.Boolean })]))

/**
 * Finds out which days are over: the days before yesterday, from the oldest on, that have no open message and can get
 * none. Only a request to many that goes on makes ids of the past. A day that is over stays over (`Step.dueAt`), so it
 * is checked only until then; but one that was set aside may be resumed, and opens its day and all later ones again. If
 * the clock was ahead and is set back, the days that it had passed are checked again.
 */
export const make = (sql: SqlClient.SqlClient) => {
  let day: DateTime.Utc | undefined
  let checkedAt: number | undefined
  const since = () => day === undefined ? "" : bound(day)

  // The partial indexes of open messages answer at once. Without statistics, the planner would scan the partition.
  const isOpen = (from: string, to: string) =>
    sql.withTransaction(Effect.gen(function*() {
      yield* sql`set local enable_seqscan = off`
      const [{ open }] = yield* decodeOpen(
        yield* sql`select exists (select from messages where id >= ${from} and id < ${to} and due_at = 0)
          or exists (select from messages where id >= ${from} and id < ${to} and due_at > 0) as open`
      )
      return open
    }))

  const refresh = Effect.gen(function*() {
    const now = yield* DateTime.now
    const yesterday = DateTime.subtract(DateTime.startOf(now, "day"), { days: 1 })
    // Read before the days are checked: the messages of a request that has finished by now are already in them.
    const [{ first, going }] = yield* decodeFirst(
      yield* sql`select ${sql.literal(firstDay)} as first,
        (select min(id) from (select id from expansions where due_at is not null
          union all select id from expansions where ended_at >= ${
        (checkedAt ?? DateTime.toEpochMillis(now)) - behind
      }::bigint
            and ${sql.literal(wentOnForLong)}) one) as going`
    )
    if (day !== undefined && DateTime.isGreaterThan(day, yesterday)) day = yesterday
    if (day !== undefined && going !== null && going < bound(day)) {
      day = DateTime.startOf(DateTime.makeUnsafe(Ids.secondOf(going)), "day")
    }
    for (const days of [stride, 1]) {
      let next = DateTime.add(day ?? dayOf(first) ?? yesterday, { days })
      while (DateTime.isLessThanOrEqualTo(next, yesterday)) {
        const to = bound(next)
        if ((going !== null && going < to) || (yield* isOpen(since(), to))) break
        day = next
        next = DateTime.add(next, { days })
      }
    }
    checkedAt = DateTime.toEpochMillis(now)
  })

  return { since, refresh }
}

/**
 * It is waited for at the start: until it is known, each look opens all days at once, of which after some years there
 * are more than the database has room for locks of.
 */
export const layer = Layer.effect(
  OpenSince,
  Effect.gen(function*() {
    const { refresh, since } = make(yield* SqlClient.SqlClient)
    // If it fails, the next one tells.
    yield* Effect.ignoreCause(Effect.timeoutOption(refresh, patience))
    yield* Refreshed.keep("which days are over", refreshed, refresh)
    return since
  })
)
