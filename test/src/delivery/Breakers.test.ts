import { Unavailable } from "#schemas/DeliveryError.ts"
import * as Breakers from "#src/delivery/Breakers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const failing = Effect.fail(new Unavailable({ detail: "down" }))

describe("Breakers", () => {
  for (const away of ["1 minute", "1 day"] as const) {
    it.effect(`a provider that answers again after ${away} is no longer left alone`, () =>
      Effect.gen(function*() {
        const { guard, openUntil } = yield* Breakers.Breakers
        yield* TestClock.adjust(1)
        for (let call = 0; call < 6; call++) yield* Effect.exit(guard("key", failing))
        yield* TestClock.adjust(1)
        assert.isDefined(openUntil("key"))
        yield* TestClock.adjust(away)
        yield* guard("key", Effect.void)
        yield* TestClock.adjust(1)
        assert.isUndefined(openUntil("key"))
      }).pipe(Effect.provide(Breakers.layer)))
  }
})
