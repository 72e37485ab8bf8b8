import * as ReadElsewhere from "#layers/postgres/journal/ReadElsewhere.ts"
import { stamps } from "#layers/postgres/journal/Stamps.ts"
import * as DueNotice from "#layers/postgres/notices/DueNotice.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type * as Hearers from "#layers/postgres/webhooks/Hearers.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import { Attempt } from "#schemas/Attempt.ts"
import { HistoryEvent } from "#schemas/History.ts"
import { Status } from "#schemas/Status.ts"
import { type Verdict, weigh } from "#src/delivery/journal/Evidence.ts"
import type { Handover } from "#src/delivery/journal/Handover.ts"
import { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { type Journal, MessageNotFound, type Observation, type Observed } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Effect, Exit, Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"

const Call = Attempt.mapFields(
  Struct.pick(["number", "channel", "provider", "state", "kind", "startedAt", "endedAt", "reference"])
)
const decodeStored = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ id: Schema.String, status: Status, dueAt: Schema.NullOr(Schema.Number), shard: Schema.Int })
  )
)
const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      calls: Schema.fromJsonString(Schema.Array(Call)),
      repeated: Schema.Boolean
    })
  )
)
const encodeEvents = Schema.encodeEffect(Schema.fromJsonString(Schema.Array(HistoryEvent)))

/**
 * In the order of ids, in which all who lock several messages take them (`Rename`). Each message is looked up by its
 * whole key: of a join, the planner may read a day's messages instead, if it knows nothing of them yet.
 */
const lock = `select m.* from unnest($2::text[]) as x(id) cross join lateral (
    select id, status, due_at::float8 as "dueAt", shard from messages
    where scope = $1 and id = x.id and id between $3 and $4 for update) as m`

/**
 * A statement of its own, after the locks are granted: the locking statement, if it had to wait, would see the calls as
 * they were before.
 */
const find = `select x.id,
    coalesce((select json_agg(json_build_object('number', number, 'channel', channel, 'provider', provider,
        'state', state, 'kind', kind, 'startedAt', started_at, 'endedAt', ended_at, 'reference', reference) order by number)
      from attempts where scope = $1 and message_id = x.id and message_id between $4 and $5), '[]')::text as calls,
    exists (select from history where scope = $1 and message_id = x.id and step = x.step and message_id between $4 and $5)
      as repeated
  from unnest($2::text[], $3::text[]) as x(id, step)`

const stampNames = stamps.map(([, column]) => column)

/**
 * What became of each message, one row each, and the calls that were proved. Messages are read by their keys ($4): of
 * bounds alone, the planner may read whatever is between them.
 */
const move = (isHeard: boolean) =>
  `with x as (select * from json_to_recordset($2::json) as x(id text, status text, reason text, error text,
      due_at bigint, closes boolean, tells boolean, at bigint, step text, events text, ${
    stampNames.map((name) => `${name} bigint`).join(", ")
  })),
  moved as (update messages m set
      status = x.status,
      reason = coalesce(x.reason, m.reason),
      error = coalesce(x.error, m.error),
      due_at = case when not x.closes then coalesce(x.due_at, m.due_at) end,
      ${stampNames.map((name) => `${name} = coalesce(m.${name}, x.${name})`).join(", ")}
    from x where m.scope = $1 and m.id = any($4::text[]) and m.id = x.id),
  a as (update attempts a set state = 'accepted', kind = p.kind, reference = p.reference, error = p.error, ended_at = p.ended_at
    from json_to_recordset($3::json) as p(id text, number smallint, kind text, reference text, error text, ended_at bigint)
    where a.scope = $1 and a.message_id = any($4::text[]) and a.message_id = p.id and a.number = p.number),
  h as (insert into history (scope, message_id, at, step, events) select $1, id, at, step, events from x
    on conflict do nothing)${
    isHeard
      ? `,
  w as (${Told.messages(`select $1::int as scope, id, status, at, $5::bigint as stored_at from x where tells`)})`
      : ""
  }
  select ${isHeard ? Told.wake : "1"}`

/**
 * Names an event within its message's history: by the provider's own id of it if there is one, by which a repeat is
 * recognised whatever its time.
 */
const stepOf = ({ event, eventId }: Observed): string => eventId === undefined ? event : `${event}:${eventId}`

/** The name by which a repeat is looked for; no event has the empty one. */
const repeatOf = (observed: Observed): string => observed.eventId === undefined ? "" : stepOf(observed)

/** A message's row after an event, as `move` reads it; `undefined` if the event leaves it as it is. */
const rowOf = Effect.fnUntraced(function*(observed: Observed, verdict: Verdict) {
  const { event, id, reason } = observed
  const { dueAt, history, observation: { after, applied }, sentAt } = verdict
  if (history === undefined) return undefined
  return {
    id,
    status: after,
    reason: applied ? reason : undefined,
    error: applied ? history.error : undefined,
    due_at: dueAt,
    closes: event === "Cancel",
    tells: applied,
    at: history.ts,
    step: stepOf(observed),
    events: yield* encodeEvents([history]),
    ...Object.fromEntries(stamps.flatMap(([of, column]) => of === event ? [[column, history.ts]] : [])),
    ...(sentAt === undefined ? {} : { sent_at: sentAt })
  }
})

