import { bound } from "#layers/postgres/Partitions.ts"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The lowest id that an open message may have; empty if unknown. Statements that look for due rows are bounded by it:
 * otherwise each opens the partition of every day, and with a year of days took two seconds, mostly to plan.
 */
export const OpenSince = Context.Reference<() => string>("tidings/postgres/OpenSince", { defaultValue: () => () => "" })

const refreshed = "1 minute"

const decodeFirst = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ first: Schema.NullOr(Schema.String), unfinished: Schema.NullOr(Schema.String) })])
)
const decodeOpen = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ open: Schema.Boolean })]))

const nextDay = (day: DateTime.Utc) => DateTime.add(day, { days: 1 })

/**
 * Finds out which days are over: the days before yesterday, from the oldest on, that have no open message and can get
 * none. Only an unfinished request to many makes ids of the past. A day that is over stays over (`Step.dueAt`), so it
 * is checked only until then. If the clock was ahead and is set back, the days that it had passed are checked again.
 */
export const make = (sql: SqlClient.SqlClient) => {
  let day: DateTime.Utc | undefined
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
    const yesterday = DateTime.subtract(DateTime.startOf(yield* DateTime.now, "day"), { days: 1 })
    if (day !== undefined && DateTime.isGreaterThan(day, yesterday)) day = yesterday
    if (day !== undefined && DateTime.Equivalence(day, yesterday)) return
    // Read before the days are checked: the messages of a request that has finished by now are already in them.
    const [{ first, unfinished }] = yield* decodeFirst(
      yield* sql`select (select min(substring(c.relname from '[0-9]{8}$')) from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'messages'::regclass) as first,
        (select min(id) from expansions where state <> 'COMPLETED') as unfinished`
    )
    if (first === null) return
    let next = nextDay(
      day ?? DateTime.makeUnsafe(`${first.slice(0, 4)}-${first.slice(4, 6)}-${first.slice(6)}T00:00:00Z`)
    )
    while (DateTime.isLessThanOrEqualTo(next, yesterday)) {
      const to = bound(next)
      if ((unfinished !== null && unfinished < to) || (yield* isOpen(since(), to))) return
      day = next
      next = nextDay(next)
    }
  })

  return { since, refresh }
}

export const layer = Layer.effect(
  OpenSince,
  Effect.gen(function*() {
    const { refresh, since } = make(yield* SqlClient.SqlClient)
    const next = Effect.catchCause(refresh, (cause) => Effect.logWarning("which days are over is unknown", cause))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(next, Effect.sleep(refreshed))))
    return since
  })
)
