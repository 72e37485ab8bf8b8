import type { MessageId } from "#schemas/MessageId.ts"
import { fnv1a } from "#src/delivery/shards/Hash.ts"
import { Duration, Effect, Pull, Schedule } from "effect"

/** A message's own deadline unless it names one (api.md 26.4), in ms. */
export const messageTimeout = 72 * 3_600_000

/** A wait up to this many ms is spent in the recipient's fiber; a longer one is a row with a due time (P3). */
export const shortWait = 1_000

/** The long schedule (api.md 26.5): 5 s doubling to 15 min, then every 15 min, 24 h in all. */
export const long = Schedule.min([Schedule.exponential("5 seconds"), Schedule.spaced("15 minutes")]).pipe(
  Schedule.upTo({ duration: "24 hours" })
)

/** From a message's first attempt to its last, over all providers, in ms; jitter does not stretch it. */
export const total = 24 * 3_600_000

/**
 * A schedule as the list of its waits, in ms: the wait after the n-th failure is the n-th. The list is the schedule,
 * stepped at the times at which it would fire, so a position in it can be folded from stored attempts and survives a
 * restart.
 */
export const waits = <E>(schedule: Schedule.Schedule<unknown, unknown, E>): Effect.Effect<ReadonlyArray<number>, E> =>
  Effect.gen(function*() {
    const step = yield* Schedule.toStep(schedule)
    const list: Array<number> = []
    let now = 0
    while (list.length < 10_000) {
      const wait = yield* step(now, undefined).pipe(
        Effect.map(([, delay]) => Duration.toMillis(delay)),
        Pull.catchDone(() => Effect.succeed(undefined))
      )
      if (wait === undefined) break
      list.push(wait)
      now += wait
    }
    return list
  })

/**
 * The waits of the long schedule. They never change, and stepping through a hundred of them costs more than starting
 * the rest of an engine.
 */
export const longWaits: ReadonlyArray<number> = Effect.runSync(waits(long))

/**
 * A wait less up to a fifth, always the same for one message and position: messages that failed together do not come
 * back together, and the schedule's attempts all fit into its time.
 */
export const jittered = (wait: number, id: MessageId, position: number): number =>
  Math.round(wait * (0.8 + 0.2 * (fnv1a(`${id}:${position}`) / 0xffffffff)))

/**
 * Up to 5 s, always the same for one message: those that wait for one provider do not come back together. The first of
 * them finds out whether it is well, and the others hear of it before their calls are written down.
 */
export const apart = (id: MessageId): number => Math.round(5_000 * (fnv1a(id) / 0xffffffff))
