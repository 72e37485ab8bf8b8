import * as Build from "#layers/telemetry/Build.ts"
import * as Process from "#layers/telemetry/Process.ts"
import { MetricsAreSent } from "#layers/telemetry/Telemetry.ts"
import { RateGates } from "#src/delivery/attempts/RateGates.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Backlogs, type Wait, waits } from "#src/reports/Backlog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Patience from "#src/store/Patience.ts"
import { Clock, Effect, Metric } from "effect"

const up = Metric.gauge("tidings_database_up", {
  description: "1 when the database answered, 0 when the gauges below are older"
})
const depth = Metric.gauge("tidings_due_messages", {
  description: "Messages of all nodes that are due and not done, counted up to 10,000"
})
const oldest = Metric.gauge("tidings_oldest_due_age_seconds", {
  description: "Age of the oldest due message of all nodes, 0 when none is due"
})
const waiting = (reason: Wait) =>
  Metric.gauge("tidings_waiting_messages", {
    description: "Messages of all nodes that wait for a delay, another try or an escalation, counted up to 10,000",
    attributes: { reason }
  })
const requests = Metric.gauge("tidings_open_expansions", {
  description: "Requests to many of all nodes that still become messages or wait to, counted up to 10,000"
})
const held = Metric.gauge("tidings_held_messages", { description: "Messages in this engine's hands" })
const owned = Metric.gauge("tidings_owned_shards", { description: "Shards owned by this engine" })

/** How often metrics are pushed to a collector: about as often as collectors expect a value. */
const sentEvery = "15 seconds"

/** What a thread of a node measures: its engine, if it runs one, and the store, which one thread of each node does. */
export interface Duties {
  readonly engine: boolean
  readonly store: boolean
}

/**
 * An effect that measures what is not counted as it happens; run it before metrics are read. Where metrics are pushed
 * to a collector, it also runs periodically until the scope closes.
 */
export const make = Effect.fnUntraced(function*({ engine, store }: Duties) {
  const shards = yield* Shards
  const gates = yield* RateGates
  const backlogs = yield* Backlogs
  const patiently = yield* Patience.within(Patience.callers)

  const measureEngine = Effect.gen(function*() {
    yield* Metric.update(held, yield* shards.held)
    yield* Metric.update(owned, (yield* shards.owned).length)
    yield* gates.measure
  })
  const measureStore = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const backlog = yield* Effect.result(patiently(backlogs.measure(now)))
    yield* Metric.update(up, backlog._tag === "Success" ? 1 : 0)
    if (backlog._tag === "Failure") return
    const { depth: due, oldestDueMs = now, requests: open, waiting: later } = backlog.success
    yield* Metric.update(depth, due)
    yield* Effect.forEach(waits, (reason) => Metric.update(waiting(reason), later[reason]), { discard: true })
    yield* Metric.update(requests, open)
    yield* Metric.update(oldest, Math.max(0, now - oldestDueMs) / 1_000)
  })
  const used = Process.make({ whole: store })
  const measure = Effect.all([used, engine ? measureEngine : Effect.void, store ? measureStore : Effect.void], {
    discard: true
  })

  // A counter that has never counted is reported as 0, which a dashboard can tell from a node that is down.
  yield* Effect.forEach(Metrics.counters, (counter) => Metric.update(counter, 0), { discard: true })
  if (store) yield* Metric.update(Build.info, 1)
  if (yield* MetricsAreSent)
    yield* measure.pipe(
      Effect.catchDefect((defect) => Effect.logError("what is due was not measured", defect)),
      Effect.andThen(Effect.sleep(sentEvery)),
      Effect.forever,
      Effect.forkScoped
    )
  return measure
})
