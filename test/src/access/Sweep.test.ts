import { Idempotency } from "#src/access/Idempotency.ts"
import * as Sweep from "#src/access/Sweep.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

describe("Sweep", () => {
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
          Layer.provide([Layer.mock(Idempotency, { sweep }), Layer.mock(Inbox, { sweep: () => Effect.succeed(0) })])
        )
      )
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(rounds, 1)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(rounds, 2)
    }))
})
