import { OpenSince } from "#layers/postgres/days/OpenDays.ts"
import { OpenFrom } from "#layers/postgres/days/OpenRows.ts"
import { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"

/** So many messages of a lane are counted that are ready, and as many whose time has come. */
export const counted = 10_000

/**
 * Makes what a statement selects from: the messages that are due at a time (epoch ms), as far as they are counted, each
 * with these `columns` and with `since`, the epoch ms from which on it was. Each lane is read in the order of its index
 * (`InOrder`), so that its oldest row is there whatever waits in the other.
 */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const openSince = yield* OpenSince
  const openFrom = yield* OpenFrom

  return (now: number, columns = ""): Statement.Fragment => {
    const begins = Lane.literals.map((lane) => openFrom(lane))
    const open = sql`messages where lane = lanes.lane and id >= ${openSince()}`
    const selected = sql.literal(columns)
    return sql`unnest(${Lane.literals}::text[], ${begins.map(({ seq }) => BigInt(seq))}::bigint[],
        ${begins.map(({ dueAt }) => BigInt(dueAt))}::bigint[]) lanes (lane, from_seq, from_due), lateral (
        (select ${selected} enqueued_at as since from ${open} and due_at = 0 and seq >= from_seq order by seq limit ${counted})
        union all
        (select ${selected} due_at from ${open} and due_at > 0 and due_at >= from_due and due_at <= ${now}
         order by due_at limit ${counted})
      ) due`
  }
})
