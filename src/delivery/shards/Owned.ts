import type { Journal } from "#src/delivery/Journal.ts"
import { retried } from "#src/delivery/shards/Retried.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Outage from "#src/store/Outage.ts"
import { Clock, Deferred, Duration, Effect, Exit, Latch, Metric, Schedule } from "effect"

/** A shard in this node's hands, under one epoch. `seq`: rows up to it were there before. */
export interface Owner {
  readonly shard: number
  readonly epoch: number
  readonly seq: number
  readonly fenced: Deferred.Deferred<void>
  running: number
  draining: boolean
  readonly idle: Latch.Latch
}

/** How long a hand-over waits for running steps (design.md §4). */
const drainTime = "15 seconds"

/**
 * After a fence, or a time in which the process stood still, the shard is probably another node's, and the cluster is about to stop us: taking a
 * new epoch at once would fence the rightful owner. Longer than the cluster's lock refresh.
 */
const afterFence = "5 seconds"

/** A predecessor that had not learnt of its end may have accepted rows for itself until then: they are looked for once more. */
const lateRows = "10 seconds"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(5))]).pipe(
  Schedule.jittered
)

/** No wait before a claim is as long, in ns. Whoever comes out of one later stood still, for as long as others may have owned the shard. */
const longestWait = 7_000_000_000n

const stoodStillSince = (nanos: bigint) => Effect.map(Clock.monotonicTimeNanos, (now) => now - nanos > longestWait)

/** What a process that stood still was told meanwhile, it hears when it looks: it waits once more. */
const pause = Effect.gen(function*() {
  const began = yield* Clock.monotonicTimeNanos
  yield* Effect.sleep(afterFence)
  return yield* stoodStillSince(began)
}).pipe(Effect.repeat({ while: (stoodStill) => stoodStill }))

/** The shards of this node and who is at work in them. */
export const make = (journal: Journal["Service"]) => {
  const owners = new Map<number, Owner>()
  const outage = Outage.make({
    lost: (error) => Effect.logWarning("cannot take shards", error),
    found: Effect.logInfo("shards are taken again")
  })

  const drain = (owner: Owner) =>
    Effect.gen(function*() {
      owner.draining = true
      if (owner.running > 0) {
        yield* owner.idle.await.pipe(Effect.timeoutOption(drainTime))
      }
      if (owners.get(owner.shard) === owner) owners.delete(owner.shard)
    })

  /** One epoch of a shard, from its beginning to the write that another owner's epoch refused. */
  const epoch = Effect.fnUntraced(function*(shard: number, node: string, onTaken: Effect.Effect<void>) {
    let failedAt: bigint | undefined
    // Who is to hand the shard over waits for the answer: an epoch that comes after its successor's would fence that one.
    const take = Effect.gen(function*() {
      if (failedAt !== undefined && (yield* stoodStillSince(failedAt))) yield* pause
      return yield* Effect.uninterruptible(journal.take(shard, node, yield* Clock.currentTimeMillis))
    }).pipe(Effect.tapError(Effect.fnUntraced(function*(error) {
      failedAt = yield* Clock.monotonicTimeNanos
      yield* outage.lost(error, shard)
    })))
    const taken = yield* Effect.orDie(retried(take, backoff)).pipe(
      Effect.onExit((exit) => Exit.isSuccess(exit) ? outage.found(shard) : outage.leave(shard))
    )
    const owner: Owner = {
      shard,
      epoch: taken.epoch,
      seq: taken.seq,
      fenced: Deferred.makeUnsafe<void>(),
      running: 0,
      draining: false,
      idle: Latch.makeUnsafe()
    }
    yield* Effect.acquireUseRelease(
      Effect.sync(() => owners.set(shard, owner)),
      () =>
        onTaken.pipe(
          Effect.andThen(Deferred.await(owner.fenced).pipe(Effect.timeoutOption(lateRows))),
          Effect.andThen(onTaken),
          Effect.andThen(Deferred.await(owner.fenced))
        ),
      () => drain(owner)
    )
  })

  return {
    has: (shard: number): boolean => owners.get(shard)?.draining === false,
    shards: (): ReadonlyArray<number> => [...owners.keys()],
    window: (): ReadonlyArray<{ readonly shard: number; readonly takenAtSeq: number }> =>
      [...owners.values()].flatMap((owner) => owner.draining ? [] : [{ shard: owner.shard, takenAtSeq: owner.seq }]),
    find: (shard: number): Owner | undefined => owners.get(shard),
    /** Starts a step in a shard under the owner it was read by; `undefined` if that one owns it no more or is handing it over. */
    enter: (shard: number, owner: Owner | undefined): Owner | undefined => {
      if (owner === undefined || owner.draining || owners.get(shard) !== owner) return undefined
      owner.running++
      return owner
    },
    leave: (owner: Owner): void => {
      owner.running--
      if (owner.draining && owner.running === 0) Latch.openUnsafe(owner.idle)
    },
    lost: (owner: Owner): Effect.Effect<void> =>
      Effect.gen(function*() {
        yield* Metric.update(Metrics.fenced, 1)
        if (yield* Deferred.succeed(owner.fenced, undefined)) {
          yield* Effect.logWarning("fenced: another owner has the shard", { shard: owner.shard, epoch: owner.epoch })
        }
      }),
    /** Owns the shard epoch after epoch; a shard whose effect ends is not restarted, so this never ends but by interruption. */
    own: (shard: number, node: string, onTaken: Effect.Effect<void>): Effect.Effect<never> =>
      epoch(shard, node, onTaken).pipe(
        Effect.catchCause((cause) => Effect.logError("a shard's owner crashed", { shard }, cause)),
        Effect.andThen(pause),
        Effect.forever
      )
  }
}
