import { stamps } from "#layers/postgres/journal/Stamps.ts"
import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { Attempt } from "#schemas/Attempt.ts"
import { HistoryEvent } from "#schemas/History.ts"
import { Status } from "#schemas/Status.ts"
import { type Proof, type Verdict, weigh } from "#src/delivery/journal/Evidence.ts"
import type { Handover } from "#src/delivery/journal/Handover.ts"
import { Lane } from "#src/delivery/journal/OpenMessage.ts"
import { type Journal, MessageNotFound, type Observed } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Effect, Exit, Option, Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"

const Call = Attempt.mapFields(
  Struct.pick(["number", "channel", "provider", "state", "kind", "startedAt", "endedAt", "reference"])
)
const decodeStored = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ status: Status, dueAt: Schema.NullOr(Schema.Number), shard: Schema.Int }))
)
const decodeFound = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ calls: Schema.fromJsonString(Schema.Array(Call)), repeated: Schema.Boolean })])
)
const encodeEvents = Schema.encodeEffect(Schema.fromJsonString(Schema.Array(HistoryEvent)))

const columns = new Map(stamps)

type Seen = Exit.Exit<{ readonly isStirred: boolean }, MessageNotFound | StoreUnavailable>

/** Whether the message's owner has to look at it. If no answer came it may have been stirred, and a repeat would not tell. */
const mayBeStirred = (exit: Seen): boolean =>
  Exit.isSuccess(exit)
    ? exit.value.isStirred
    : !Option.exists(Exit.findErrorOption(exit), ({ _tag }) => _tag === "MessageNotFound")

/**
 * Names an event within its message's history: by the provider's own id of it if there is one, by which a repeat is
 * recognised whatever its time.
 */
const stepOf = ({ event, eventId }: Observed): string => eventId === undefined ? event : `${event}:${eventId}`

/**
 * The second door (`Journal.observe`): locks the message row, applies the lifecycle table to the stored status, and
 * writes status, first time and history together. If the event changes the message's due time, the shard's owner is
 * told, on this node or another.
 */
export const observe = (sql: SqlClient.SqlClient, handover: Handover["Service"]): Journal["Service"]["observe"] => {
  /**
   * A statement of its own, after the lock is granted: the locking statement, if it had to wait, would see the calls as
   * they were before.
   */
  const find = (observed: Observed) => {
    const { eventId, id, scope } = observed
    return Effect.flatMap(
      sql`select coalesce(json_agg(json_build_object('number', number, 'channel', channel, 'provider', provider,
          'state', state, 'kind', kind, 'startedAt', started_at,
          'endedAt', ended_at, 'reference', reference) order by number), '[]')::text as calls,
        ${eventId !== undefined} and exists (
          select from history where scope = ${scope} and message_id = ${id} and step = ${stepOf(observed)}) as repeated
      from attempts where scope = ${scope} and message_id = ${id}`,
      decodeFound
    )
  }

  const move = Effect.fnUntraced(function*(
    observed: Observed,
    { dueAt, observation: { after, applied }, sentAt }: Verdict,
    history: HistoryEvent
  ) {
    const { event, id, reason, scope } = observed
    const stamp = columns.get(event)
    yield* sql`update messages set status = ${after},
        reason = ${applied && reason !== undefined ? sql`${reason}` : sql`reason`},
        error = ${applied && history.error !== undefined ? sql`${history.error}` : sql`error`},
        sent_at = coalesce(sent_at, ${sentAt ?? (event === "Send" ? history.ts : null)}::bigint),
        due_at = ${event === "Cancel" ? sql`null` : dueAt === undefined ? sql`due_at` : sql`${dueAt}`}
        ${
      stamp === undefined || event === "Send" ? sql`` : sql`, ${sql(stamp)} = coalesce(${sql(stamp)}, ${history.ts})`
    }
      where scope = ${scope} and id = ${id}`
    yield* sql`insert into history (scope, message_id, at, step, events)
      values (${scope}, ${id}, ${history.ts}, ${stepOf(observed)}, ${yield* encodeEvents([history])})
      on conflict do nothing`
  })

  const prove = ({ id, scope }: Observed, { endedAt, error, kind, number, reference }: Proof) =>
    sql`update attempts set state = 'accepted', kind = ${kind}, reference = ${reference}, error = ${error},
        ended_at = ${endedAt}
      where scope = ${scope} and message_id = ${id} and number = ${number}`

  return Effect.fnUntraced(
    function*(observed) {
      const { id, scope } = observed
      const now = yield* Clock.currentTimeMillis
      const [stored] = yield* Effect.flatMap(
        sql`select status, due_at::float8 as "dueAt", shard from messages
          where scope = ${scope} and id = ${id} for update`,
        decodeStored
      )
      if (stored === undefined) return yield* new MessageNotFound({ id })
      const [found] = yield* find(observed)
      const { dueAt, shard, status } = stored
      const verdict = weigh({ ...found, status, dueAt: dueAt ?? undefined }, observed, now)
      const { history, observation, proof } = verdict
      if (history !== undefined) yield* move(observed, verdict, history)
      if (proof !== undefined) yield* prove(observed, proof)
      const isStirred = verdict.dueAt !== undefined
      if (isStirred && !handover.owns(shard)) yield* sql`select pg_notify('tidings_due', ${String(shard)})`
      return { observation, isStirred }
    },
    sql.withTransaction,
    orUnavailable,
    Effect.onExit((exit) => mayBeStirred(exit) ? handover.behind(Lane.literals) : Effect.void),
    Effect.map(({ observation }) => observation)
  )
}
