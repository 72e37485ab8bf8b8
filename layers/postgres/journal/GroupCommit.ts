import { isRefusal, unavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { RowRefused } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Outage from "#src/store/Outage.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Cause, Context, type Duration, Effect, Exit, Latch, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"

type Failure = RowRefused | StoreUnavailable

interface Entry<A, B> {
  readonly item: A
  readonly resume: (exit: Exit.Exit<B, Failure>) => void
}

/**
 * Repeats a batch after a lost connection or a deadlock: `write` is repeatable, so a batch that did commit does no
 * harm.
 */
const again = Schedule.exponential("20 millis").pipe(Schedule.upTo({ times: 5 }))

/** Whether the database works while this thread does: a server does, an embedded one runs on this thread. */
export const IsBeside = Context.Reference<boolean>("tidings/postgres/IsBeside", { defaultValue: () => true })

/**
 * A queue drained by a few writers. Each flush writes what has gathered since a writer was last free, so batches grow
 * with the load and an idle queue costs nothing. Several writers keep the database busy while this process reads
 * answers; their flushes may commit in any order.
 * A free writer waits for the end of the current turn of the event loop: otherwise, of many callers woken by one
 * answer, the first would be written alone and the others would wait for its flush. It waits no longer once `enough`
 * items have gathered: one turn may bring every call there is, and database and process would then only wait for each
 * other.
 * `write` answers one result per item, in order, and must be repeatable. A refused row fails alone: its batch is halved
 * until it stands alone. A flush that takes longer than `patience` fails, as do all items that are waiting by then; one
 * of an item heavier than `maxBatch` may take longer in proportion. A full queue (`capacity` items) refuses at once.
 */
export const make = Effect.fnUntraced(function*<A, B>(options: {
  /** What is written, for the log. */
  readonly name: string
  readonly capacity: number
  readonly writers: number
  readonly maxBatch: number
  /**
   * What an item counts of `maxBatch`, given the item before it in the queue; 1 if absent. One that counts more than
   * `maxBatch` is written alone.
   */
  readonly weigh?: (item: A, before: A | undefined) => number
  /**
   * How many waiting items start a flush before the turn of the event loop is over, if the database works beside this
   * thread (`IsBeside`). Absent: a flush always waits for the end of the turn.
   */
  readonly enough?: number
  readonly patience: Duration.Input
  /** Told of each item when it begins to wait, and when it is answered. */
  readonly watch?: { readonly came: (item: A) => void; readonly left: (item: A) => void }
  readonly write: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, SqlError | StoreUnavailable>
}): Effect.fn.Return<(item: A) => Effect.Effect<B, Failure>, never, Scope.Scope> {
  const { watch, weigh } = options
  const enough = ((yield* IsBeside) ? options.enough : undefined) ?? Number.POSITIVE_INFINITY
  const waiting: globalThis.Array<Entry<A, B>> = []
  const filled = Latch.makeUnsafe()
  const gathering = new Set<(effect: Effect.Effect<void>) => void>()
  const patiently = yield* Patience.within(options.patience)

  const flush = (entries: ReadonlyArray<Entry<A, B>>): Effect.Effect<void, StoreUnavailable> =>
    options.write(entries.map((entry) => entry.item)).pipe(
      Effect.retry({
        schedule: again,
        while: (error) => error._tag === "SqlError" && !isRefusal(error)
      }),
      Effect.map((results) => results.forEach((result, index) => entries[index]?.resume(Exit.succeed(result)))),
      Effect.catchTag("SqlError", (error) => {
        if (!isRefusal(error)) return unavailable(error)
        if (entries.length === 1) {
          return Effect.sync(() => entries[0]?.resume(Exit.fail(new RowRefused({ cause: error }))))
        }
        const half = Math.ceil(entries.length / 2)
        return Effect.andThen(flush(entries.slice(0, half)), flush(entries.slice(half)))
      })
    )

  const batchSize = (): number => {
    if (weigh === undefined) return options.maxBatch
    let weight = 0
    const over = waiting.findIndex(({ item }, n) => (weight += weigh(item, waiting[n - 1]?.item)) > options.maxBatch)
    return over === -1 ? waiting.length : Math.max(1, over)
  }

  /** An item that a busy database never wrote in time would be sent again for ever. Only one that is alone is heavier than a batch. */
  const timesPatience = ([first]: ReadonlyArray<Entry<A, B>>): number =>
    weigh === undefined || first === undefined ? 1 : Math.ceil(weigh(first.item, undefined) / options.maxBatch)

  /** Logs the first failure, and the first success after it: callers only learn that it is not their fault. */
  const outage = Outage.make({
    lost: (cause) => Effect.logError("the journal cannot be written", { of: options.name }, cause),
    found: Effect.logInfo("the journal is written again", { of: options.name })
  })
  const tell = (exit: Exit.Exit<void, unknown>): Effect.Effect<void> => {
    if (Exit.isSuccess(exit)) return outage.found()
    return Cause.hasInterruptsOnly(exit.cause) ? Effect.void : outage.lost(exit.cause)
  }

  /**
   * Ends with the turn of the event loop, or once `enough` items are waiting: then for one writer at a time (`begin`).
   */
  const gathered = Effect.withFiber((fiber) =>
    Effect.callback<void>((resume) => {
      if (waiting.length >= enough) return resume(Effect.void)
      gathering.add(resume)
      const end = () => {
        if (gathering.delete(resume)) resume(Effect.void)
      }
      fiber.currentDispatcher.scheduleTask(end, 0)
      return Effect.sync(() => gathering.delete(resume))
    })
  )

  const begin = () => {
    const [first] = gathering
    if (first === undefined) return
    gathering.delete(first)
    first(Effect.void)
  }

  const drain = Effect.gen(function*() {
    yield* filled.await
    yield* gathered
    const batch = waiting.splice(0, batchSize())
    if (waiting.length === 0) Latch.closeUnsafe(filled)
    if (batch.length === 0) return
    const exit = yield* Effect.exit(patiently(flush(batch), timesPatience(batch)))
    yield* tell(exit)
    if (Exit.isSuccess(exit)) return
    // Those who came while this flush hung have waited too: they fail with it, and do not wait for a second one.
    const late = waiting.splice(0)
    Latch.closeUnsafe(filled)
    const failure = Exit.fail(new StoreUnavailable({ cause: Cause.squash(exit.cause) }))
    for (const entry of [...batch, ...late]) entry.resume(failure)
  })

  yield* Effect.forEach(Array.range(1, options.writers), () => Effect.forkScoped(Effect.forever(drain)))
  yield* Effect.addFinalizer((exit) =>
    Effect.sync(() => {
      for (const entry of waiting.splice(0)) entry.resume(Exit.fail(new StoreUnavailable({ cause: exit })))
    })
  )

  return (item) =>
    Effect.callback<B, Failure>((resume) => {
      if (waiting.length >= options.capacity) {
        return resume(Effect.fail(new StoreUnavailable({ cause: "the write queue is full" })))
      }
      let isAnswered = false
      watch?.came(item)
      waiting.push({
        item,
        resume: watch === undefined ? resume : (exit) => {
          // A flush that is given up answers once more what it had written already.
          if (isAnswered) return
          isAnswered = true
          watch.left(item)
          resume(exit)
        }
      })
      Latch.openUnsafe(filled)
      if (waiting.length >= enough) begin()
    })
})
