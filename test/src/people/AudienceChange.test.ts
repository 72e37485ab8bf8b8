import type { AudienceFilter } from "#schemas/Audience.ts"
import * as Chances from "#layers/testing/Chance.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import * as Filter from "#src/people/AudienceFilter.ts"
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
  it.effect("what is stored and what is to change make those who belong now, and nothing changes that is so already", () =>
    Effect.gen(function*() {
      for (const seed of Array.range(1, 300)) {
        const chance = Chances.make(seed)
        const judges = Array.makeBy(3, (n) => ({
          id: `a${n}`,
          version: chance.int(1, 2),
          filter: chance.happens(0.2)
            ? undefined
            : { operator: "AND" as const, filters: [{ operator: "EQ" as const, path: `p${n}`, value: "x" }] }
        }))
        const people = Array.makeBy(4, (n) => ({
          userId: `u${n}`,
          subject: chance.happens(0.2) ? undefined : {
            profile: Object.fromEntries(Array.makeBy(3, (n) => [`p${n}`, chance.pick(["x", "y"])])),
            tenants: []
          }
        }))
        const now = judges.flatMap(({ filter, id, version }) =>
          people.flatMap(({ subject, userId }) =>
            filter === undefined || subject === undefined || !Filter.matches(filter, subject)
              ? []
              : [{ audienceId: id, userId, version, reason: Filter.reason(filter, subject) }]
          )
        )
        const before = judges.flatMap(({ id }) =>
          people.filter(() => chance.happens(0.5)).map(({ userId }) => {
            const same = now.find((one) => one.audienceId === id && one.userId === userId)
            const old = { audienceId: id, userId, version: 1, reason: "once" }
            if (same === undefined || chance.happens(0.3)) return old
            return chance.happens(0.3) ? { ...same, version: 3 } : same
          })
        )
        const { put, removed } = yield* AudienceChange.between(judges, people, before)
        const key = ({ audienceId, userId }: AudienceChange.Standing) => `${audienceId} ${userId}`
        const after = new Map(before.filter((one) => !removed.includes(one)).map((one) => [key(one), one]))
        for (const one of put) after.set(key(one), one)
        assert.sameDeepMembers([...after.values()], now, `seed ${seed}`)
        assert.sameDeepMembers([...put], now.filter((one) => !before.includes(one)), `seed ${seed}`)
      }
    }))

  it.effect("others have their turn while few users are asked many rules", () =>
    Effect.gen(function*() {
      const [{ put }, turns] = yield* Turns.during(AudienceChange.between(audiences, users, []))
      assert.lengthOf(put, 400)
      assert.isAtLeast(turns, 5)
    }))
})
