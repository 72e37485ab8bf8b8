import * as Crowd from "#src/delivery/attempts/Crowd.ts"
import * as GateReports from "#src/delivery/attempts/GateReports.ts"
import * as RateGate from "#src/delivery/attempts/RateGate.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Logger, Metric, Predicate } from "effect"
import { TestClock } from "effect/testing"

const named = { environment: "production", channel: "email", provider: "mail" }
const of = { channel: "email", provider: "mail" }
const waiter = { turn: { lane: "bulk", whose: "a" }, since: 0, makeRoom: () => {} }

/** What a gate's operators read in their gauges, and in the log. */
const operators = Effect.gen(function*() {
  const lines: Array<string> = []
  const listening = Logger.layer([Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${JSON.stringify(message)}`)
  })])
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const { measure, opened } = yield* GateReports.make(now)
  const gauges = Effect.map(
    Effect.andThen(measure, Metric.snapshot),
    (all) =>
      all.flatMap(({ attributes, id, state }) =>
        Predicate.hasProperty(state, "value") ? [[id, attributes, state.value]] : []
      )
  )
  const open = Effect.suspend(() => {
    const gate = { pace: RateGate.make(now(), 0), crowd: Crowd.make() }
    return Effect.as(Effect.provide(opened(gate, named), listening), gate)
  })
  return { lines, gauges, open }
})

const measured = (rate: number, waiting: number) => [
  ["tidings_provider_call_rate", of, rate],
  ["tidings_provider_waiting_messages", of, waiting]
]

const alone = Effect.provideService(Metric.MetricRegistry, new Map())

describe("What operators are told of a provider's rate gate", () => {
  it.effect("a line when the first message comes to it and one when it is none any more, and gauges meanwhile", () =>
    Effect.gen(function*() {
      const { gauges, lines, open } = yield* operators
      assert.deepStrictEqual(yield* gauges, [])
      const { crowd, pace } = yield* open
      crowd.add(waiter)
      assert.deepStrictEqual(yield* gauges, measured(2, 1))
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /^Warn .*a provider takes no more for now, and is called at the rate that it takes/)
      assert.include(lines[0], JSON.stringify(named))
      yield* TestClock.adjust("5 minutes")
      pace.pass(300_000, true)
      crowd.delete(waiter)
      yield* TestClock.adjust(599_999)
      assert.deepStrictEqual(yield* gauges, measured(pace.rate(), 0))
      assert.lengthOf(lines, 1)
      yield* TestClock.adjust(1)
      assert.lengthOf(lines, 2)
      assert.match(lines[1] ?? "", /^Info .*a provider takes all again/)
      assert.include(lines[1], JSON.stringify(named))
      assert.deepStrictEqual(yield* gauges, measured(0, 0))
    }).pipe(alone))

  it.effect("of two that a provider has, as in two environments, the gauges have the sum", () =>
    Effect.gen(function*() {
      const { gauges, open } = yield* operators
      const [one, other] = [yield* open, yield* open]
      one.crowd.add(waiter)
      other.crowd.add({ ...waiter })
      other.crowd.add({ ...waiter })
      assert.deepStrictEqual(yield* gauges, measured(4, 3))
    }).pipe(alone))
})
