import * as DueColumns from "#layers/postgres/journal/DueColumns.ts"
import * as Ready from "#layers/postgres/journal/Ready.ts"
import * as Shares from "#layers/postgres/journal/Shares.ts"
import type { Window } from "#src/delivery/Journal.ts"
import type { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

const turnOfRow = Ready.turnOf("m")

/**
 * `due_at > 0` is spelt out, or the planner would not use the partial indexes. `$7`: `OpenSince`. `$9`: the lowest open
 * `due_at`.
 */
const isDue = (lane: Lane) =>
  `m.lane = '${lane}' and m.due_at > 0 and m.due_at >= $9 and m.due_at <= $2 and m.id >= $7 and ${Ready.isOwned("m")}`

const order = `"dueAt", seq`

/**
 * All that is due, if that is no more than the limit; otherwise a single row that says so (`isMore`). It never reads
 * more than one row above the limit.
 */
const overdue = (lane: Lane) =>
  DueColumns.bounded(
    `with found as (
    select ${Ready.columns}, ${Ready.turnOf("m")} as turn from messages m
    where ${isDue(lane)} and ${Ready.isNotIn("m.id", 3)} order by m.due_at limit $4::int + 1)
  select f.*, 0 as had, counted.n > $4 as "isMore" from (select count(*) as n from found) counted
  left join found f on counted.n <= $4 and not (f."recipientKey" = any($5::text[])) and not (f.turn = any($6::text[]))`,
    ["turn", "isMore"],
    order,
    "$8"
  )

/** Rows of the index that one step of the walk over turns reads. */
const stride = 64

/**
 * The next turns behind `$1` that have a due row. The index is ordered by turn and due time: a step reads `stride` rows
 * of it and goes on behind their last turn. So one step passes up to `stride` turns of which nothing is due yet, and
 * skips the remaining rows of a large turn.
 */
const turns = (lane: Lane) => `
  with recursive walk as (
    select $1::text collate "C" as upto, null::text[] collate "C" as due
    union all
    select step.* from walk cross join lateral (
      select max(turn), array_agg(distinct turn order by turn) filter (where due_at <= $2) from (
        select ${turnOfRow} as turn, m.due_at from messages m
        where m.lane = '${lane}' and m.due_at > 0 and m.due_at >= $5 and m.id >= $4 and ${turnOfRow} > walk.upto
        order by ${turnOfRow}, m.due_at limit ${stride}) as found) step
    where walk.upto is not null)
  select turn from walk cross join unnest(due) as turn where not (turn = any($3::text[])) limit ${Shares.mostTurns}`

const byTurns = (lane: Lane) =>
  DueColumns.bounded(
    `select one.*, t.turn, t.had from unnest($6::text[], $10::float8[]) as t(turn, had) cross join lateral (
    select ${Ready.columns} from messages m
    where ${isDue(lane)} and ${Ready.turnOf("m")} = t.turn collate "C"
      and ${Ready.isNotIn("m.id", 3)} and ${Ready.isNotIn("m.recipient_key", 5)}
    order by m.due_at limit $4) one`,
    ["turn"],
    order,
    "$8"
  )

const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ id: Schema.NullOr(Schema.String), isMore: Schema.Boolean, isOver: Schema.NullOr(Schema.Boolean) })
  )
)
const PlaceRow = Schema.Struct({ id: Schema.String, turn: Schema.String, ...DueColumns.bounds })
const decodePlaces = Schema.decodeUnknownEffect(Schema.Array(PlaceRow))

/** A timed row as the database gives it, and whose it is. */
type Place = typeof PlaceRow.Type & { readonly row: unknown }

/**
 * Reads a lane's due timed rows, the most overdue first. If there are more than the limit, as when one tenant's
 * campaign falls due at one instant, they are read by turns like the ready rows: no tenant waits behind another's
 * hundred thousand rows, and no statement scans them.
 */
export const read = (sql: SqlClient.SqlClient, { from: openFrom, since }: Ready.Beginning) =>
  Effect.fnUntraced(function*(
    lane: Lane,
    { bytes, fullMailboxes, fullTurns, held, limit, now, shards, timedAfter = "" }: Window
  ): Effect.fn.Return<Shares.Read, SqlError.SqlError> {
    const owned = [Ready.seqs(shards), now]
    const lowest = BigInt(openFrom(lane, shards.map(({ shard }) => shard)).dueAt)
    const all = [...owned, held, limit, fullMailboxes, fullTurns, since(), bytes, lowest]
    const raw = yield* sql.unsafe(overdue(lane), all)
    const found = yield* Effect.orDie(decodeFound(raw))
    if (found[0]?.isMore !== true) {
      const within = raw.filter((_, n) => found[n]?.isOver === false)
      return { rows: within, complete: !found.some(({ isOver }) => isOver), upTo: undefined }
    }

    const rows: Array<unknown> = []
    let complete = timedAfter === ""
    let left = bytes
    for (let from = timedAfter;;) {
      const { last, turns: next } = yield* Shares.next(sql, turns(lane), [from, now, fullTurns, since(), lowest])
      const { places, short } = yield* Shares.out(
        limit - rows.length,
        next,
        Effect.fnUntraced(function*(open, share, taken: ReadonlyArray<Place>) {
          const ids = [...held, ...taken.map(({ id }) => id)]
          const room = DueColumns.left(taken, left)
          const had = DueColumns.had(taken, open)
          const params = [...owned, ids, share, fullMailboxes, open, since(), room, lowest, had]
          const raw = yield* sql.unsafe(byTurns(lane), params)
          return (yield* Effect.orDie(decodePlaces(raw))).map((place, n) => ({ ...place, row: raw[n] }))
        })
      )
      left = DueColumns.left(places, left)
      const within = places.filter(({ isOver }) => !isOver)
      rows.push(...within.map(({ row }) => row))
      if (within.length < places.length || short.length > 0) complete = false
      if (last === undefined) return { rows, complete, upTo: undefined }
      if (rows.length >= limit || left <= 0) return { rows, complete: false, upTo: last }
      from = last
    }
  })
