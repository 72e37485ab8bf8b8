import { DeadAddresses, type DeadAddress } from "#src/delivery/pipeline/DeadAddresses.ts"
import { delivery, outcomeOf, play } from "#test/contracts/VendorRow.ts"
import { expo } from "#test/layers/providers/rows/Push.ts"
import type * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const ticket = (data: object) => ({ status: 200, body: JSON.stringify({ data }) })

const tickets: Readonly<Record<string, ScriptedVendor.Answer>> = {
  alive: ticket({ status: "ok", id: "1" }),
  dead: ticket({ status: "error", message: "not registered", details: { error: "DeviceNotRegistered" } }),
  odd: ticket({ status: "error", message: "this is not a valid Expo push token" }),
  large: ticket({ status: "error", message: "too big", details: { error: "MessageTooBig" } })
}

/** Sends to these tokens of one recipient, each of which is answered by the ticket that its name begins with. */
const send = Effect.fnUntraced(function*(tokens: ReadonlyArray<string>) {
  const told: Array<DeadAddress> = []
  const { vendor } = yield* play(expo, ({ body }) => {
    // The script is asked when the head has come, and again with the body.
    const { to }: { readonly to: string } = JSON.parse(body === "" ? "{\"to\":\"alive\"}" : body)
    return tickets[to.split("-")[0] ?? ""] ?? { status: 500 }
  })
  const result = yield* Effect.result(vendor.send(delivery({ ...expo, profile: { expo: { tokens } } }))).pipe(
    Effect.provideService(DeadAddresses, (dead) => Effect.sync(() => void told.push(dead)))
  )
  return { outcome: outcomeOf(result), told: told.map(({ address, provider }) => `${provider} ${address}`).toSorted() }
}, Effect.scoped)

describe("DeadAddresses", () => {
  it.effect("each dead token is told of, also when another one takes the message", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* send(["dead-1", "alive-1", "dead-2"]), {
        outcome: "Accepted",
        told: ["expo dead-1", "expo dead-2"]
      })
      assert.deepStrictEqual(yield* send(["dead-1"]), { outcome: "RecipientRejected", told: ["expo dead-1"] })
    }))

  it.effect("a refusal that does not say that the token is dead is not told", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* send(["large-1"]), { outcome: "ContentRejected", told: [] })
      assert.deepStrictEqual(yield* send(["odd-1"]), { outcome: "RecipientRejected", told: [] })
    }))
})
