import * as Crowd from "#src/delivery/attempts/Crowd.ts"
import * as GateReports from "#src/delivery/attempts/GateReports.ts"
import * as RateGate from "#src/delivery/attempts/RateGate.ts"
import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import { bulk, plain } from "#test/src/delivery/attempts/AtGate.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Logger, Metric, Predicate, Scope } from "effect"
import { TestClock } from "effect/testing"

const named = { environment: "production", channel: "email", provider: "mail" }
const of = { channel: "email", provider: "mail" }
const waiter = { turn: { lane: "bulk", whose: "a" }, since: 0, makeRoom: () => {} }

/** What the gauges show. */
const shown = Effect.map(
  Metric.snapshot,
  (all) =>
    all.flatMap(({ attributes, id, state }) =>
      Predicate.hasProperty(state, "value") ? [[id, attributes, state.value]] : []
    )
)

/** What a gate's operators read in their gauges, and in the log. */
const operators = Effect.gen(function*() {
  const lines: Array<string> = []
  const listening = Logger.layer([Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${JSON.stringify(message)}`)
  })])
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const { measure, opened } = yield* GateReports.make(now)
  const gauges = Effect.andThen(measure, shown)
  const openOf = (named: GateReports.Named) =>
    Effect.suspend(() => {
      const gate = { pace: RateGate.make(now(), 0), crowd: Crowd.make() }
      return Effect.as(Effect.provide(opened(gate, named), listening), gate)
    })
  return { lines, gauges, open: openOf(named), openOf }
})

const measured = (rate: number, waiting: number) => [
  ["tidings_provider_call_rate", of, rate],
  ["tidings_provider_waiting_messages", of, waiting]
]

const alone = Effect.provideServiceEffect(Metric.MetricRegistry, Effect.sync(() => new Map()))

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

  it.effect("gauges of its own for each provider of each channel", () =>
    Effect.gen(function*() {
      const { gauges, openOf } = yield* operators
      const gates = [["email", "mail"], ["email", "other"], ["sms", "mail"]] as const
      for (const [n, [channel, provider]] of gates.entries()) {
        const { crowd } = yield* openOf({ ...named, channel, provider })
        for (let waits = 0; waits <= n; waits++) crowd.add({ ...waiter })
      }
      assert.sameDeepMembers(
        yield* gauges,
        gates.flatMap(([channel, provider], n) => [
          ["tidings_provider_call_rate", { channel, provider }, 2],
          ["tidings_provider_waiting_messages", { channel, provider }, n + 1]
        ])
      )
    }).pipe(alone))

  it.effect("the line of its end though the message that it was told of has gone, and none after the node's", () =>
    Effect.gen(function*() {
      const { lines, open } = yield* operators
      yield* Fiber.join(yield* Effect.forkChild(open))
      yield* TestClock.adjust("10 minutes")
      assert.lengthOf(lines, 2)
      const node = yield* Scope.make()
      const { lines: ended, open: opened } = yield* Scope.provide(operators, node)
      yield* opened
      yield* Scope.close(node, Exit.void)
      yield* TestClock.adjust("10 minutes")
      assert.lengthOf(ended, 1)
    }).pipe(alone))

  it.effect("is told once, of a provider's configuration only, and measured", () =>
    Effect.gen(function*() {
      const { measure, refused, through } = yield* RateGates.RateGates
      const lines: Array<unknown> = []
      const listening = Logger.layer([Logger.make(({ message }) => lines.push(message))])
      const comes = (key: string, known: GateReports.Named | undefined) =>
        Effect.forkChild(
          through(key, bulk, {
            ...plain<void>(),
            named: () => known,
            begin: () => Effect.void,
            sentAway: () => Effect.void
          }),
          { startImmediately: true }
        )
      for (const key of ["mail", "a recipient's own"]) refused(key, 1n, 0)
      yield* Effect.gen(function*() {
        yield* Effect.replicateEffect(comes("a recipient's own", undefined), 2)
        assert.lengthOf(lines, 0)
        yield* Effect.replicateEffect(comes("mail", named), 3)
      }).pipe(Effect.provide(listening))
      assert.lengthOf(lines, 1)
      yield* measure
      assert.deepStrictEqual(yield* shown, measured(2, 3))
    }).pipe(Effect.provide(RateGates.layer), alone))
})
