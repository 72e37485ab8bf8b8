import type { Scope } from "#schemas/Scope.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import * as Calls from "#src/reports/webhooks/Calls.ts"
import { type Claimed, lease, Outbox, probing, type Settlement } from "#src/reports/webhooks/Outbox.ts"
import * as Round from "#src/reports/webhooks/Round.ts"
import * as Outage from "#src/store/Outage.ts"
import { Clock, Context, Duration, Effect, Layer, Queue, Schedule } from "effect"

/** Tells webhooks what there is to tell, when it is woken and when something is due. */
export class Telling extends Context.Service<Telling, {
  readonly wake: Effect.Effect<void>
}>()("tidings/Telling") {}

/** Events of one webhook that are told at once; webhooks that a node calls at once, and of those, of one environment. */
const batch = 200
const webhooksAtOnce = 8
const ofOneAtOnce = 4

/** How long what nobody announced waits at most. */
const sweep = Duration.toMillis("1 minute")

/** Ms after which it looks again for what somebody else claims just now, and after a wake-up. */
const again = 100
const gathering = 10

/** How long a stop waits for what it writes. */
const stopping = "2 seconds"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

/** What was told is written for as long as the claim holds: else it is told again. */
const persist = Schedule.upTo(backoff, { duration: lease })

/** Logs once that a webhook is no longer reached, and what becomes of it. */
const log = ({ failures, id }: Claimed, settlement: Settlement): Effect.Effect<void> => {
  const error = settlement.failing?.error
  if (settlement.givesUp) return Effect.logError("a webhook is given up", { webhook: id, error })
  if (failures < probing && settlement.failures >= probing) {
    return Effect.logWarning("a webhook cannot be reached", { webhook: id, error })
  }
  return failures >= probing && settlement.reached
    ? Effect.logInfo("a webhook is reached again", { webhook: id })
    : Effect.void
}

export const layer = Layer.effect(
  Telling,
  Effect.gen(function*() {
    const outbox = yield* Outbox
    const call = yield* Calls.make
    const fork = yield* Fibers.make
    const woken = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
    const wake = Effect.asVoid(Queue.offer(woken, undefined))
    const outage = (what: string) =>
      Outage.make({
        lost: (error) => Effect.logWarning(`cannot ${what}`, error),
        found: Effect.logInfo(`can ${what} again`)
      })
    const [looking, telling] = [outage("look for webhooks that are to be told something"), outage("tell webhooks")]
    /** The environments of the webhooks that are called now. */
    const working: Array<Scope> = []

    const settle = Effect.fnUntraced(
      function*(claimed: Claimed, outcomes: ReadonlyMap<string, Round.Outcome>, isCut: boolean) {
        const settlement = Round.settle(claimed, outcomes, yield* Clock.currentTimeMillis, isCut)
        yield* outbox.settle(claimed, settlement)
        yield* log(claimed, settlement)
      }
    )

    /** Calls one webhook. Whatever ends it, what is known by then is written. */
    const work = (claimed: Claimed, began: bigint) => {
      const outcomes = new Map<string, Round.Outcome>()
      return call(claimed, began, outcomes).pipe(
        Effect.as(false),
        Effect.catch((error) => Effect.as(telling.lost(error), true)),
        Effect.catchDefect((defect) => Effect.as(Effect.logError("telling a webhook crashed", defect), true)),
        Effect.tap((isCut) => Effect.retry(settle(claimed, outcomes, isCut), persist)),
        Effect.onInterrupt(() => Effect.ignore(Effect.timeout(settle(claimed, outcomes, false), stopping))),
        Effect.flatMap((isCut) => isCut ? Effect.void : telling.found()),
        Effect.catch((error) => telling.lost(error)),
        Effect.catchDefect((defect) => Effect.logError("a round of a webhook could not be written", defect)),
        Effect.ensuring(Effect.suspend(() => {
          working.splice(working.indexOf(claimed.scope), 1)
          return wake
        }))
      )
    }

    /** Environments that have their share of the calls. */
    const sated = (): ReadonlyArray<Scope> =>
      [...new Set(working)].filter((scope) => working.filter((other) => other === scope).length >= ofOneAtOnce)

    /** Claims webhooks as long as there are any, and room. Answers in how many ms to look again at the latest. */
    const round = Effect.gen(function*() {
      while (working.length < webhooksAtOnce) {
        const began = yield* Clock.monotonicTimeNanos
        const claimed = yield* outbox.claim(batch, sated())
        if (claimed === undefined) {
          const next = yield* outbox.next
          const wait = next === undefined ? sweep : next - (yield* Clock.currentTimeMillis)
          // What is due and was not claimed is in somebody else's hands just now, or of an environment that is sated.
          return wait > 0 ? Math.min(wait, sweep) : again
        }
        working.push(claimed.scope)
        yield* fork(work(claimed, began))
      }
      return sweep
    })

    yield* round.pipe(
      Effect.tapError((error) => looking.lost(error)),
      Effect.retry(backoff),
      Effect.tap(() => looking.found()),
      Effect.catchDefect((defect) => Effect.as(Effect.logError("looking for webhooks crashed", defect), sweep)),
      Effect.flatMap((wait) => Effect.timeoutOption(Queue.take(woken), wait)),
      // Each commit wakes: those of this time are looked for together.
      Effect.andThen(Effect.sleep(gathering)),
      Effect.forever,
      Effect.forkScoped
    )
    return Telling.of({ wake })
  })
)
