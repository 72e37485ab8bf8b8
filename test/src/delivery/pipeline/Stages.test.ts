import { UserId } from "#schemas/Profile.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const stores = Layer.mergeAll(
  Stores.layer,
  Fake.layer([{
    ...Fake.nothing("smtp", "email"),
    reaches: ({ email }) => typeof email === "string"
  }]),
  Layer.mock(DeviceTokens, { reachable: () => Effect.succeed([]) })
)

const start = Effect.gen(function*() {
  const world = yield* Fixture.world
  const { decide } = yield* Stages.make
  const content = { title: "t", body: "b" }
  return {
    scope: world.scope,
    profiles: yield* Profiles,
    decide: (recipient: Recipient, more: Instructions = {}) =>
      decide({ ...Fixture.message(world), recipient, instructions: { content, ...more } })
  }
})

describe("Stages: what is known of a message and its recipient", () => {
  it.effect("a recipient's own data stands over the message's, member by member (api.md §3, Do 5)", () =>
    Effect.gen(function*() {
      const { decide } = yield* start
      const email = "ada@example.com"
      const { data } = yield* decide({ email, data: { a: "own", b: { c: 1 } } }, {
        data: { a: "all", b: { d: 2 }, e: "all" }
      })
      assert.deepStrictEqual(data, { a: "own", b: { c: 1 }, e: "all" })
      assert.deepStrictEqual((yield* decide({ email }, { data: { a: "all" } })).data, { a: "all" })
      assert.deepStrictEqual((yield* decide({ email, data: null })).data, {})
    }).pipe(Effect.provide(stores)))

  it.effect("what a send says of a user stands over the stored profile, for this send", () =>
    Effect.gen(function*() {
      const { decide, profiles, scope } = yield* start
      const stored = { email: "old@example.com", locale: "de", custom: { a: 1 } }
      yield* profiles.replace(scope, UserId.make("ada"), stored)
      const { profile } = yield* decide({ user_id: "ada", email: "new@example.com", locale: null })
      assert.deepStrictEqual(profile, { ...stored, email: "new@example.com", user_id: "ada" })
      assert.deepStrictEqual((yield* decide({ user_id: "ada" })).profile, { ...stored, user_id: "ada" })
    }).pipe(Effect.provide(stores)))

  it.effect("of a place on a platform that nobody serves it is said that nobody serves it", () =>
    Effect.gen(function*() {
      const { decide } = yield* start
      const refused = (recipient: Recipient) =>
        Effect.map(Effect.flip(decide(recipient)), ({ detail, reason, type }) => [type, reason, detail])
      const unserved = (platform: string) => [
        "UNROUTABLE",
        "NO_PROVIDERS",
        `No provider for ${platform} is configured`
      ]
      assert.deepStrictEqual(yield* refused({ slack: { channel: "C" } }), unserved("Slack"))
      assert.deepStrictEqual(yield* refused({ expo: { token: "a" } }), unserved("Expo"))
      const [type, , detail] = yield* refused({ user_id: "nobody" })
      assert.strictEqual(type, "UNROUTABLE")
      assert.notInclude(detail, "is configured")
    }).pipe(Effect.provide(stores)))

  it.effect.prop(
    "a message is marked as placed only in its user's one tenant, and only where the send names none",
    {
      ofUser: Schema.Array(Schema.Literals(["a", "b", "c"])),
      named: Schema.optionalKey(Schema.Literals(["a", "b", "nowhere"]))
    },
    ({ named, ofUser }) =>
      Effect.gen(function*() {
        const { decide, scope } = yield* start
        for (const id of ["a", "b", "c"]) yield* Tenants.use((tenants) => tenants.replace(scope, id, { name: id }))
        const joined = [...new Set(ofUser)]
        yield* Memberships.use((all) =>
          all.put(scope, "ada", joined.map((tenantId) => ({ tenantId, profile: undefined })))
        )
        const ada = { user_id: "ada", email: "ada@example.com" }
        const { message: { isPlaced, recipient } } = yield* decide(
          named === undefined ? ada : { ...ada, tenant_id: named }
        )
        const sole = named === undefined && joined.length === 1 ? joined[0] : undefined
        assert.deepStrictEqual([isPlaced, recipient.tenant_id], [sole === undefined ? undefined : true, named ?? sole])
      }).pipe(Effect.provide(stores)),
    { arbitrary: { runs: 30 } }
  )
})
