import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Text from "#schemas/Text.ts"
import { lease, type PendingTickets, PushTickets, Tickets } from "#src/reports/PushTickets.ts"
import * as Patience from "#src/store/Patience.ts"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const patience = "20 seconds"

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({
    scope: Scope,
    messageId: MessageId,
    attempt: Schema.Int,
    provider: Schema.String,
    tickets: Schema.String,
    reached: Schema.Boolean,
    sentAt: Schema.Number
  }))
)
const decodeTickets = Schema.decodeOption(Tickets)

const columns = "scope int, message_id text, number smallint, tickets text, reached boolean, due_at bigint"
const isSame = "t.scope = x.scope and t.message_id = x.message_id and t.number = x.number"

const rowOf = (
  { attempt, dueAt, messageId, reached, scope, tickets }: PendingTickets & { readonly dueAt: number | undefined }
) => ({ scope, message_id: messageId, number: attempt, tickets: JSON.stringify(tickets), reached, due_at: dueAt })

/** The order in which rows are locked, by `Profiles.remove` too: in unequal orders, two could deadlock. */
const inOrder = (a: ReturnType<typeof rowOf>, b: ReturnType<typeof rowOf>): number =>
  a.scope - b.scope || Text.compare(a.message_id, b.message_id) || a.number - b.number

/** The tickets of pushes on Postgres. */
export const layer = Layer.effect(
  PushTickets,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const patiently = yield* Patience.asking(patience)

    return PushTickets.of({
      take: Effect.fnUntraced(
        function*(limit) {
          const now = yield* Clock.currentTimeMillis
          const rows = yield* sql`update push_tickets set due_at = ${now + lease}::bigint where ctid = any(array(
              select ctid from push_tickets where due_at <= ${now}::bigint
              order by due_at limit ${limit}::int for update skip locked))
            returning scope, message_id as "messageId", number as attempt, provider, tickets, reached,
              sent_at::float8 as "sentAt"`.pipe(Effect.flatMap(decode))
          // Of tickets that do not decode nothing is left, and so the row is not kept.
          return rows.map((row) => ({ ...row, tickets: Option.getOrElse(decodeTickets(row.tickets), () => []) }))
        },
        orUnavailable,
        patiently
      ),
      keep: Effect.fnUntraced(
        function*(left) {
          yield* sql.unsafe(
            `with held as materialized (select x.*, t.place from json_to_recordset($1::json) as x(${columns}) cross join lateral (
                select ctid as place from push_tickets t where ${isSame} for update) t),
            gone as (delete from push_tickets where ctid = any(array(select place from held where due_at is null)))
            update push_tickets t set tickets = x.tickets, reached = x.reached, due_at = x.due_at
              from held x where t.ctid = x.place and x.due_at is not null`,
            [JSON.stringify(left.map(rowOf).toSorted(inOrder))]
          )
        },
        orUnavailable,
        patiently
      )
    })
  })
)
