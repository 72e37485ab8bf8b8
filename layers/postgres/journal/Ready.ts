import * as DueColumns from "#layers/postgres/journal/DueColumns.ts"
import * as Shares from "#layers/postgres/journal/Shares.ts"
import type { OpenFrom } from "#layers/postgres/days/OpenRows.ts"
import * as HeldUp from "#src/delivery/shards/HeldUp.ts"
import * as Turns from "#src/delivery/shards/Turns.ts"
import type { Due, Window } from "#src/delivery/Journal.ts"
import type { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { type Context, Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** Where a look begins: at the lowest id that is open (`OpenSince`), and where open rows of its shards begin in its lane. */
export interface Beginning {
  readonly since: () => string
  readonly from: Context.Service.Shape<typeof OpenFrom>
}

/** `LaneShares.turnOf` in SQL, exactly as the indexes have it. */
export const turnOf = (alias: string) => `(${alias}.scope::text || ':' || coalesce(${alias}.tenant_id, '')) collate "C"`

/**
 * The owned shards as one array parameter, `$1`, indexed by shard: `takenAtSeq` of an owned shard, -1 for one that is
 * not owned. So a row finds its shard in one step; joined as rows, all 64 were compared with each message. `bigint`, since
 * the client refuses an array of numbers of which some need 4 bytes and some 8.
 */
export const seqs = (shards: Window["shards"]): ReadonlyArray<bigint> => {
  const found = Array.from({ length: Math.max(0, ...shards.map(({ shard }) => shard + 1)) }, () => -1n)
  for (const { shard, takenAtSeq } of shards) found[shard] = BigInt(takenAtSeq)
  return found
}

const seqOf = (alias: string) => `($1::bigint[])[${alias}.shard + 1]`

/** Whether a row's shard is owned. */
export const isOwned = (alias: string) => `${seqOf(alias)} >= 0`

/** A subquery is hashed once; an array in a prepared statement would be searched from its beginning for each row. */
export const isNotIn = (column: string, parameter: number) =>
  `${column} not in (select one from unnest($${parameter}::text[]) as one)`

export const columns = DueColumns.of(`m.seq <= ${seqOf("m")}`)

/** So many ready rows at most are read without a look at whose turns they are. */
const mostAtOnce = 100

/**
 * All ready rows, if no more than `$3` wait that are not in hand, and less than `$7` bytes of them; otherwise a single
 * row that says so (`isMore`). It begins at the lowest open `seq` (`$6`), while `turns` passes the entries of all rows
 * closed since the oldest snapshot: during a backup a look that found nothing passed all that was delivered. Rows of
 * others' shards count, so that it never reads further.
 */
const few = (lane: Lane) => `
  with found as (
    select ${columns}, ${isOwned("m")} as owned from messages m
    where m.lane = '${lane}' and m.due_at = 0 and m.seq >= $6 and m.id >= $5 and ${isNotIn("m.id", 2)}
    order by m.seq limit $3::int + 1)
  select f.*, counted."isMore" from (
    select count(*) > $3 or coalesce(sum(size), 0) >= $7 as "isMore" from found) counted
  left join found f on not counted."isMore" and f.owned and not (f."recipientKey" = any($4::text[]))
  order by f.seq`

/** So many ready rows at most are passed to find whose turns they are. */
const mostPassed = 1_000

/**
 * The next turns behind `$1` that have a ready row: of all ready rows, if they are no more than `mostPassed`; otherwise
 * found by a skip scan, one step through the index for each turn, however many rows it has. That passes the entries of
 * all rows closed since the last vacuum: of a million, 250 ms at every look. `$2`: `OpenSince`. `$3`: the lowest open
 * `seq`.
 */
const turns = (lane: Lane) => {
  const isReady = `m.lane = '${lane}' and m.due_at = 0 and m.id >= $2 and m.seq >= $3`
  const next = (turn: string) =>
    `(select ${turnOf("m")} from messages m where ${isReady} and ${turnOf("m")} > ${turn} order by ${
      turnOf("m")
    } limit 1)`
  return `
  with recursive found as materialized (
    select ${turnOf("m")} as turn from messages m where ${isReady} order by m.seq limit ${mostPassed + 1}),
  turns as (
    select case when count(*) > ${mostPassed} then ${next("$1 collate \"C\"")} end as turn, 1 as n from found
    union all
    select ${next("turns.turn")}, n + 1 from turns where turns.turn is not null and n < ${Shares.mostTurns})
  select turn from turns where turn is not null
  union all (select distinct turn from found where (select count(*) from found) <= ${mostPassed} and turn > $1 collate "C"
    order by turn limit ${Shares.mostTurns})`
}

/**
 * The oldest ready rows of the given turns, of each those behind a `seq`. `due_at = 0` is spelt out, or the planner
 * would not use the partial index.
 */
const ready = (lane: Lane) =>
  DueColumns.bounded(
    `select one.*, t.turn, t.had from unnest($2::text[], $8::float8[], $10::bigint[]) as t(turn, had, behind) cross join lateral (
    select ${columns} from messages m
    where m.lane = '${lane}' and m.due_at = 0 and m.id >= $6 and m.seq >= $9 and m.seq > t.behind and ${
      turnOf("m")
    } = t.turn collate "C" and ${isOwned("m")}
      and ${isNotIn("m.id", 3)} and ${isNotIn("m.recipient_key", 4)}
    order by m.seq limit $5) one`,
    ["turn"],
    "seq",
    "$7"
  )

/**
 * Which of these rows would pass an older ready row of their recipient that is neither in hand nor among the rows read.
 * `offset 0` has each recipient looked up: joined, without statistics, all that waits was read at every look. By `=`,
 * statistics of an empty queue chose an index that is not ordered by recipient, and each row read all that waits; the
 * two bounds and the order leave one index alone.
 */
const passing = (lane: Lane) => `
  select x.id from unnest($1::text[], $2::text[], $3::bigint[], $4::smallint[]) as x(id, recipient_key, seq, shard) where exists (
    select 1 from messages o where o.lane = '${lane}' and o.due_at = 0 and o.id >= $6
      and o.recipient_key >= x.recipient_key and o.recipient_key <= x.recipient_key
      and o.shard = x.shard and o.seq < x.seq and ${isNotIn("o.id", 5)} order by o.recipient_key, o.seq offset 0)`

const decodeFew = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.NullOr(Schema.String), isMore: Schema.Boolean }))
)
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))
const PlaceRow = Schema.Struct({
  id: Schema.String,
  recipientKey: Schema.String,
  shard: Schema.Int,
  seq: Schema.Number,
  turn: Schema.String,
  ...DueColumns.bounds
})
const decodePlaces = Schema.decodeUnknownEffect(Schema.Array(PlaceRow))

