import { isRefusal, unavailable } from "#layers/postgres/StoreErrors.ts"
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

/** The same batch again, after a lost connection or a deadlock: a batch that did commit collides with itself and changes nothing. */
const again = Schedule.exponential("20 millis").pipe(Schedule.upTo({ times: 5 }))

/** Whether the database works while this thread does: a server does, an embedded one is on this thread. */
export const IsBeside = Context.Reference<boolean>("tidings/postgres/IsBeside", { defaultValue: () => true })

/**
 * A queue drained by a few writers: each flush writes what has gathered since a writer was last free, so the batch grows with the load and
 * an idle queue costs nothing. What comes in the same turn of the event loop goes along: else the first of many that an answer woke would be
 * written alone, and all the others wait for it. Unless that is `enough`: a turn can bring all that is under way, and if the database had it only then,
 * the two would wait for each other. Several writers keep the database busy while this process reads answers; their flushes may commit
 * in either order. `write` answers one result per item, in order, and must be repeatable. A refused row fails alone: the batch is halved
 * until it stands alone. Callers wait at most `patience` for their flush; a full queue (`capacity` items) refuses at once.
 */
export const make = Effect.fnUntraced(function*<A, B>(options: {
  /** What is written, for the log. */
  readonly name: string
  readonly capacity: number
  readonly writers: number
  readonly maxBatch: number
  /** What an item counts of `maxBatch` behind the one before it, for items of different sizes; 1 if absent. One that is larger goes alone. */
  readonly weigh?: (item: A, before: A | undefined) => number
  /** As many items are worth a flush of their own before the turn in which they come is over, where the database works meanwhile; if absent, none are. */
  readonly enough?: number
  readonly patience: Duration.Input
  readonly write: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, SqlError | StoreUnavailable>
}): Effect.fn.Return<(item: A) => Effect.Effect<B, Failure>, never, Scope.Scope> {
  const { weigh } = options
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

  /** The operator hears of the first failure, and of the first success after it: callers only learn that it is not their fault. */
  const outage = Outage.make({
    lost: (cause) => Effect.logError("the journal cannot be written", { of: options.name }, cause),
    found: Effect.logInfo("the journal is written again", { of: options.name })
  })
  const tell = (exit: Exit.Exit<void, unknown>): Effect.Effect<void> => {
    if (Exit.isSuccess(exit)) return outage.found()
    return Cause.hasInterruptsOnly(exit.cause) ? Effect.void : outage.lost(exit.cause)
  }

  /** Over when the turn is, or once enough are waiting: then for one writer at a time. */
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
    const exit = yield* Effect.exit(patiently(flush(batch)))
    yield* tell(exit)
    if (Exit.isSuccess(exit)) return
    // Who came while this flush hung has waited too: nobody waits for two.
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
      waiting.push({ item, resume })
      Latch.openUnsafe(filled)
      if (waiting.length >= enough) begin()
    })
})
