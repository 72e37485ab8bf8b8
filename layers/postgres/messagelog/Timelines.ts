import * as Events from "#layers/postgres/journal/Events.ts"
import * as Frames from "#layers/postgres/journal/Frames.ts"
import * as Outputs from "#layers/postgres/journal/Outputs.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { MessageNotFound } from "#src/delivery/Journal.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const decodeMessages = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ enqueued: Schema.Number })))
const Row = Schema.Struct({
  events: Schema.fromJsonString(Events.Stored),
  output: Schema.NullOr(Schema.fromJsonString(Outputs.Stored))
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const at = (events: ReadonlyArray<HistoryEvent>): number => events.at(-1)?.ts ?? 0

/**
 * Reads a message's timeline. ENQUEUED comes from the message's row; the lines of an attempt's intent and outcome from
 * the attempt's row; those of every other step from a row of `history`. A step's place is the time of its last line.
 * Within one millisecond, the acceptance comes first, then the attempts by number, then the other steps in the order of
 * their transaction ids. What an attempt rendered is stored with a message of the same request, so that only the
 * partition of its day is opened.
 */
export const read = (sql: SqlClient.SqlClient) => {
  const framesOf = Frames.find(sql)
  return Effect.fnUntraced(function*(scope: Scope, id: MessageId) {
    const [message] =
      yield* sql`select enqueued_at::float8 as enqueued from messages where scope = ${scope} and id = ${id}`
        .pipe(Effect.flatMap(decodeMessages))
    if (message === undefined) return yield* new MessageNotFound({ id })
    const rows = yield* sql`
      with called as (
        select a.number, a.intent_events, a.outcome_events, o.rendered from attempts a
        left join outputs o on o.scope = a.scope and o.message_id = a.output_of and o.number = a.number
          and o.message_id >= ${Ids.origin(id)} and o.message_id < ${`${Ids.origin(id)}g`}
        where a.scope = ${scope} and a.message_id = ${id}),
      lines as (
        select events, null as output, case step when 'accept' then 0 else 2 end as kind, xmin::text::bigint as nth, step
          from history where scope = ${scope} and message_id = ${id}
        union all select intent_events, rendered, 1, number * 2, '' from called
        union all select outcome_events, rendered, 1, number * 2 + 1, '' from called)
      select events, output from lines where events is not null order by kind, nth, step`.pipe(
      Effect.flatMap(decodeRows)
    )
    const frames = yield* framesOf(scope, rows.flatMap(({ output }) => output?.frame?.name ?? []))
    const first: HistoryEvent = { type: "ENQUEUED", ts: message.enqueued }
    const steps = rows.map(({ events, output }) => ({ events: Events.of(events), output })).toSorted((a, b) =>
      at(a.events) - at(b.events)
    )
    return [
      first,
      ...steps.flatMap(({ events, output }) =>
        Events.withOutput(events, output === null ? undefined : Outputs.whole(output, frames))
      )
    ]
  })
}