/** A call that was proved, as `move` reads it. */
const provedRow = ({ id }: Observed, { proof }: Verdict) =>
  proof === undefined ? [] : [{ ...proof, id, ended_at: proof.endedAt }]

/** What became of an event. `stirred`: the shard of a message whose due time it changed. */
interface Seen {
  readonly observation: Observation
  readonly stirred: number | undefined
}

/** Events of messages that there are, and what became of them. */
type Answers = ReadonlyMap<Observed, Seen>

/** Whether an owner has to look again. If no answer came a message may have been stirred, and a repeat would not tell. */
const mayBeStirred = (exit: Exit.Exit<Answers, StoreUnavailable>): boolean =>
  Exit.isFailure(exit) || exit.value.values().some(({ stirred }) => stirred !== undefined)

/** The first events of messages of one environment. */
const firstOf = (batch: ReadonlyArray<Observed>): ReadonlyArray<Observed> =>
  batch.filter(({ id, scope }, n) =>
    scope === batch[0]?.scope && batch.findIndex((one) => one.id === id && one.scope === scope) === n
  )

/**
 * The second door (`Journal.observe`): locks the rows of messages, applies the lifecycle table to their stored
 * statuses, and writes statuses, first times and history together, for any number of messages in three statements, or
 * four if their readers have an in-app inbox. If an event changes a message's due time, the shard's owner is told, on
 * this node or another.
 */
export const observing = (sql: SqlClient.SqlClient, handover: Handover["Service"], hears: Hearers.Hears) => {
  /** Applies events of different messages of one environment. */
  const apply = Effect.fnUntraced(function*(events: ReadonlyArray<Observed>, isHeard: boolean) {
    const now = yield* Clock.currentTimeMillis
    const scope = events[0]?.scope
    const ids = events.map(({ id }) => id).toSorted()
    const bounds = [ids[0], ids.at(-1)]
    const locked = yield* Effect.flatMap(sql.unsafe(lock, [scope, ids, ...bounds]), decodeStored)
    const storedOf = new Map(locked.map((row) => [row.id, row]))
    const known = events.filter(({ id }) => storedOf.has(id))
    if (known.length === 0) return new Map<Observed, Seen>()
    const found = yield* Effect.flatMap(
      sql.unsafe(find, [scope, known.map(({ id }) => id), known.map(repeatOf), ...bounds]),
      decodeFound
    )
    const foundOf = new Map(found.map((row) => [row.id, row]))
    const weighed = known.flatMap((observed) => {
      const [stored, calls] = [storedOf.get(observed.id), foundOf.get(observed.id)]
      if (stored === undefined || calls === undefined) return []
      const { dueAt, shard, status } = stored
      return [{ observed, shard, verdict: weigh({ ...calls, status, dueAt: dueAt ?? undefined }, observed, now) }]
    })
    const rows = yield* Effect.forEach(weighed, ({ observed, verdict }) => rowOf(observed, verdict))
    const moved = rows.filter((row) => row !== undefined)
    if (moved.length > 0) {
      const proved = weighed.flatMap(({ observed, verdict }) => provedRow(observed, verdict))
      yield* sql.unsafe(move(isHeard), [
        scope,
        JSON.stringify(moved),
        JSON.stringify(proved),
        ids,
        ...(isHeard ? [now] : [])
      ])
      const read = weighed.flatMap(({ observed, verdict }) => verdict.isReadElsewhere ? [observed.id] : [])
      yield* ReadElsewhere.mark(sql, scope, read, now)
    }
    const stirred = new Set(weighed.flatMap(({ shard, verdict }) => verdict.dueAt === undefined ? [] : [shard]))
    for (const shard of stirred) {
      if (!handover.owns(shard)) yield* sql`select pg_notify(${DueNotice.channel}, ${String(shard)})`
    }
    return new Map(
      weighed.map(({ observed, shard, verdict: { dueAt, observation } }) =>
        [observed, { observation, stirred: dueAt === undefined ? undefined : shard }] as const
      )
    )
  })

  /**
   * A further event of a message is weighed against what the first has left. It has a transaction of its own, in whose
   * order the events of one millisecond are shown (`Timelines`).
   */
  const together = (batch: ReadonlyArray<Observed>): Effect.Effect<Answers, StoreUnavailable> => {
    const first = firstOf(batch)
    const rest = batch.filter((observed) => !first.includes(observed))
    const seen = Effect.flatMap(
      hears(first.map(({ scope }) => scope)),
      (isHeard) => apply(first, isHeard).pipe(sql.withTransaction, orUnavailable)
    ).pipe(
      Effect.onExit((exit) => mayBeStirred(exit) ? handover.behind(Lane.literals) : Effect.void)
    )
    return rest.length === 0
      ? seen
      : Effect.flatMap(seen, (one) => Effect.map(together(rest), (other) => new Map([...one, ...other])))
  }

  return {
    observe: (observed: Observed) =>
      Effect.flatMap(together([observed]), (seen) => {
        const found = seen.get(observed)
        return found === undefined
          ? Effect.fail(new MessageNotFound({ id: observed.id }))
          : Effect.succeed(found.observation)
      }),
    observeAll: (events: ReadonlyArray<Observed>) =>
      events.length === 0
        ? Effect.succeed([])
        : Effect.map(together(events), (seen) => events.map((event) => seen.get(event)?.observation))
  } satisfies Pick<Journal["Service"], "observe" | "observeAll">
}
