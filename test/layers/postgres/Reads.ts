import { Array, Deferred, Effect, Fiber, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Number })]))

/** By how much a count rises while an effect runs; both in one transaction, whose statements alone are counted. */
const rising = Effect.fnUntraced(function*<A, E, R>(counted: Statement.Fragment, effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const count = Effect.map(Effect.flatMap(sql`${counted}`, decode), ([{ count }]) => count)
  return yield* sql.withTransaction(Effect.gen(function*() {
    const before = yield* count
    const result = yield* effect
    return { result, rise: (yield* count) - before }
  }))
})

/** How many rows of a table its statements went through, its days' too; all of it in one transaction. */
export const rows = Effect.fnUntraced(function*<A, E, R>(table: string, effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const read = sql`select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 as count
    from pg_stat_xact_all_tables where relid = ${table}::regclass
      or relid in (select inhrelid from pg_inherits where inhparent = ${table}::regclass)`
  const { result, rise } = yield* rising(read, effect)
  return { result, rows: rise }
})

/** How many days of a table its statements opened; all of it in one transaction. */
export const days = Effect.fnUntraced(function*<A, E, R>(table: string, effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(Effect.gen(function*() {
    const result = yield* effect
    const [{ count }] = yield* Effect.flatMap(
      sql`select count(distinct relation)::float8 as count from pg_locks
        where pid = pg_backend_pid() and relation in (select inhrelid from pg_inherits where inhparent = ${table}::regclass)`,
      decode
    )
    return { result, days: count }
  }))
})

const decodeLocked = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ locked: Schema.Number })))

/** How many days of a table its transaction has locked when it comes to one of them, of which it is kept until then. */
export const daysBefore = Effect.fnUntraced(
  function*<A, E, R>(table: string, day: string, effect: Effect.Effect<A, E, R>) {
    const sql = yield* SqlClient.SqlClient
    const locked = sql`select count(*) filter (where l.mode <> 'AccessExclusiveLock')::float8 as locked
      from pg_locks w join pg_locks l on l.pid = w.pid and l.granted
        and l.relation in (select inhrelid from pg_inherits where inhparent = ${table}::regclass)
      where not w.granted and w.relation = ${day}::regclass having count(*) > 0`.pipe(Effect.flatMap(decodeLocked))
    const isKept = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkScoped(Effect.andThen(Deferred.await(isKept), effect))
    const days = yield* sql.withTransaction(Effect.gen(function*() {
      yield* sql`lock table ${sql(day)}`
      yield* Deferred.succeed(isKept, undefined)
      const [found] = yield* Effect.repeat(locked, { until: Array.isReadonlyArrayNonEmpty })
      return found?.locked ?? 0
    }))
    return { days, result: yield* Fiber.join(fiber) }
  },
  Effect.scoped
)

/** How many blocks of a table and its indexes its statements fetched, its days' too; all of it in one transaction. */
export const blocks = Effect.fnUntraced(function*<A, E, R>(table: string, effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const fetched = sql`select coalesce(sum(pg_stat_get_xact_blocks_fetched(oid)), 0)::float8 as count
    from pg_class where relname like ${`${table}%`}`
  const { result, rise } = yield* rising(fetched, effect)
  return { result, blocks: rise }
})
