import { Shards } from "#src/delivery/Shards.ts"
import * as Outage from "#src/store/Outage.ts"
import * as Patience from "#src/store/Patience.ts"
import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Layer, Queue, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(2))])

/** How often the nodes are counted, and for how long after one has said that it joins nobody believes to be alone, in ms. */
const counted = 2_000
const joining = 10_000

/** By how much a clock that goes on may get ahead between two counts, in ms. */
const stepped = 1_000

/** A node that was not heard of for so long, in ms, is not there. */
const silence = 60_000

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ nodes: Schema.Int })]))

/**
 * Wakes this node when another one accepts for its shards, and tells it whether there is another one. What was told while nobody listened
 * is in the rows: after each (re)listen everything due is read, and after the database's clock was set ahead. A node says that it joins before it
 * accepts anything.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const shards = yield* Shards
  const self = `join ${yield* (yield* SecureRandom.SecureRandom).uuidV4()}`
  const patiently = yield* Patience.asking(Patience.callers)
  let joinedAt = -Infinity
  let listening = false
  let offset = Infinity

  yield* shards.alone(false)
  yield* sql`select pg_notify('tidings_due', ${self})`

  const outage = Outage.make({
    lost: (error) => Effect.logWarning("no longer told of new messages", error),
    found: Effect.logInfo("told of new messages again")
  })

  const listen = Effect.gen(function*() {
    const notifications = yield* sql.listen("tidings_due")
    yield* outage.found()
    yield* shards.wake
    listening = true
    while (true) {
      const { payload } = yield* Queue.take(notifications)
      if (payload.startsWith("join")) {
        if (payload === self) continue
        joinedAt = yield* Clock.currentTimeMillis
        yield* shards.alone(false)
        continue
      }
      const owned = yield* shards.owned
      if (payload.split(",").some((shard) => owned.includes(Number(shard)))) yield* shards.wake
    }
  }).pipe(
    Effect.scoped,
    Effect.ensuring(Effect.suspend(() => {
      listening = false
      return shards.alone(false)
    }))
  )

  /** Who sleeps until something is due has reckoned with the clock as it was. */
  const wakeAfterStep = Effect.fnUntraced(function*(now: number) {
    const before = offset
    offset = now - Number((yield* Clock.monotonicTimeNanos) / 1_000_000n)
    if (offset - before > stepped) yield* shards.wake
  })

  const count = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    yield* wakeAfterStep(now)
    const [{ nodes }] = yield* decode(
      yield* sql`select count(*)::int as nodes from cluster_runners
        where extract(epoch from last_heartbeat at time zone current_setting('TimeZone')) * 1000 > ${now - silence}`
    )
    yield* shards.alone(listening && nodes <= 1 && now - joinedAt > joining)
  }).pipe(
    patiently,
    Effect.catchCause((cause) =>
      Effect.andThen(Effect.logDebug("the nodes were not counted", cause), shards.alone(false))
    )
  )

  yield* listen.pipe(
    Effect.tapError((error) => outage.lost(error)),
    Effect.retry(backoff),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("listening for new messages crashed", defect), Effect.sleep("2 seconds"))
    ),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.andThen(Effect.sleep(counted), count).pipe(Effect.forever, Effect.forkScoped)
}))
