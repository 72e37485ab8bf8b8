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
 * Where looks for what is due begin; of some shards, if they are given. The entries of closed messages stay in the
 * indexes while any session's snapshot might see them: during a backup of an hour a look from the beginning passed all
 * that was delivered in that hour. And no index knows shards: beside another node that lags, a look passed all that this
 * one had left.
 */
export const OpenFrom = Context.Reference<(lane: Lane, shards?: ReadonlyArray<number>) => Begin>(
  "tidings/postgres/OpenFrom",
  { defaultValue: () => everything }
)

/** Where all messages begin, open or not. */
export const everything = (): Begin => ({ seq: 0, dueAt: 0 })

const refreshed = "10 seconds"

/** In monotonic ns, how often all open messages are looked at, and not only those from the last beginning on. */
const thorough = 60_000_000_000n

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
const Place = Schema.NullOr(Schema.Number)
const decodeFirst = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ lane: Lane, seq: Place, dueAt: Place, ownSeq: Place, ownDueAt: Place }))
)

/**
 * The first open messages of each lane, and the first of the shards `$2` behind them: of the timed ones only if it is due
 * before `$8`, or all that others have for later would be passed.
 */
const first = `
  select l.lane, o.seq::float8 as seq, o.due_at::float8 as "dueAt",
    (select m.seq from messages m where m.lane = l.lane and m.due_at = 0 and m.seq >= o.seq and m.seq >= l.own_seq and m.id >= $1
      and m.shard = any($2::smallint[]) order by m.seq limit 1)::float8 as "ownSeq",
    (select m.due_at from messages m where m.lane = l.lane and m.due_at > 0 and m.due_at >= o.due_at and m.due_at >= l.own_due_at
      and m.due_at < $8::bigint and m.id >= $1 and m.shard = any($2::smallint[]) order by m.due_at limit 1)::float8 as "ownDueAt"
  from unnest($3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) as l(lane, seq, due_at, own_seq, own_due_at)
    cross join lateral (select
      (select m.seq from messages m where m.lane = l.lane and m.due_at = 0 and m.seq >= l.seq and m.id >= $1 order by m.seq limit 1) as seq,
      (select m.due_at from messages m where m.lane = l.lane and m.due_at > 0 and m.due_at >= l.due_at and m.id >= $1
        order by m.due_at limit 1) as due_at offset 0) o`

/**
 * Finds out where open messages begin. A `seq` is drawn before its message can be seen: so the beginning follows the
 * sequence only when all transactions of the time in which it was read are over. What comes later all the same (its
 * transaction had drawn a `seq`, and had not written yet) is found within `thorough`.
 */
export const make = (sql: SqlClient.SqlClient, since: () => string) => {
  const begins = new Map<Lane, Begin>()
  /** The shards of the last look; where their messages begin is found out by the next `refresh`. */
  let asked: ReadonlyArray<number> = []
  let own = { shards: new Set<number>(), begins: new Map<Lane, Begin>() }
  const ofAll = (lane: Lane): Begin => begins.get(lane) ?? everything()
  const ofShards = (lane: Lane, shards: ReadonlyArray<number>): Begin =>
    shards.every((shard) => own.shards.has(shard)) ? own.begins.get(lane) ?? ofAll(lane) : ofAll(lane)
  const from = (lane: Lane, shards?: ReadonlyArray<number>): Begin => {
    if (shards === undefined) return ofAll(lane)
    asked = shards
    return ofShards(lane, shards)
  }
  /** The last `seq` when it was read, and the first transaction that had not begun by then. */
  let read: { readonly drawn: number; readonly next: string } | undefined
  /** What was drawn up to here is visible, or never will be. */
  let settled = 0
  let wholeAt: bigint | undefined

  const refresh = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    // First, so that the transactions are those that there are after it was read.
    const [{ drawn }] = yield* decodeDrawn(yield* sql`select last_value::float8 as drawn from message_seq`)
    // The database has lost its last messages, as one that took over before it had got them all: their numbers come again.
    if (read !== undefined && drawn < read.drawn) {
      read = undefined
      settled = 0
      wholeAt = undefined
    }
    const [{ areOver, next }] = yield* decodeTransactions(
      yield* sql`select pg_snapshot_xmax(pg_current_snapshot())::text as next,
        coalesce(${read?.next ?? null}::text::xid8 <= pg_snapshot_xmin(pg_current_snapshot()), false) as "areOver"`
    )
    if (read !== undefined && areOver) settled = read.drawn
    if (read === undefined || areOver) read = { drawn, next }

    const at = yield* Clock.monotonicTimeNanos
    const isWhole = wholeAt === undefined || at - wholeAt >= thorough
    const shards = asked
    const inSight = Math.max(0, now - behind)
    const known = Lane.literals.map((lane) => isWhole ? everything() : ofAll(lane))
    const knownOwn = Lane.literals.map((lane) => isWhole ? everything() : ofShards(lane, shards))
    const found = yield* decodeFirst(
      yield* inOrder(sql)(sql.unsafe(first, [
        since(),
        shards,
        Lane.literals,
        known.map(({ seq }) => BigInt(seq)),
        known.map(({ dueAt }) => BigInt(dueAt)),
        knownOwn.map(({ seq }) => BigInt(seq)),
        knownOwn.map(({ dueAt }) => BigInt(dueAt)),
        BigInt(inSight)
      ]))
    )
    const begin = (seq: number | null, dueAt: number | null): Begin => ({
      seq: Math.min(seq ?? settled, settled),
      dueAt: Math.min(dueAt ?? inSight, inSight)
    })
    for (const { dueAt, lane, seq } of found) begins.set(lane, begin(seq, dueAt))
    own = {
      shards: new Set(shards),
      begins: new Map(found.map(({ lane, ownDueAt, ownSeq }) => [lane, begin(ownSeq, ownDueAt)]))
    }
    if (isWhole) wholeAt = at
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
