import * as Gauges from "#layers/telemetry/Gauges.ts"
import { MetricsAreSent } from "#layers/telemetry/Telemetry.ts"
import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { type Backlog, Backlogs } from "#src/reports/Backlog.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Metric, Predicate } from "effect"
import { TestClock } from "effect/testing"

/** A node that holds three messages and owns two shards, over a store that answers from this script, and its gauges. */
const start = Effect.fnUntraced(
  function*(
    script: ReadonlyArray<Effect.Effect<Backlog, StoreUnavailable>>,
    isSent: boolean,
    measured: Gauges.Duties = { engine: true, store: true }
  ) {
    let asked = 0
    const measure = yield* Gauges.make(measured).pipe(
      Effect.provide([
        Layer.mock(Shards, { held: Effect.succeed(3), owned: Effect.succeed([4, 9]) }),
        RateGates.layer,
        Layer.mock(Backlogs, {
          measure: (now) =>
            Effect.flatMap(Clock.currentTimeMillis, (time) => {
              assert.strictEqual(now, time)
              return script[asked++] ?? Effect.die("not scripted")
            })
        }),
        Layer.succeed(MetricsAreSent, isSent)
      ])
    )
    const read = Effect.map(Metric.snapshot, (all) =>
      Object.fromEntries(
        all.filter(({ id }) => /^tidings_(?:database_up|due|oldest|held|open|owned|waiting)/.test(id)).map((
          { attributes, id, state }
        ) => [
          [id.slice("tidings_".length), ...Object.values(attributes ?? {})].join(" "),
          Predicate.hasProperty(state, "value") ? state.value : undefined
        ])
      ))
    return { measure, read, asked: () => asked }
  }
)

const nothing = { delay: 0, retry: 0, escalation: 0 }

const backlog = (
  depth: number,
  oldestDueMs: number | undefined,
  more: Partial<Pick<Backlog, "requests" | "waiting">> = {}
) => Effect.succeed<Backlog>({ depth, waiting: nothing, requests: 0, counted: 10_000, oldestDueMs, ...more })

describe("Gauges", () => {
  it.effect("tell what is due, in seconds how long, and what this node has in hand", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(100_000)
      const more = { requests: 4, waiting: { delay: 1, retry: 2, escalation: 3 } }
      const script = [backlog(7, 98_500, more), backlog(0, undefined), backlog(1, 100_400)]
      const { measure, read } = yield* start(script, false)
      yield* measure
      const own = { held_messages: 3, owned_shards: 2, database_up: 1 }
      assert.deepStrictEqual(yield* read, {
        ...own,
        due_messages: 7,
        oldest_due_age_seconds: 1.5,
        open_expansions: 4,
        "waiting_messages delay": 1,
        "waiting_messages retry": 2,
        "waiting_messages escalation": 3
      })
      const none = {
        open_expansions: 0,
        "waiting_messages delay": 0,
        "waiting_messages retry": 0,
        "waiting_messages escalation": 0
      }
      yield* measure
      assert.deepStrictEqual(yield* read, { ...own, ...none, due_messages: 0, oldest_due_age_seconds: 0 })
      yield* measure
      assert.deepStrictEqual(yield* read, { ...own, ...none, due_messages: 1, oldest_due_age_seconds: 0 })
    }))

  it.effect("of a server are the store's alone, and of its worker the engine's", () =>
    Effect.gen(function*() {
      const names = Effect.fnUntraced(function*(measured: Gauges.Duties) {
        const { measure, read } = yield* start([backlog(7, undefined)], false, measured)
        yield* measure
        return [...new Set(Object.keys(yield* read).map((name) => name.split(" ")[0]))].sort()
      })
      const separate = (measured: Gauges.Duties) =>
        Effect.provideService(names(measured), Metric.MetricRegistry, new Map())
      const ofStore = ["database_up", "due_messages", "oldest_due_age_seconds", "open_expansions", "waiting_messages"]
      assert.deepStrictEqual(yield* separate({ engine: false, store: true }), ofStore)
      assert.deepStrictEqual(yield* separate({ engine: true, store: false }), ["held_messages", "owned_shards"])
    }))

  it.effect("of a database that is away they say so, and keep what it said last", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(100_000)
      const { measure, read } = yield* start(
        [backlog(7, 98_000), Effect.fail(new StoreUnavailable({ cause: "away" }))],
        false
      )
      yield* measure
      yield* measure
      const { database_up: up, due_messages: due, oldest_due_age_seconds: oldest } = yield* read
      assert.deepStrictEqual([up, due, oldest], [0, 7, 2])
    }))

  it.effect("measure by themselves, also after a crash, only where they are pushed to a collector", () =>
    Effect.gen(function*() {
      const pulled = yield* start([], false)
      const pushed = yield* start([Effect.die("a bug"), backlog(5, 0), backlog(6, 0)], true)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(pulled.asked(), 0)
      assert.strictEqual(pushed.asked(), 3)
      assert.strictEqual((yield* pushed.read)["due_messages"], 6)
    }).pipe(Effect.scoped))
})
