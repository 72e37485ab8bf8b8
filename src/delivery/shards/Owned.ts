import type { Journal } from "#src/delivery/Journal.ts"
import { retried } from "#src/delivery/shards/Retried.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Outage from "#src/store/Outage.ts"
import { Clock, Deferred, Duration, Effect, Exit, Latch, Metric, Schedule } from "effect"

/** A shard in this node's hands, under one epoch. */
export interface Owner {
  readonly shard: number
  readonly epoch: number
  /** Rows up to this `seq` were there when the shard was taken. */
  readonly seq: number
  /** Done once a write was refused because another owner has the shard. */
  readonly fenced: Deferred.Deferred<void>
  /** Steps under way in the shard. */
  running: number
  /** While the shard is handed over: until when that waits for its steps, in monotonic ns. No step begins then. */
  drainsUntil: bigint | undefined
  /** Whether it is not handed over. */
  readonly mayBegin: () => boolean
  /** Done once it is. */
  readonly handedOver: Effect.Effect<void>
  /** Opened then. */
  readonly draining: Latch.Latch
  /** Opened when a draining shard has no step under way any more. */
  readonly idle: Latch.Latch
}

/** Whether the shard is handed over: no step begins in it any more. */
export const isDraining = ({ drainsUntil }: Pick<Owner, "drainsUntil">): boolean => drainsUntil !== undefined

/** How long a hand-over waits for running steps, in ns (design.md §4). */
const drainTime = 15_000_000_000n

/**
 * The pause before the next epoch. After a fence, or a time in which the process stood still, the shard is probably
 * another node's, and the cluster is about to stop this owner: a new epoch at once would fence the rightful one. Longer
 * than the cluster's lock refresh.
 */
const afterFence = "5 seconds"

/**
 * How long a predecessor may go on without learning of its end. What it accepts meanwhile it keeps to itself, so that
 * nobody is notified: the shard is read once more after this time.
 */
const lateRows = "10 seconds"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(5))]).pipe(
  Schedule.jittered
)

/**
 * In monotonic ns, longer than any wait before a claim. If more time has passed, the process stood still, and others
 * may have owned the shard meanwhile.
 */
const longestWait = 7_000_000_000n

const stoodStillSince = (nanos: bigint) => Effect.map(Clock.monotonicTimeNanos, (now) => now - nanos > longestWait)

/**
 * Waits `afterFence`; once more if the process stood still meanwhile, since only now it hears what it was told in that
 * time.
 */
const pause = Effect.gen(function*() {
  const began = yield* Clock.monotonicTimeNanos
  yield* Effect.sleep(afterFence)
  return yield* stoodStillSince(began)
}).pipe(Effect.repeat({ while: (stoodStill) => stoodStill }))

/**
 * The shards of this node, and how many steps are under way in each. `changed` is called after each change of the
 * shards in which steps may begin (`has`).
 */
