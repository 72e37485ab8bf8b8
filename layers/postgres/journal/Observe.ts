import { HistoryEvent } from "#schemas/History.ts"
import { Status } from "#schemas/Status.ts"
import { stamps } from "#layers/postgres/journal/Stamps.ts"
import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { type Journal, MessageNotFound, type Observation } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"

const Stored = Schema.Struct({ status: Status, inFlight: Schema.Boolean })
const encodeEvents = Schema.encodeEffect(Schema.fromJsonString(Schema.Array(HistoryEvent)))

const columns = new Map(stamps)

/** The second door: locks the message row, applies the table to what is stored, and writes status, first time and history together. */
export const observe = (sql: SqlClient.SqlClient): Journal["Service"]["observe"] => {
  const find = SqlSchema.findAll({
    Request: Schema.Struct({ scope: Schema.Int, id: Schema.String }),
    Result: Stored,
    execute: ({ id, scope }) =>
      sql`select status, exists (
          select from attempts a where a.scope = m.scope and a.message_id = m.id and a.state = 'intent') as "inFlight"
        from messages m where scope = ${scope} and id = ${id} for update`
  })
  return ({ event, history, id, reason, scope }) =>
    Effect.gen(function*() {
      const [stored] = yield* find({ scope, id })
      if (stored === undefined) return yield* new MessageNotFound({ id })
      const barred = event === "Cancel" && stored.inFlight
      const applied = !barred && Lifecycle.allows(stored.status, event)
      const after = applied ? Lifecycle.next(stored.status, event) : stored.status
      // A late lower event still leaves its time and its line (api.md 26.2); a refused cancel leaves nothing.
      if (applied || event !== "Cancel") {
        const stamp = columns.get(event)
        yield* sql`update messages set status = ${after},
            reason = ${applied && reason !== undefined ? sql`${reason}` : sql`reason`},
            due_at = ${event === "Cancel" ? sql`null` : sql`due_at`}
            ${stamp === undefined ? sql`` : sql`, ${sql(stamp)} = coalesce(${sql(stamp)}, ${history.ts})`}
          where scope = ${scope} and id = ${id}`
        yield* sql`insert into history (scope, message_id, at, step, events)
          values (${scope}, ${id}, ${history.ts}, ${event}, ${yield* encodeEvents([history])}) on conflict do nothing`
      }
      return { before: stored.status, after, applied, inFlight: stored.inFlight } satisfies Observation
    }).pipe(sql.withTransaction, orUnavailable)
}
