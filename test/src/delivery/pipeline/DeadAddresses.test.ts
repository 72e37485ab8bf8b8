import { Scope } from "#schemas/Scope.ts"
import { type DeadAddress, DeadAddresses, remembering } from "#src/delivery/pipeline/DeadAddresses.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const scope = Scope.make(7)
const token: DeadAddress = { scope, channel: "push", provider: "expo", address: "e1", detail: "gone" }
const mail: DeadAddress = { scope, channel: "email", provider: "relay", address: " Ada@Example.COM", detail: "5.1.1" }

describe("DeadAddresses", () => {
  it.effect.each([token, mail])(
    "a message waits 2 s at most for a dead $channel address to be remembered, and goes on though it cannot be",
    (dead) =>
      Effect.gen(function*() {
        const remembered: Array<ReadonlyArray<unknown>> = []
        const stores = {
          well: (...args: ReadonlyArray<unknown>) => Effect.sync(() => remembered.push(args)),
          away: () => Effect.fail(new StoreUnavailable({ cause: "away" })),
          broken: () => Effect.die("broken"),
          // Interrupting a statement on a silent connection waits for its cancellation.
          silent: () => Effect.onInterrupt(Effect.never, () => Effect.sleep("5 seconds"))
        }
        for (const store of Object.values(stores)) {
          const tell = Effect.gen(function*() {
            const died = yield* DeadAddresses
            const telling = yield* Effect.forkChild(died(dead))
            yield* TestClock.adjust("2 seconds")
            assert.isDefined(telling.pollUnsafe())
            yield* Fiber.join(telling)
            yield* TestClock.adjust("5 seconds")
          })
          yield* Effect.provide(
            tell,
            remembering.pipe(Layer.provide([
              Layer.mock(DeviceTokens, { invalidate: (...args) => Effect.asVoid(store(...args)) }),
              Layer.mock(Suppressions, { add: (...args) => Effect.as(store(...args), true) })
            ]))
          )
        }
        const suppressed = { channel: "email", address: "ada@example.com", reason: "BOUNCED", provider: "relay" }
        assert.deepStrictEqual(
          remembered,
          dead === token ? [[scope, "expo", "e1", "gone"]] : [[scope, [{ ...suppressed, detail: "5.1.1" }]]]
        )
      })
  )
})
