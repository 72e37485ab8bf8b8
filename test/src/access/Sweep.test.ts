import { Idempotency } from "#src/access/Idempotency.ts"
import * as Sweep from "#src/access/Sweep.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { SendCounts } from "#src/flows/SendCounts.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { Outbox } from "#src/reports/webhooks/Outbox.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

describe("Sweep", () => {
  it.effect("what has expired goes in one round, of keys, of the inbox, of counts, of suppressions and of events of webhooks, however many batches of 5,000 it is", () =>
    Effect.gen(function*() {
      const left = { keys: 12_345, inbox: 10_000, counts: 7, suppressions: 5_001, events: 15_000 }
      const limits = new Set<number>()
      const sweep = (of: keyof typeof left) => (limit: number) =>
        Effect.sync(() => {
          limits.add(limit)
          const deleted = Math.min(limit, left[of])
          left[of] -= deleted
          return deleted
        })
      yield* Layer.build(
        Sweep.layer.pipe(
          Layer.provide([
            Layer.mock(Idempotency, { sweep: sweep("keys") }),
            Layer.mock(Inbox, { sweep: sweep("inbox") }),
            Layer.mock(SendCounts, { sweep: sweep("counts") }),
            Layer.mock(Suppressions, { sweep: sweep("suppressions") }),
            Layer.mock(Outbox, { sweep: sweep("events") })
          ])
        )
      )
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(left, { keys: 0, inbox: 0, counts: 0, suppressions: 0, events: 0 })
      assert.deepStrictEqual([...limits], [5_000])
    }))

  it.effect.each(
    [
      { name: "a store that is away", end: Effect.fail(new StoreUnavailable({ cause: "planted" })) },
      { name: "a defect", end: Effect.die("planted") }
    ] as const
  )("$name ends one round, and not the sweep", ({ end }) =>
    Effect.gen(function*() {
      let rounds = 0
      const sweep = () =>
        Effect.suspend((): Effect.Effect<number, StoreUnavailable> => ++rounds === 1 ? end : Effect.succeed(0))
      yield* Layer.build(
        Sweep.layer.pipe(
          Layer.provide([
            Layer.mock(Idempotency, { sweep }),
            Layer.mock(Inbox, { sweep: () => Effect.succeed(0) }),
            Layer.mock(SendCounts, { sweep: () => Effect.succeed(0) }),
            Layer.mock(Suppressions, { sweep: () => Effect.succeed(0) }),
            Layer.mock(Outbox, { sweep: () => Effect.succeed(0) })
          ])
        )
      )
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(rounds, 1)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(rounds, 2)
    }))
})
