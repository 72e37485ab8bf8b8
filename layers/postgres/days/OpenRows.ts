import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import { OpenSince } from "#layers/postgres/days/OpenDays.ts"
import * as Refreshed from "#layers/postgres/statements/Refreshed.ts"
import { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Where a lane's open messages begin: no ready one is below `seq`, and no timed one before `dueAt` (epoch ms). */
export interface Begin {
  readonly seq: number
  readonly dueAt: number
}

/**
 * Where looks for what is due begin. The entries of closed messages stay in the indexes while any session's snapshot
 * might see them: during a backup of an hour a look from the beginning passed all that was delivered in that hour.
 */
export const OpenFrom = Context.Reference<(lane: Lane) => Begin>("tidings/postgres/OpenFrom", {
  defaultValue: () => everything
})

/** Where all messages begin, open or not. */
export const everything = (): Begin => ({ seq: 0, dueAt: 0 })

const refreshed = "10 seconds"

/** In ms, how often all open messages are looked at, and not only those from the last beginning on. */
const thorough = 60_000

/** In ms, how far in the past what becomes timed now may be due: the clocks of nodes differ by less. */
const behind = 2 * 60_000

/**
 * The earliest time at which what is written now may be due (epoch ms). A step that waited for the database writes it in
 * place of its own: due before an outage, its message would be out of sight until all is looked at again.
 */
export const earliestDue = (now: number): number => now - behind / 2

const decodeDrawn = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ drawn: Schema.Number })]))
const decodeTransactions = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ next: Schema.String, areOver: Schema.Boolean })])
)
const decodeFirst = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ lane: Lane, seq: Schema.NullOr(Schema.Number), dueAt: Schema.NullOr(Schema.Number) })
  )
)

/**
 * Finds out where open messages begin. A `seq` is drawn before its message can be seen: so the beginning follows the
 * sequence only when all transactions of the time in which it was read are over. What comes later all the same (its
 * transaction had drawn a `seq`, and had not written yet) is found within `thorough`.
 */
export const make = (sql: SqlClient.SqlClient, since: () => string) => {
  const begins = new Map<Lane, Begin>()
  const from = (lane: Lane): Begin => begins.get(lane) ?? everything()
  /** The last `seq` when it was read, and the first transaction that had not begun by then. */
  let read: { readonly drawn: number; readonly next: string } | undefined
  /** What was drawn up to here is visible, or never will be. */
  let settled = 0
  let wholeAt: number | undefined

  const refresh = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    // In this order: the transactions are those that there are after the sequence was read.
    const [{ drawn }] = yield* decodeDrawn(yield* sql`select last_value::float8 as drawn from message_seq`)
    const [{ areOver, next }] = yield* decodeTransactions(
      yield* sql`select pg_snapshot_xmax(pg_current_snapshot())::text as next,
        coalesce(${read?.next ?? null}::text::xid8 <= pg_snapshot_xmin(pg_current_snapshot()), false) as "areOver"`
    )
    if (read !== undefined && areOver) settled = read.drawn
    if (read === undefined || areOver) read = { drawn, next }

    const isWhole = wholeAt === undefined || now - wholeAt >= thorough
    const known = (lane: Lane) => isWhole ? everything() : from(lane)
    const first = yield* decodeFirst(
      yield* inOrder(sql)(sql.unsafe(
        `select l.lane,
          (select m.seq from messages m where m.lane = l.lane and m.due_at = 0 and m.seq >= l.seq and m.id >= $1 order by m.seq limit 1)::float8 as seq,
          (select m.due_at from messages m where m.lane = l.lane and m.due_at > 0 and m.due_at >= l.due_at and m.id >= $1
            order by m.due_at limit 1)::float8 as "dueAt"
        from unnest($2::text[], $3::bigint[], $4::bigint[]) as l(lane, seq, due_at)`,
        [
          since(),
          Lane.literals,
          Lane.literals.map((lane) => BigInt(known(lane).seq)),
          Lane.literals.map((lane) => BigInt(known(lane).dueAt))
        ]
      ))
    )
    for (const { dueAt, lane, seq } of first) {
      begins.set(lane, {
        seq: Math.min(seq ?? settled, settled),
        dueAt: Math.min(dueAt ?? Infinity, Math.max(0, now - behind))
      })
    }
    if (isWhole) wholeAt = now
  })

  return { from, refresh }
}

export const layer = Layer.effect(
  OpenFrom,
  Effect.gen(function*() {
    const { from, refresh } = make(yield* SqlClient.SqlClient, yield* OpenSince)
    yield* Refreshed.keep("where open messages begin", refreshed, refresh)
    return from
  })
)
