import type { Cue } from "#layers/testing/Cue.ts"
import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"

const slow: Cue = { _tag: "Accept", after: 20_000 }

const counted = (): number => Number(Effect.runSync(Metric.value(Metrics.unknownOutcomes)).count)

/**
 * The only node dies while a provider has one of these calls of its; what `then` does comes before another one takes up
 * the message.
 */
const live = (
  deadly: ReadonlyArray<number>,
  then: (world: Simulation.World) => Effect.Effect<void>,
  script: ReadonlyArray<Cue> = Array.from({ length: 9 }, () => slow)
) => {
  const before = counted()
  const { messages: [message] } = Simulation.run(
    1,
    Effect.fnUntraced(function*(world) {
      yield* world.send({ to: { phone_number: "+15550100001" }, content: { title: "Hello", body: "World" } })
      for (const call of deadly) {
        while (world.calls.length < call) yield* Effect.sleep("1 second")
        yield* world.strike("crash")
      }
      yield* then(world)
    }),
    {
      nodes: 1,
      faults: Faults.none,
      vendors: [{ key: "text", channel: "sms", address: "phone_number", script }]
    }
  )
  const attempts = message?.attempts.map(({ kind, state }) => ({ kind, state }))
  return { status: message?.status, attempts, counted: counted() - before }
}

const unknown = { kind: "Unknown", state: "unknown" } as const

describe("A call that its owner left without an outcome", () => {
  it("P4: is one that nobody knows of, and counted, also when its provider is withdrawn and its message has no way left", () => {
    assert.deepStrictEqual(live([1], (world) => world.change({ _tag: "Withdraw", provider: "text" })), {
      status: "UNROUTABLE",
      attempts: [unknown],
      counted: 1
    })
  })

  it("P4: is one that nobody knows of, and counted, also when its message is quarantined", () => {
    assert.deepStrictEqual(live([1, 2, 3, 4, 5], () => Effect.void), {
      status: "UNDELIVERABLE",
      attempts: Array.from({ length: 5 }, () => unknown),
      counted: 5
    })
  })

  it("is forgotten once a call has ended: its message is quarantined no sooner than if the node had never died", () => {
    const down: Cue = { _tag: "Refuse", after: 20, kind: "Unavailable", retryAfter: null }
    const { status } = live([1, 2, 3, 4, 6, 7, 8, 9], () => Effect.void, [
      slow,
      slow,
      slow,
      slow,
      down,
      slow,
      slow,
      slow,
      slow
    ])
    assert.strictEqual(status, "SENT")
  })
})