export const make = (journal: Journal["Service"], changed: () => void = () => undefined) => {
  const owners = new Map<number, Owner>()
  const outage = Outage.make({
    lost: (error) => Effect.logWarning("cannot take shards", error),
    found: Effect.logInfo("shards are taken again")
  })

  let isStopping = false

  /** Begins to hand the shard over, unless that was begun before; answers until when that waits. */
  const close = (owner: Owner, now: bigint): bigint => {
    if (owner.drainsUntil === undefined) {
      owner.drainsUntil = now + drainTime
      changed()
      Latch.openUnsafe(owner.draining)
    }
    return owner.drainsUntil
  }

  let cutOffAt: bigint | undefined

  /** Tells once of all steps that are cut off at one time: a stop waits equally long for all shards. */
  const sayCutOff = (owner: Owner) =>
    Effect.suspend(() => {
      const { drainsUntil } = owner
      if (drainsUntil === cutOffAt) return Effect.void
      cutOffAt = drainsUntil
      const all = [...new Set([...owners.values(), owner])].filter((one) => one.drainsUntil === drainsUntil)
      return Effect.logWarning(
        "steps without an answer are cut off after 15 s; who owns their shards next takes them up",
        {
          steps: all.reduce((sum, { running }) => sum + running, 0)
        }
      )
    })

  const drain = (owner: Owner) =>
    Effect.gen(function*() {
      const now = yield* Clock.monotonicTimeNanos
      const until = close(owner, now)
      if (owner.running > 0 && until > now) {
        yield* owner.idle.await.pipe(Effect.timeoutOption(Duration.nanos(until - now)))
      }
      if (owner.running > 0) yield* sayCutOff(owner)
      if (owners.get(owner.shard) === owner) owners.delete(owner.shard)
    })

  /** One epoch of a shard: from taking it until a write is refused because another owner has it. */
  const epoch = Effect.fnUntraced(function*(shard: number, node: string, onTaken: Effect.Effect<void>) {
    if (isStopping) return yield* Effect.never
    let failedAt: bigint | undefined
    // Uninterruptible, so that a hand-over waits for the answer: an epoch taken after the successor's would fence the
    // successor.
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
    const draining = Latch.makeUnsafe()
    const owner: Owner = {
      shard,
      epoch: taken.epoch,
      seq: taken.seq,
      fenced: Deferred.makeUnsafe<void>(),
      running: 0,
      drainsUntil: undefined,
      mayBegin: () => !isDraining(owner),
      handedOver: draining.await,
      draining,
      idle: Latch.makeUnsafe()
    }
    if (isStopping) close(owner, yield* Clock.monotonicTimeNanos)
    yield* Effect.acquireUseRelease(
      Effect.sync(() => {
        owners.set(shard, owner)
        changed()
      }),
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
    has: (shard: number): boolean => {
      const owner = owners.get(shard)
      return owner !== undefined && !isDraining(owner)
    },
    shards: (): ReadonlyArray<number> => [...owners.keys()],
    window: (): ReadonlyArray<{ readonly shard: number; readonly takenAtSeq: number }> =>
      [...owners.values()].flatMap((owner) => isDraining(owner) ? [] : [{ shard: owner.shard, takenAtSeq: owner.seq }]),
    find: (shard: number): Owner | undefined => owners.get(shard),
    /**
     * Tells, later on, whether a shard is in the hands in which it is now: what was read before it changed hands may
     * have changed since, though it be ours again.
     */
    hands: (): (shard: number) => boolean => {
      const now = new Map(owners)
      return (shard) => owners.get(shard) === now.get(shard)
    },
    /**
     * Starts a step under the owner that read its message; `undefined` if that one hands the shard over, or has: none
     * loses its shard without having begun to hand it over.
     */
    enter: (owner: Owner | undefined): Owner | undefined => {
      if (owner === undefined || isDraining(owner)) return undefined
      owner.running++
      return owner
    },
    leave: (owner: Owner): void => {
      owner.running--
      if (isDraining(owner) && owner.running === 0) Latch.openUnsafe(owner.idle)
    },
    lost: (owner: Owner): Effect.Effect<void> =>
      Effect.gen(function*() {
        yield* Metric.update(Metrics.fenced, 1)
        if (yield* Deferred.succeed(owner.fenced, undefined)) {
          yield* Effect.logWarning("fenced: another owner has the shard", { shard: owner.shard, epoch: owner.epoch })
        }
      }),
    /** Begins to hand over all shards, for good: no step begins from now on, and no shard is taken. */
    stop: Effect.map(Clock.monotonicTimeNanos, (now) => {
      isStopping = true
      for (const owner of owners.values()) close(owner, now)
    }),
    /**
     * Owns the shard, epoch after epoch. It ends only by interruption, since the cluster does not restart a shard whose
     * effect has ended.
     */
    own: (shard: number, node: string, onTaken: Effect.Effect<void>): Effect.Effect<never> =>
      epoch(shard, node, onTaken).pipe(
        Effect.catchCause((cause) => Effect.logError("a shard's owner crashed", { shard }, cause)),
        Effect.andThen(pause),
        Effect.forever
      )
  }
}
