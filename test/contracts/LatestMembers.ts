import { UserId } from "#schemas/Profile.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Members } from "#src/people/Members.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

type Stores = Audiences | AudienceSteps | Members | Memberships | Profiles | Tenants

/** What every reader of groups promises of what was written a moment ago. */
export const latestMembersContract = <E>(name: string, stores: Layer.Layer<Stores, E>) =>
  layer(stores)(`Members, the latest: ${name}`, (it) => {
    it.effect("who asks for the latest of an audience waits until all is followed that was written of its environment", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const audiences = yield* Audiences
        const members = yield* Members
        const memberships = yield* Memberships
        const profiles = yield* Profiles
        const steps = yield* AudienceSteps
        const tenants = yield* Tenants
        const counted = steps.advance.pipe(Effect.repeat({ while: (more) => more }))
        const engineer = (userId: string) => profiles.replace(scope, UserId.make(userId), { title: "Engineer" })
        yield* tenants.replace(scope, "acme", { name: "acme" })
        yield* engineer("ada")
        yield* audiences.put(scope, "staff", {
          name: "n",
          description: "",
          filter: {
            operator: "OR",
            filters: [
              { operator: "EQ", path: "title", value: "Engineer" },
              { operator: "MEMBER_OF", path: "account_id", value: "acme" }
            ]
          },
          operator: undefined
        })
        yield* counted
        const page = (latest: boolean, id = "staff") =>
          Effect.map(
            members.page(scope, { _tag: "Audience", id }, { after: undefined, limit: 9, memberOf: [], latest }),
            (found) => found.map(({ userId }) => userId)
          )
        assert.deepStrictEqual(yield* page(true), ["ada"])
        const writes = [
          engineer("bob"),
          profiles.replace(scope, UserId.make("cy"), {}),
          memberships.put(scope, "cy", [{ tenantId: "acme", profile: undefined }]),
          profiles.remove(scope, UserId.make("ada")),
          tenants.remove(scope, "acme")
        ]
        const found = [["ada", "bob"], ["ada", "bob"], ["ada", "bob", "cy"], ["bob", "cy"], ["bob"]]
        for (const [index, write] of writes.entries()) {
          const before = yield* page(false)
          yield* write
          assert.strictEqual((yield* Effect.flip(page(true)))._tag, "MembersUncounted")
          assert.deepStrictEqual(yield* page(false), before)
          assert.deepStrictEqual(yield* page(true, "none"), [])
          yield* counted
          assert.deepStrictEqual(yield* page(true), found[index])
        }
      }))
  })
