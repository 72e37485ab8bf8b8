import type { AudienceFilter } from "#schemas/Audience.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"

const filter: AudienceFilter = {
  operator: "AND",
  filters: Array.makeBy(500, (n) => ({ operator: "NEQ", path: `away.${n}`, value: "x" }))
}
const audiences = Array.makeBy(20, (n) => ({ id: `audience ${n}`, version: 1, filter }))
const users = Array.makeBy(20, (n) => ({ userId: `user ${n}`, subject: { profile: {}, tenants: [] } }))

describe("AudienceChange", () => {
  it.effect("others have their turn while few users are asked many rules", () =>
    Effect.gen(function*() {
      let turns = 0
      const other = yield* Effect.sync(() => turns++).pipe(
        Effect.andThen(Effect.yieldNow),
        Effect.forever,
        Effect.forkChild
      )
      yield* Effect.yieldNow
      const before = turns
      const { put } = yield* AudienceChange.between(audiences, users, [])
      assert.lengthOf(put, 400)
      assert.isAtLeast(turns - before, 5)
      yield* Fiber.interrupt(other)
    }))
})
