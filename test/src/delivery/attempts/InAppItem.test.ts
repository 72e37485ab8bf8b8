import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"

const minute = 60_000

/** One message in a tenant, which expires, and half a minute later a plain one. */
const story: Simulation.Story = Effect.fnUntraced(function*(world) {
  const content = { title: "Hello", body: "World" }
  const routing = { method: "single" as const, channels: ["inbox"] }
  const expiry = { expires_in: 60 * minute }
  yield* world.send({ to: { user_id: "ada", tenant_id: "t" }, content, routing, expiry })
  yield* Effect.sleep("30 seconds")
  yield* world.send({ to: { user_id: "ada" }, content, routing })
})

const stored: Simulation.Property = {
  story,
  complaints: ({ stored }) => {
    const [inTenant, plain, ...others] = stored.inbox("ada")
    const apart = (plain?.createdAt ?? 0) - (inTenant?.createdAt ?? 0)
    const lasts = (inTenant?.expiresAt ?? 0) - (inTenant?.createdAt ?? 0)
    return [
      ...(others.length === 0 ? [] : ["there are others in the inbox"]),
      ...(inTenant?.tenantId === "t" && plain?.tenantId === undefined ? [] : ["an item is not of its tenant"]),
      ...(lasts === 60 * minute && plain?.expiresAt === undefined ? [] : ["an item does not last as it should"]),
      ...(apart > minute / 3 && apart < minute ? [] : [`the items are ${apart} ms apart`])
    ]
  }
}

describe("A message for the in-app inbox", () => {
  it.effect("is in its user's inbox, with its tenant, its time, and the time at which it disappears", () =>
    Simulation.check(stored, { seeds: 3, faults: Faults.none }))
})
