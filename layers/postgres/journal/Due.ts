import { Attempt } from "#schemas/Attempt.ts"
import * as Ready from "#layers/postgres/journal/Ready.ts"
import * as Timed from "#layers/postgres/journal/Timed.ts"
import * as Unreadable from "#layers/postgres/journal/Unreadable.ts"
import * as IdBounds from "#layers/postgres/statements/IdBounds.ts"
import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type { Due, Journal, Window } from "#src/delivery/Journal.ts"
import { DueRow, Lane } from "#src/delivery/journal/OpenMessage.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { BeginTransaction } from "effect/sql/SqlClient"

const { attempts: _attempts, ...columns } = DueRow.fields
/** A row of another version, or one that something else wrote, must not keep its neighbours from being read. */
const readRows = Unreadable.sorted(
  Schema.Struct({ ...columns, tenantId: Schema.NullOr(Schema.String), isTried: Schema.Boolean })
)
const readAttempts = Unreadable.sorted(Schema.Struct({ scope: Schema.Int, id: Schema.String, ...Attempt.fields }))
const decodeNext = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ next: Schema.NullOr(Schema.Number) })))

/**
 * Looks up each message's attempts by its key. With a plain join, the planner read the whole partition of a day for
 * which it had no statistics; `offset 0` keeps it from making this one.
 */
const attemptsOf = `
  select a.scope, a.message_id as id, a.number, a.channel, a.provider, a.state, a.kind, a.started_at::float8 as "startedAt",
    a.ended_at::float8 as "endedAt", a.retry_after::float8 as "retryAfter", a.reference, a.error
  from unnest($1::int[], $2::text[]) as x(scope, id) cross join lateral (
    select * from attempts a where a.scope = x.scope and a.message_id = x.id and a.message_id between $3 and $4 offset 0) a
  order by a.message_id, a.number`

/**
 * The next due time. `due_at > 0` is spelt out, or a plan for any parameters could not use the partial index: it would
 * read the whole day, or each look be planned anew.
 */
const nextTimed = (wanted: ReadonlyArray<Lane>) => `
  select least(${
  wanted.map((lane) =>
    `(select m.due_at from messages m where m.lane = '${lane}' and m.due_at > 0 and m.due_at > $2 and m.id >= $3
      and ${Ready.isOwned("m")} order by m.due_at limit 1)`
  ).join(", ")
})::float8 as next`

/** All statements of a look see what was committed before it, and nothing else. */
const atOnce = Effect.provideService(BeginTransaction, "begin isolation level repeatable read")

/**
 * Reads one window. In each lane: one statement for the ready rows if they are few, otherwise others for the turns and
 * for their rows, and two for turns that are held up; one for the timed rows. Then one for the attempts if any row was
 * tried, and one for the next due time if nothing was left out.
 * All run in one transaction, so that an embedded database is waited for only once: as single statements, each waited
 * half a second behind others under load, and the owners ran out of work. And on one snapshot: between two statements a
 * message of a turn that was read and a later one of the same recipient may be committed, and the later one alone was
 * found then (P3).
 */
export const due = (sql: SqlClient.SqlClient, beginning: Ready.Beginning): Journal["Service"]["due"] => {
  const ready = Ready.read(sql, beginning)
  const timed = Timed.read(sql, beginning)
  const look = Effect.fnUntraced(
    function*(window: Window) {
      const { lane, now, shards } = window
      // Each lane is read with its own limit, so that neither takes the other's share of the window.
      const wanted: ReadonlyArray<Lane> = lane === undefined ? Lane.literals : [lane]
      const parts = yield* Effect.forEach(
        wanted,
        Effect.fnUntraced(function*(one) {
          const byTurn = yield* ready(one, window)
          const overdue = yield* timed(one, window)
          return {
            rows: [...byTurn.rows, ...overdue.rows],
            complete: byTurn.complete && overdue.complete,
            upTo: byTurn.upTo,
            heldUp: byTurn.heldUp,
            timedUpTo: overdue.upTo
          }
        })
      )
      const looked = parts.flatMap(({ rows }) => rows)
      const complete = parts.every((part) => part.complete)
      const { bad, good: found } = readRows(looked)
      const tried = found.filter((row) => row.isTried)
      const ids = tried.map((row) => row.id)
      const attempts = readAttempts(
        ids.length === 0 ? [] : yield* sql.unsafe(attemptsOf, [
          tried.map((row) => row.scope),
          ids,
          ...IdBounds.of(ids)
        ])
      )
      const byMessage = new Map<string, Array<Attempt>>()
      for (const { id, scope, ...attempt } of attempts.good) {
        const key = `${scope}:${id}`
        const earlier = byMessage.get(key)
        if (earlier === undefined) byMessage.set(key, [attempt])
        else earlier.push(attempt)
      }
      const later = complete
        ? yield* decodeNext(yield* sql.unsafe(nextTimed(wanted), [Ready.seqs(shards), now, beginning.since()]))
        : []
      const aside = new Set(attempts.bad.map(({ id, scope }) => `${scope}:${id}`))
      const seen: Due = {
        rows: found.filter((row) => !aside.has(`${row.scope}:${row.id}`)).map(({ isTried: _, ...row }) => ({
          ...row,
          tenantId: row.tenantId ?? undefined,
          attempts: byMessage.get(`${row.scope}:${row.id}`) ?? []
        })),
        complete,
        upTo: parts.find((part) => part.upTo !== undefined)?.upTo,
        timedUpTo: parts.find((part) => part.timedUpTo !== undefined)?.timedUpTo,
        heldUp: parts.find((part) => part.heldUp.size > 0)?.heldUp ?? new Map(),
        next: later[0]?.next ?? undefined
      }
      return { seen, unreadable: [...bad, ...attempts.bad] }
    },
    inOrder(sql),
    atOnce
  )
  return Effect.fnUntraced(function*(window: Window) {
    const { seen, unreadable } = yield* look(window)
    yield* Unreadable.setAside(sql, "message", unreadable)
    return seen
  }, orUnavailable)
}
