import { Array, Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const samples = 5
const remeasured = "30 seconds"

/** At a smaller step back, the clock stands still until time catches up; at a larger one, the database's was set. */
const heldNanos = 5_000_000_000n

/**
 * A clock that runs with `local`'s monotonic one, `offset` ns ahead of it: against the monotonic clock, since the
 * host's wall clock may be stepped in between. The offset is measured now and every 30 s; a measurement that fails
 * leaves the last one.
 */
export const follow = Effect.fnUntraced(function*<E, R>(local: Clock.Clock, measure: Effect.Effect<bigint, E, R>) {
  let offset = yield* measure
  let latest = 0n

  const nanos = (): bigint => {
    const now = local.monotonicTimeNanosUnsafe() + offset
    if (now < latest && latest - now < heldNanos) return latest
    latest = now
    return now
  }
  const millis = (): number => Number(nanos() / 1_000_000n)

  yield* Effect.sleep(remeasured).pipe(
    Effect.andThen(measure),
    Effect.map((measured) => {
      offset = measured
    }),
    Effect.catchCause((cause) => Effect.logDebug("the database's clock was not read", cause)),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => local.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: local.monotonicTimeNanos,
    sleep: (duration) => local.sleep(duration)
  } satisfies Clock.Clock
})

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ micros: Schema.BigInt })]))

/** The offset of the database's clock: the median of a few round trips, each assumed to be answered half-way. */
const ahead = Effect.fn("DatabaseClock.measure")(function*(sql: SqlClient.SqlClient, local: Clock.Clock) {
  const offsets = yield* Effect.forEach(
    Array.range(1, samples),
    Effect.fnUntraced(function*() {
      const before = local.monotonicTimeNanosUnsafe()
      const rows = yield* sql`select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros`
      const after = local.monotonicTimeNanosUnsafe()
      const [{ micros }] = yield* decode(rows)
      return micros * 1_000n - (before + after) / 2n
    })
  )
  return offsets.toSorted((a, b) => (a < b ? -1 : 1))[samples >> 1] ?? 0n
})

/**
 * The clock of the database (P7): the same on every node, without asking for it. Monotonic readings and sleeps are the
 * host's. For a real Postgres; an embedded one has the host's clock already.
 */
export const layer = Layer.effect(
  Clock.Clock,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const local = yield* Clock.Clock
    return yield* follow(local, ahead(sql, local))
  })
)
