import type { AudienceFilter } from "#schemas/Audience.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import * as Turns from "#test/support/Turns.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect } from "effect"

const filter: AudienceFilter = {
  operator: "AND",
  filters: Array.makeBy(500, (n) => ({ operator: "NEQ", path: `away.${n}`, value: "x" }))
}
const audiences = Array.makeBy(20, (n) => ({ id: `audience ${n}`, version: 1, filter }))
const users = Array.makeBy(20, (n) => ({ userId: `user ${n}`, subject: { profile: {}, tenants: [] } }))

describe("AudienceChange", () => {
  it.effect("others have their turn while few users are asked many rules", () =>
    Effect.gen(function*() {
      const [{ put }, turns] = yield* Turns.during(AudienceChange.between(audiences, users, []))
      assert.lengthOf(put, 400)
      assert.isAtLeast(turns, 5)
    }))
})
