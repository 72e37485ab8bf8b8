import { Effect, Metric } from "effect"
import { performance } from "node:perf_hooks"
import process from "node:process"

// As the client libraries of Prometheus name them, so that their dashboards find them.
const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Processor time of all threads of the process, in seconds",
  incremental: true
})
const resident = Metric.gauge("process_resident_memory_bytes", { description: "Memory of the process, in bytes" })
const started = Metric.gauge("process_start_time_seconds", {
  description: "When the process started, in seconds since 1970"
})

const busy = Metric.counter("tidings_event_loop_busy_seconds_total", {
  description: "Seconds in which the thread did something: of each second one when it is at its limit",
  incremental: true
})

/** Counts on by what a total, which comes from elsewhere, has grown. */
const grown = (counter: Metric.Counter<number>) => {
  let before = 0
  return (total: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const growth = Math.max(0, total - before)
      before += growth
      return Metric.update(counter, growth)
    })
}

/**
 * An effect that measures what this thread uses and, where `whole`, the process; run it before metrics are read. Deno
 * does not tell how busy a thread is.
 */
export const make = ({ whole }: { readonly whole: boolean }): Effect.Effect<void> => {
  const [busyFor, cpuFor] = [grown(busy), grown(cpu)]
  const measureThread = Effect.suspend(() => {
    const { active, idle } = performance.eventLoopUtilization()
    return idle === 0 ? Effect.void : busyFor(active / 1_000)
  })
  const measureProcess = Effect.suspend(() => {
    const { system, user } = process.cpuUsage()
    return Effect.all([
      cpuFor((system + user) / 1_000_000),
      Metric.update(resident, process.memoryUsage.rss()),
      Metric.update(started, performance.timeOrigin / 1_000)
    ], { discard: true })
  })
  return whole ? Effect.andThen(measureThread, measureProcess) : measureThread
}
