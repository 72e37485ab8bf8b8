import { type DeliveryError, RateLimited, Unavailable } from "#schemas/DeliveryError.ts"
import { assert, describe, it } from "@effect/vitest"
import { Exit, Result } from "effect"

const errors = (): ReadonlyArray<DeliveryError> => [
  new Unavailable({ detail: "down" }),
  new Unavailable({ detail: "busy" }),
  new Unavailable({ detail: "down", retryAfter: 1 }),
  new RateLimited({ detail: "down" })
]

/** What tests compare: an error, and what may hold one. */
const holders: Readonly<Record<string, (error: DeliveryError) => unknown>> = {
  "an error": (error) => error,
  "an exit": (error) => Exit.fail(error),
  "a result": (error) => Result.fail(error),
  "a list": (error) => ["a", { error }]
}

describe("Errors in assertions", () => {
  it.each(Object.entries(holders))("%s equals another just when all their fields do", (_, hold) => {
    for (const [n, one] of errors().entries()) {
      for (const [m, other] of errors().entries()) {
        if (n === m) assert.deepStrictEqual(hold(one), hold(other))
        else assert.notDeepEqual(hold(one), hold(other))
      }
    }
  })
})
