import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { LongWork } from "#src/store/LongWork.ts"
import { serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"

/** Asks for a change of a provider, and waits until the store does `work`, which never ends. */
const asked = Effect.fnUntraced(function*(method: string, work: Effect.Effect<void>) {
  const waiting = yield* Queue.unbounded<void>()
  const change = () => Effect.andThen(work, Effect.andThen(Queue.offer(waiting, undefined), Effect.never))
  const { call } = yield* serveWith(Layer.mock(ProviderConfigurations, { remove: change, replace: change }))
  const body = method === "PUT" ? { body: { provider: "smtp" } } : {}
  const asking = yield* Effect.forkChild(call(method, "/providers/pc_1", body))
  yield* Queue.take(waiting)
  return asking
})

describe("P1: a change of a provider", () => {
  it.effect.each(["PUT", "DELETE"])(
    "%s waits a minute once what was tried over it is being renamed",
    (method) =>
      Effect.gen(function*() {
        const asking = yield* asked(method, Effect.flatten(LongWork))
        yield* TestClock.adjust("59 seconds")
        assert.isUndefined(asking.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(asking)).status, 503)
      })
  )

  it.effect.each(["PUT", "DELETE"])(
    "%s waits 2 s for a database that is silent before that",
    (method) =>
      Effect.gen(function*() {
        const asking = yield* asked(method, Effect.void)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* Fiber.join(asking)).status, 503)
      })
  )
})
