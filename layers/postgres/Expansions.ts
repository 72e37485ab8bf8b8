import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import { Looks } from "#layers/postgres/statements/Looks.ts"
import { OpenSince } from "#layers/postgres/days/OpenDays.ts"
import { OpenFrom } from "#layers/postgres/days/OpenRows.ts"
import * as Expand from "#layers/postgres/journal/Expand.ts"
import * as Ready from "#layers/postgres/journal/Ready.ts"
import * as Unreadable from "#layers/postgres/journal/Unreadable.ts"
import * as Filters from "#layers/postgres/messagelog/Filters.ts"
import * as Requests from "#layers/postgres/messagelog/Requests.ts"
import * as DueNotice from "#layers/postgres/notices/DueNotice.ts"
import * as Owners from "#layers/postgres/notices/Owners.ts"
import * as Hearers from "#layers/postgres/webhooks/Hearers.ts"
import { isRefusal, orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import { OpenExpansion } from "#src/delivery/Expansion.ts"
import { Expansions, longestPause } from "#src/delivery/expansion/Expansions.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { RowRefused } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { RequestNotFound } from "#src/reports/MessageLog.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Effect, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"

const readOpen = Unreadable.sorted(OpenExpansion)
const decodeNext = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ next: Schema.NullOr(Schema.Number) })))
const decodeBacklog = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ backlogged: Schema.Boolean })))
/**
 * Each turn is looked up by itself, and in no order: `= any(…)`, once prepared, passed the rows of all turns that sort
 * between, and an order was made by sorting all that a turn has. `$2`: `OpenSince`. `$3`: the lowest open `seq`.
 */
const backlogged = `select exists (select from unnest($1::text[]) as t(turn) cross join lateral (
    select from messages m where m.lane = 'bulk' and m.due_at = 0 and m.id >= $2 and m.seq >= $3
      and ${Ready.turnOf("m")} = t.turn collate "C" limit $4::bigint + 1) one
  offset $4 limit 1) as backlogged`

/**
 * Repeats a step after a lost connection or a deadlock. If the first try did commit after all, its repeat changes
 * nothing (`Advance`).
 */
const again = Schedule.exponential("20 millis").pipe(Schedule.upTo({ times: 5 }))

const ownersPatience = "20 seconds"

/** The expansions on Postgres. */
export const layer = Layer.effect(
  Expansions,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const handover = yield* Handover
    const since = yield* OpenSince
    const from = yield* OpenFrom
    const write = Expand.write(sql)
    const hears = yield* Hearers.make
    const owners = yield* Owners.Owners
    const patiently = yield* Patience.within(ownersPatience)
    const looking = yield* Patience.asking(yield* Looks)

    return Expansions.of({
      open: Effect.fnUntraced(
        function*(shards, now, limit) {
          const { bad, good } = readOpen(
            yield* sql`select id, scope, shard, key_state as "keyState", recipients, instructions, place, tries,
            epoch::float8 as epoch, accepted_at::float8 as "acceptedAt"
          from expansions where due_at is not null and (due_at <= ${now} or due_at > ${
              now + longestPause
            }) and shard = any(${shards}::smallint[])
          order by advanced_at, id limit ${limit}`
          )
          yield* Unreadable.setAside(sql, "expansion", bad)
          const next = yield* sql`select min(due_at)::float8 as next from expansions
          where due_at > ${now} and shard = any(${shards}::smallint[])`.pipe(Effect.flatMap(decodeNext))
          return { rows: good, next: next[0]?.next ?? undefined }
        },
        orUnavailable,
        looking
      ),
      advance: Effect.fnUntraced(function*(step) {
        const { page } = step
        const work = page === undefined ? [] : page.members.map(({ shard }) => ({ shard, kind: page.common.lane }))
        const isHeard = yield* hears([step.expansion.scope])
        return yield* owners.telling(work, write(step, isHeard)).pipe(
          Effect.retry({ schedule: again, while: (error) => !isRefusal(error) }),
          patiently,
          Effect.mapError((error) =>
            isSqlError(error) && isRefusal(error)
              ? new RowRefused({ cause: error })
              : new StoreUnavailable({ cause: error })
          )
        )
      }),
      isBacklogged: Effect.fnUntraced(
        function*(most, turns) {
          const params = [turns, since(), BigInt(from("bulk").seq), most]
          const rows = yield* sql.unsafe(backlogged, params).pipe(Effect.flatMap(decodeBacklog))
          return rows[0]?.backlogged ?? false
        },
        inOrder(sql),
        orUnavailable,
        looking
      ),
      find: Effect.fnUntraced(function*(scope: Scope, id: MessageId) {
        const rows = yield* sql`
          select 0 as rank, ${sql.literal(Requests.columns)} from expansions where scope = ${scope} and id = ${id}
          union all
          select 1, ${id}, 'COMPLETED', count(*)::float8, min(enqueued_at)::float8, min(enqueued_at)::float8, null, coalesce(bool_and(archived), false)
          from (select enqueued_at, archived from messages where scope = ${scope} and id = ${id} and request_id = ${id}
            union all
            select * from (select enqueued_at, archived from messages m
              where scope = ${scope} and ${Filters.ofRequest(sql, id)}
                and not exists (select from messages where scope = ${scope} and id = ${id})
                and not exists (select from expansions where scope = ${scope} and id = ${id}) limit 100) several) m
          having count(*) > 0
          order by rank`.pipe(
          Effect.flatMap(Requests.decode)
        )
        const found = Array.head(rows)
        return Option.isSome(found) ? Requests.record(found.value) : yield* new RequestNotFound({ id })
      }, orUnavailable),
      resume: Effect.fnUntraced(function*(scope, id) {
        yield* sql`with resumed as (update expansions set state = 'RUNNING', due_at = 0, tries = 0, epoch = 0, error = null, ended_at = null
            where scope = ${scope} and id = ${id} and state = 'FAILED' returning shard)
          select pg_notify(${DueNotice.channel}, shard::text || ',expansions')::text from resumed`
        yield* sql.afterCommit(handover.stir)
      }, orUnavailable)
    })
  })
).pipe(Layer.provide(Owners.layer))