/** A ready row as the database gives it, and where it stands. */
type Place = typeof PlaceRow.Type & { readonly row: unknown }

/** Those that came with what the caller said, in the order of acceptance, and the turns that have others. */
const parted = (found: ReadonlyArray<Place>) => ({
  places: found.filter(({ isOver }) => !isOver).sort((a, b) => a.seq - b.seq),
  over: found.filter(({ isOver }) => isOver).map(({ turn }) => turn)
})

/**
 * Reads a lane's ready rows: all at once if they are few, else by turns, a few turns at a time, until there are enough;
 * in turns that are held up it goes on where the last look ended. Rows are as the database gives them.
 */
export const read = (sql: SqlClient.SqlClient, { from: openFrom, since }: Beginning) =>
  Effect.fnUntraced(function*(
    lane: Lane,
    { after = "", bytes, fullMailboxes, fullTurns, held, heldUp: before, limit, shards }: Window
  ): Effect.fn.Return<Shares.Read & Pick<Due, "heldUp">, SqlError.SqlError> {
    const owned = seqs(shards)
    const lowest = BigInt(openFrom(lane, shards.map(({ shard }) => shard)).seq)
    // A row of a full turn may hold up one of its recipient in another turn.
    if (after === "" && fullTurns.length === 0) {
      const most = Math.min(limit, mostAtOnce)
      const raw = yield* sql.unsafe(few(lane), [owned, held, most, fullMailboxes, since(), lowest, bytes])
      const found = yield* Effect.orDie(decodeFew(raw))
      if (found[0]?.isMore === false) {
        return { rows: raw.filter((_, n) => found[n]?.id !== null), complete: true, upTo: undefined, heldUp: new Map() }
      }
    }

    const rows: Array<unknown> = []
    const heldUp = HeldUp.make(before)
    let complete = true
    let left = bytes
    const take = (kept: ReadonlyArray<Place>) => {
      rows.push(...kept.map(({ row }) => row))
      left = DueColumns.left(kept, left)
    }

    /** Reads up to `share` of each turn, behind these `seq`s, which are neither in hand nor taken already. */
    const rowsOf = Effect.fnUntraced(function*(
      turns: ReadonlyArray<string>,
      { behind, share, taken }: {
        readonly behind: ReadonlyArray<number>
        readonly share: number
        readonly taken: ReadonlyArray<Place>
      }
    ) {
      const inHand = [...held, ...taken.map(({ id }) => id)]
      const room = DueColumns.left(taken, left)
      const had = DueColumns.had(taken, turns)
      const params = [owned, turns, inHand, fullMailboxes, share, since(), room, had, lowest, behind.map(BigInt)]
      const raw = yield* sql.unsafe(ready(lane), params)
      return (yield* Effect.orDie(decodePlaces(raw))).map((place, n) => ({ ...place, row: raw[n] }))
    })

    /** Which of these rows would pass one that is neither in hand nor known. */
    const late = Effect.fnUntraced(function*(asked: ReadonlyArray<Place>, known: ReadonlyArray<Place>) {
      if (asked.length === 0) return new Set<string>()
      const found = yield* sql.unsafe(passing(lane), [
        asked.map(({ id }) => id),
        asked.map(({ recipientKey }) => recipientKey),
        asked.map(({ seq }) => BigInt(seq)),
        asked.map(({ shard }) => shard),
        [...held, ...known.map(({ id }) => id)],
        since()
      ]).pipe(Effect.flatMap(decodeIds), Effect.catchTag("SchemaError", Effect.die))
      return new Set(found.map(({ id }) => id))
    })

    for (let from = after;;) {
      const { last, turns: next } = yield* Shares.next(sql, turns(lane), [from, since(), lowest])
      const open = next.filter((turn) => !fullTurns.includes(turn))
      if (open.length > 0) {
        const { places: found, short } = yield* Shares.out(
          limit - rows.length,
          open,
          (turns, share, taken: ReadonlyArray<Place>) => rowsOf(turns, { behind: turns.map(() => 0), share, taken })
        )
        const { over, places } = parted(found)
        const allSeen = from === "" && last === undefined && fullTurns.length === 0
        const cut = Turns.cut({ rows: places, short: [...new Set([...short, ...over])], allSeen })
        const passes = yield* late(cut.doubtful, Turns.without(places, cut.dropped))
        const kept = Turns.without(places, [...cut.dropped, ...places.filter(({ id }) => passes.has(id))])
        take(kept)
        if (!cut.complete || (passes.size > 0 && fullTurns.length === 0)) complete = false
        const more = new Set([...short, ...over, ...cut.dropped.map(({ turn }) => turn)])
        const stuck = HeldUp.found(cut.doubtful, ({ id }) => passes.has(id), more)
        for (const turn of open) if (!stuck.has(turn)) heldUp.freed(turn)
        const room = Math.min(limit - rows.length, HeldUp.mostPassed)
        if (stuck.size > 0 && room > 0 && left > 0) {
          const turns = [...stuck.keys()]
          const behind = [...stuck].map(([turn, asked]) => heldUp.from(turn, asked))
          const share = Turns.share(room, turns)
          const next = parted(yield* rowsOf(turns, { behind, share, taken: [] }))
          const waiting = yield* late(next.places, [...kept, ...next.places])
          take(next.places.filter(({ id }) => !waiting.has(id)))
          const unfinished = new Set([...next.over, ...Turns.atShare(next.places, share)])
          const reached = new Map(next.places.map(({ seq, turn }) => [turn, seq]))
          turns.forEach((turn, n) => heldUp.went(turn, reached.get(turn) ?? behind[n] ?? 0, unfinished.has(turn)))
        }
      }
      const isQuiet = rows.length === 0 && fullTurns.length > 0
      // Nothing was read, and some turns are full: what is left waits for those, and another look now would find the
      // same.
      const halted = isQuiet && !heldUp.goesOn()
      if (last === undefined) {
        return { rows, complete: after === "" && (complete || halted), upTo: undefined, heldUp: heldUp.next(isQuiet) }
      }
      if (rows.length >= limit || left <= 0) {
        return { rows, complete: false, upTo: last, heldUp: heldUp.next(isQuiet) }
      }
      from = last
    }
  })
