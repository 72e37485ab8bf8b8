import type { Journal } from "#src/delivery/Journal.ts"
import type { Ending } from "#src/delivery/Journey.ts"
import type { OpenMessage } from "#src/delivery/OpenMessage.ts"
import type { Pipeline } from "#src/delivery/Pipeline.ts"
import type { Together } from "#src/delivery/Together.ts"
import { aloneFrom, maxTries } from "#src/delivery/Quarantine.ts"
import * as Write from "#src/delivery/Write.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Clock, Effect, Metric, Semaphore } from "effect"

/** How many messages run at once in their second and in their third try: who kills the process is looked for among fewer and fewer. */
const suspects: Readonly<Record<number, number>> = { 2: 256, 3: 16 }

/**
 * Runs a message so that one that kills its process is found out: a message that was open when this owner took the shard is counted before
 * it runs, and any end of its step clears the count.
 */
export const make = (options: {
  readonly journal: Journal["Service"]
  readonly pipeline: Pipeline["Service"]
  readonly together: Together
}) => {
  const { journal, pipeline, together } = options
  const write = Write.make(journal)
  const groups = new Map(
    Object.entries(suspects).map(([tries, size]) => [Number(tries), Semaphore.makeUnsafe(size)] as const)
  )

  const begin = Effect.fnUntraced(function*(message: OpenMessage, epoch: number): Effect.fn.Return<Ending> {
    const tries = message.tries + 1
    if (tries > maxTries) {
      yield* Metric.update(Metrics.quarantined, 1)
      yield* Effect.logError("quarantined", { messageId: message.id, tries: message.tries })
      return yield* pipeline.abandon(message, epoch, `Quarantined: the process died in each of ${maxTries} tries`)
    }
    const at = yield* Clock.currentTimeMillis
    const begun = yield* write({ message, epoch, at, lifecycle: [], conditional: true, tries, events: [] })
    if (begun._tag === "Fenced") return { _tag: "Fenced" }
    if (begun._tag === "Refused") return { _tag: "Closed" }
    return yield* pipeline.run({ ...message, tries }, epoch)
  })

  return (message: OpenMessage, epoch: number): Effect.Effect<Ending> => {
    if (!message.recovered) return together.among(pipeline.run(message, epoch))
    const tries = message.tries + 1
    if (tries >= aloneFrom) return together.alone(begin(message, epoch))
    const running = together.among(begin(message, epoch))
    return groups.get(tries)?.withPermits(1)(running) ?? running
  }
}
