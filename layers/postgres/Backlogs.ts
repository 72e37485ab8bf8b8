import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import { OpenSince } from "#layers/postgres/days/OpenDays.ts"
import { Lane } from "#src/delivery/journal/OpenMessage.ts"
import * as Overdue from "#layers/postgres/statements/Overdue.ts"
import * as Room from "#layers/postgres/Room.ts"
import { isLockTimeout, orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { Backlogs } from "#src/reports/Backlog.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"

const { counted } = Overdue

/** How long to wait for a lock, in ms: less than a health check waits. */
const patience = 1_000

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ depth: Schema.Number, oldest: Schema.NullOr(Schema.Number) })])
)
const decodeLater = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ delay: Schema.Int, retry: Schema.Int, escalation: Schema.Int, requests: Schema.Int })])
)

export const layer = Layer.effect(
  Backlogs,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const since = yield* OpenSince
    const overdue = yield* Overdue.make
    const room = yield* Room.Room
    return Backlogs.of({
      measure: Effect.fnUntraced(
        function*(now) {
          const [{ depth, oldest }] = yield* sql`select least(count(*), ${counted})::float8 as depth,
            min(since)::float8 as oldest from ${overdue(now)}`.pipe(Effect.flatMap(decode))
          const [{ requests, ...waiting }] = yield* sql`
          select (count(*) filter (where status = 'DELAYED'))::int as delay,
            (count(*) filter (where status in ('ENQUEUED', 'ROUTED')))::int as retry,
            (count(*) filter (where status not in ('DELAYED', 'ENQUEUED', 'ROUTED')))::int as escalation,
            (select count(*)::int from (select from expansions where due_at is not null order by shard, due_at limit ${counted}) open) as requests
          from (
            select status from unnest(${Lane.literals}::text[]) lanes (lane), lateral (
              select status, due_at from messages where lane = lanes.lane and due_at > 0 and due_at > ${now} and id >= ${since()}
              order by due_at limit ${counted}
            ) later order by due_at limit ${counted}
          ) waiting`.pipe(Effect.flatMap(decodeLater))
          return { depth, waiting, requests, counted, oldestDueMs: oldest ?? undefined }
        },
        inOrder(sql),
        orUnavailable
      ),
      isWritable: sql`select 1 where not current_setting('transaction_read_only')::boolean`.pipe(
        Effect.map((rows) => rows.length > 0),
        orUnavailable
      ),
      hasRoom: room.isLeft,
      // Asks for the lock that a write takes, on the partitioned tables alone (`only`) and not on their partitions.
      isLocked: sql.withTransaction(Effect.gen(function*() {
        yield* sql`select set_config('lock_timeout', ${String(patience)}, true)`
        yield* sql`lock table only messages, only history, only attempts in row exclusive mode`
      })).pipe(
        Effect.as(false),
        Effect.catchIf((error) => SqlError.isSqlError(error) && isLockTimeout(error), () => Effect.succeed(true)),
        orUnavailable
      )
    })
  })
).pipe(Layer.provide(Room.layer))
