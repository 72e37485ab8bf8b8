import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Lists } from "#src/people/Lists.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"

/** Text that does not get shorter in an index: repeated letters would. */
const scattered = (length: number): string =>
  Array.from({ length: Math.ceil(length / 64) }, (_, n) => createHash("sha256").update(String(n)).digest("hex"))
    .join("").slice(0, length)

/** Of three bytes each. */
const ideographs = (length: number): string =>
  scattered(length * 4).replaceAll(/.{4}/g, (hex) => String.fromCharCode(0x4e00 + Number.parseInt(hex, 16) % 20_000))

layer(Stores.layer.pipe(Layer.provide(FreshDatabase.layerEmpty)), { excludeTestServices: true })(
  "The longest keys",
  (it) => {
    it.effect("the longest id of a user and of what the user is in or has are one key", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const userId = UserId.make(ideographs(512))
        const group = ideographs(333)
        const listId = ListId.make(group)
        const lists = yield* Lists
        yield* lists.join(scope, userId, [{ listId, preferences: undefined }])
        yield* lists.putSubscription(scope, listId, { userId, preferences: undefined })
        assert.lengthOf((yield* lists.listsOf(scope, userId, { limit: 1, cursor: undefined })).items, 1)
        yield* (yield* Tenants).replace(scope, group, { name: "Long" })
        yield* (yield* Memberships).put(scope, userId, [{ tenantId: group, profile: undefined }])
        const topicId = `pt_${"a".repeat(26)}`
        yield* (yield* UserPreferences).put({ scope, userId, tenantId: group }, [{
          topicId,
          setting: { status: "OPTED_OUT" }
        }])
        yield* (yield* DeviceTokens).register(scope, userId, [{ token: group, write: { provider_key: "expo" } }])
        yield* (yield* Profiles).replace(scope, userId, { name: "Ada" })
        const audiences = yield* Audiences
        const filter = { filters: [{ operator: "EXISTS", path: "name" }] } as const
        yield* audiences.put(scope, group, { name: "Long", description: "", filter, operator: undefined })
        yield* Effect.repeat((yield* AudienceSteps).advance, { while: (more) => more })
        const { items } = yield* audiences.members(scope, group, { limit: 1, cursor: undefined })
        assert.deepStrictEqual(items.map((item) => item.userId), [userId])
      }))
  }
)
