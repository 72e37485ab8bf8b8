import { bound } from "#layers/postgres/days/Partitions.ts"
import * as Audit from "#layers/postgres/retention/Audit.ts"
import { batch, scopes, untilNone } from "#layers/postgres/retention/Batches.ts"
import * as BulkJobs from "#layers/postgres/retention/BulkJobs.ts"
import * as Frames from "#layers/postgres/retention/Frames.ts"
import * as Leftovers from "#layers/postgres/retention/Leftovers.ts"
import { Clock, DateTime, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Messages first: a message that is gone from there is gone for readers, even if its other rows are still there. */
const tables = ["messages", "attempts", "history", "outputs"] as const

const day = 86_400_000

/** The longest wait for a lock on a table, in ms: short, since other sessions queue behind it, and soon tried again. */
const patience = 50
const again = Schedule.spaced("500 millis").pipe(Schedule.upTo({ times: 40 }))

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))
const decodeDetached = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ gone: Schema.Boolean })]))

/** The days, as `yyyymmdd`, of which a partition exists or was detached and not yet dropped. */
const daysOf = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const rows = yield* sql`select distinct right(relname, 8) as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relname ~ '^(messages|attempts|history|outputs)_[0-9]{8}$' order by 1`.pipe(Effect.flatMap(decodeNames))
  return rows.map(({ name }) => name)
})

/** The start of a day, given as `yyyymmdd`. */
const startOf = (name: string): DateTime.Utc =>
  DateTime.makeUnsafe(Date.UTC(Number(name.slice(0, 4)), Number(name.slice(4, 6)) - 1, Number(name.slice(6))))

/** The ids of a day's messages: from the first of these, to before the second. */
const boundsOf = (name: string): readonly [from: string, to: string] => {
  const start = startOf(name)
  return [bound(start), bound(DateTime.add(start, { days: 1 }))]
}

/**
 * Detaches a day's messages from their table in one short transaction, unless one of them is open or belongs to a
 * request that still makes messages. That is checked under the lock, so that it cannot change meanwhile, and by indexes
 * alone: with old statistics, the planner would scan the day while nobody can send. The other days are not locked
 * (`only`), since one of them may be vacuumed for long; whoever writes to a day locks the whole table first.
 */
const detachMessages = (name: string, [from, to]: readonly [from: string, to: string]): string =>
  `do $$ begin
    perform set_config('lock_timeout', '${patience}', true), set_config('enable_seqscan', 'off', true);
    if exists (select from pg_inherits where inhrelid = to_regclass('messages_${name}')) then
      lock table only messages in access exclusive mode;
      if not exists (select from messages_${name} where due_at = 0) and not exists (select from messages_${name} where due_at > 0)
        and not exists (select from expansions where due_at is not null and id >= '${from}' and id < '${to}') then
        alter table messages detach partition messages_${name};
      end if;
    end if;
  end $$`

const detach = (table: string, name: string): string =>
  `do $$ begin
    perform set_config('lock_timeout', '${patience}', true);
    if exists (select from pg_inherits where inhrelid = to_regclass('${table}_${name}')) then
      alter table ${table} detach partition ${table}_${name};
    end if;
  end $$`

const nameOf = (ms: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(ms)).replaceAll("-", "")

/**
 * Drops the messages, attempts, history, requests and inbox items of days that ended `days` ago or earlier. Each day is
 * detached under a lock that is waited for only briefly, and dropped once no query can see it any more. A day with an
 * open message or request stays whole. Answers the days that were dropped.
 */
export const drop = Effect.fn("Retention.drop")(function*(sql: SqlClient.SqlClient, days: number) {
  const now = yield* Clock.currentTimeMillis
  const kept = nameOf(now - days * day)
  const patiently = (statement: string) => Effect.retry(sql.unsafe(statement).unprepared, again)
  const detachedDays: Array<string> = []
  for (const name of (yield* daysOf(sql)).filter((name) => name < kept)) {
    const bounds = boundsOf(name)
    yield* patiently(detachMessages(name, bounds))
    const [detached] = yield* decodeDetached(
      yield* sql`select not exists (select from pg_inherits where inhrelid = to_regclass(${`messages_${name}`})) as gone`
    )
    if (!detached.gone) continue
    yield* Effect.forEach(tables.slice(1), (table) => patiently(detach(table, name)), { discard: true })
    detachedDays.push(name)
  }
  // Before the tables are dropped: by these, a run after one that was interrupted finds the days again.
  yield* Leftovers.drop(sql, bound(startOf(kept)), detachedDays.length > 0)
  for (const name of detachedDays) {
    const [from, to] = boundsOf(name)
    yield* untilNone(sql`delete from list_requests where ctid = any(array(
      select ctid from list_requests where request_id >= ${from} and request_id < ${to} limit ${batch}::int)) returning 1`)
    for (const scope of yield* scopes(sql)) {
      yield* untilNone(BulkJobs.goingWith(
        sql,
        sql`delete from expansions where ctid = any(array(
          select ctid from expansions where scope = ${scope} and id >= ${from} and id < ${to}
          limit ${batch}::int)) returning scope, id`
      ))
    }
    yield* Effect.forEach(tables, (table) => sql.unsafe(`drop table if exists ${table}_${name}`).unprepared, {
      discard: true
    })
    yield* Effect.logInfo("dropped a day of messages", { day: name })
  }
  yield* BulkJobs.drop(sql, startOf(kept))
  const [oldest = kept] = yield* daysOf(sql)
  yield* Frames.drop(sql, startOf(oldest < kept ? oldest : kept))
  return detachedDays
})

/**
 * Runs soon after the start and every hour, given how many days are kept; `undefined` keeps everything. `what` is told
 * of a run that fails.
 */
const hourly = <E>(
  days: number | undefined,
  what: string,
  run: (sql: SqlClient.SqlClient, days: number) => Effect.Effect<unknown, E>
) =>
  days === undefined
    ? Layer.empty
    : Layer.effectDiscard(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.andThen(
        Effect.sleep("1 minute"),
        Effect.repeat(
          Effect.catchCause(run(sql, days), (cause) => Effect.logWarning(`old ${what} were not dropped`, cause)),
          Schedule.spaced("1 hour")
        )
      ).pipe(Effect.forkScoped)
    }))

/** Drops messages that are older than so many days, and the audit's events that are older than so many others. */
export const layer = ({ auditRetentionDays, retentionDays }: {
  readonly auditRetentionDays: number | undefined
  readonly retentionDays: number | undefined
}) =>
  Layer.merge(
    hourly(retentionDays, "messages", drop),
    hourly(auditRetentionDays, "audit events", (sql, days) =>
      Effect.flatMap(DateTime.now, (now) =>
        Audit.drop(sql, DateTime.subtract(now, { days }))))
  )
