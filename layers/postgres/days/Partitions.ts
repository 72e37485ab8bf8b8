import { isRefusal } from "#layers/postgres/statements/StoreErrors.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Array, Clock, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Each is partitioned by message id; a day carries the same name in all. */
const tables = ["messages", "attempts", "history", "outputs"] as const

/**
 * How full a page is filled by inserts, in percent. A message's intent rewrites its row soon after all its page was inserted: with room for a
 * second version of each row, the new one needs no index entries. History and outputs are only added to.
 */
const fillFactors = { messages: 45, attempts: 50, history: 100, outputs: 100 } as const

const daysBehind = 1
const daysAhead = 7

/** How soon a day that could not be made is tried again, and how often the day is looked at: the clock may be set. In ms. */
const again = Duration.toMillis("10 minutes")

/**
 * The longest wait for a lock on a table, in ms. A statement that opens the default partition queues behind the waiter,
 * and a backup holds that partition for hours: each try in these delays such statements by as much.
 */
const patience = 200

/** Any number will do, so long as every node takes the same. */
const lock = 7_311_842

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Where the ids of a day begin. */
export const bound = (day: DateTime.Utc): string => Ids.from(day.epochMilliseconds)

const nameOf = (table: string, day: DateTime.Utc): string =>
  `${table}_${DateTime.formatIsoDateUtc(day).replaceAll("-", "")}`

/** SQL: the name of the first day of which there are partitions. */
export const firstDay = `(select min(substring(c.relname from '[0-9]{8}$')) from pg_inherits i
  join pg_class c on c.oid = i.inhrelid where i.inhparent = 'messages'::regclass)`

/** The day of a name. */
export const dayOf = (name: string | null): DateTime.Utc | undefined =>
  name === null ? undefined : DateTime.makeUnsafe(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6)}T00:00:00Z`)

const wanted = (now: DateTime.Utc): ReadonlyArray<DateTime.Utc> => {
  const today = DateTime.startOf(now, "day")
  return Array.makeBy(daysBehind + 1 + daysAhead, (index) => DateTime.add(today, { days: index - daysBehind }))
}

/**
 * One statement, one commit. Attaching takes a weaker lock on the parent than `create … partition of`: readers and
 * writers go on. The default partition is locked against both, since it must not have rows of the day.
 */
const creation = (day: DateTime.Utc): string =>
  `do $$ begin
    perform set_config('lock_timeout', '2000', true);
    perform pg_advisory_xact_lock(${lock});
    perform set_config('lock_timeout', '${patience}', true);
    ${
    tables.map((table) =>
      `if to_regclass('${nameOf(table, day)}') is null then
        create table ${
        nameOf(table, day)
      } (like ${table} including defaults including compression) with (fillfactor = ${fillFactors[table]});
        alter table ${table} attach partition ${nameOf(table, day)}
          for values from ('${bound(day)}') to ('${bound(DateTime.add(day, { days: 1 }))}');
      end if;`
    ).join("\n")
  }
  end $$`

/**
 * Makes a day's partitions, and answers whether to leave it at that. If the default partition has rows of the day,
 * another try would fail as well.
 */
export const make = (sql: SqlClient.SqlClient, day: DateTime.Utc) =>
  sql.unsafe(creation(day)).unprepared.pipe(
    Effect.as(true),
    Effect.catch((error) =>
      Effect.as(Effect.logWarning("no partition for", DateTime.formatIsoDateUtc(day), error), isRefusal(error))
    )
  )

/**
 * Creates the daily partitions that are missing around today, and answers whether that is done: if not, it is worth
 * another try soon. A day that fails is logged: the default partition takes its rows.
 */
export const ensure = Effect.fn("Partitions.ensure")(function*(sql: SqlClient.SqlClient) {
  const now = yield* DateTime.now
  const rows = yield* sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any(${tables}::text[]::regclass[])`.pipe(Effect.flatMap(decodeNames))
  const existing = new Set(rows.map((row) => row.name))
  const missing = wanted(now).filter((day) => tables.some((table) => !existing.has(nameOf(table, day))))
  const ends = yield* Effect.forEach(missing, (day) => make(sql, day))
  return ends.every((isDone) => isDone)
}, Effect.catchCause((cause) => Effect.as(Effect.logWarning("the partitions are unknown", cause), false)))

const untilMidnight = Effect.map(Clock.currentTimeMillis, (now) => 86_400_000 - now % 86_400_000)

const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/**
 * Today's partitions before anything is written, and each midnight (UTC) the ones of a week ahead; within ten minutes
 * where the clock is set to another day. If a day could not be made, as while a backup reads the default partition, it is
 * tried again every ten minutes.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  /** The day on which all was made. */
  let done: string | undefined
  const look = Effect.gen(function*() {
    const day = yield* today
    if (day !== done) done = (yield* ensure(sql)) ? day : undefined
  })
  yield* look
  yield* Effect.gen(function*() {
    yield* Effect.sleep(Math.min(again, yield* untilMidnight))
    yield* look
  }).pipe(Effect.forever, Effect.forkScoped)
}))
