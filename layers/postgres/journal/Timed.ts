import * as DueColumns from "#layers/postgres/journal/DueColumns.ts"
import * as Ready from "#layers/postgres/journal/Ready.ts"
import * as Shares from "#layers/postgres/journal/Shares.ts"
import type { Window } from "#src/delivery/Journal.ts"
import type { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** `due_at > 0` is spelt out, since it is what the partial indexes are for. `$7`: `OpenSince`. */
const isDue = (lane: Lane) =>
  `m.lane = '${lane}' and m.due_at > 0 and m.due_at <= $2 and m.id >= $7 and ${Ready.isOwned("m")}`

const order = `"dueAt", seq`

/** What is due, if it is no more than the limit; else only that there is more. However much there is, no more of it is looked at. */
const overdue = (lane: Lane) =>
  DueColumns.bounded(
    `with found as (
    select ${Ready.columns}, ${Ready.turnOf("m")} as turn from messages m
    where ${isDue(lane)} and ${Ready.isNotIn("m.id", 3)} order by m.due_at limit $4::int + 1)
  select f.*, counted.n > $4 as "isMore" from (select count(*) as n from found) counted
  left join found f on counted.n <= $4 and not (f."recipientKey" = any($5::text[])) and not (f.turn = any($6::text[]))`,
    ["isMore"],
    order,
    "$8"
  )

/** The next turns with a row whose time has come, each found by one step through the index, as are those that only wait. */
const turns = (lane: Lane) => `
  with recursive turns as (
    (select ${Ready.turnOf("m")} as turn, m.due_at from messages m
      where m.lane = '${lane}' and m.due_at > 0 and m.id >= $4 and ${Ready.turnOf("m")} > $1 collate "C"
      order by ${Ready.turnOf("m")}, m.due_at limit 1)
    union all
    select next.turn, next.due_at from turns cross join lateral (
      select ${Ready.turnOf("m")} as turn, m.due_at from messages m
      where m.lane = '${lane}' and m.due_at > 0 and m.id >= $4 and ${Ready.turnOf("m")} > turns.turn
      order by ${Ready.turnOf("m")}, m.due_at limit 1) next)
  select turn from turns where due_at <= $2 and not (turn = any($3::text[])) limit ${Shares.mostTurns}`

const byTurns = (lane: Lane) =>
  DueColumns.bounded(
    `select one.*, t.turn from unnest($6::text[]) as t(turn) cross join lateral (
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
 * Reads a lane's timed rows whose time has come, the most overdue first. Where there are more than the limit, as when one tenant's campaign
 * falls due in one instant, by turns like the ready ones: nobody waits behind somebody's hundred thousand, and nothing scans them.
 */
export const read = (sql: SqlClient.SqlClient, since: () => string) =>
  Effect.fnUntraced(function*(
    lane: Lane,
    { bytes, fullMailboxes, fullTurns, held, limit, now, shards, timedAfter = "" }: Window
  ): Effect.fn.Return<Shares.Read, SqlError.SqlError> {
    const owned = [Ready.seqs(shards), now]
    const raw = yield* sql.unsafe(overdue(lane), [...owned, held, limit, fullMailboxes, fullTurns, since(), bytes])
    const found = yield* Effect.orDie(decodeFound(raw))
    if (found[0]?.isMore !== true) {
      const within = raw.filter((_, n) => found[n]?.isOver === false)
      return { rows: within, complete: !found.some(({ isOver }) => isOver), upTo: undefined }
    }

    const rows: Array<unknown> = []
    let complete = timedAfter === ""
    let left = bytes
    for (let from = timedAfter;;) {
      const { last, turns: next } = yield* Shares.next(sql, turns(lane), [from, now, fullTurns, since()])
      const { places, short } = yield* Shares.out(
        limit - rows.length,
        next,
        Effect.fnUntraced(function*(open, share, taken: ReadonlyArray<Place>) {
          const ids = [...held, ...taken.map(({ id }) => id)]
          const room = DueColumns.fitting(taken, left).left
          const raw = yield* sql.unsafe(byTurns(lane), [...owned, ids, share, fullMailboxes, open, since(), room])
          return (yield* Effect.orDie(decodePlaces(raw))).map((place, n) => ({ ...place, row: raw[n] }))
        })
      )
      const { isWhole, left: unused, within } = DueColumns.fitting(places, left)
      left = unused
      rows.push(...within.map(({ row }) => row))
      if (!isWhole || short.length > 0) complete = false
      if (last === undefined) return { rows, complete, upTo: undefined }
      if (rows.length >= limit || left <= 0) return { rows, complete: false, upTo: last }
      from = last
    }
  })
