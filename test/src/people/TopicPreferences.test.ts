import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { TenantPreferences } from "#src/people/TenantPreferences.ts"
import * as TopicPreferences from "#src/people/TopicPreferences.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const owner = { scope: Scope.make(1), userId: UserId.make("ada"), tenantId: undefined }
const slowly = Effect.sleep("1500 millis")

const sections = [{
  id: "ps",
  section: { name: "Account" },
  created: 0,
  updated: undefined,
  topics: [{
    id: "pt",
    sectionId: "ps",
    topic: { name: "News", default_status: "OPTED_IN" as const },
    created: 0,
    updated: 0
  }]
}]

/** A store each of whose answers takes most of a caller's patience. */
const slow = TopicPreferences.layer.pipe(
  Layer.provide([
    Layer.mock(UserPreferences, {
      find: (_, topicId) => Effect.succeed({ topicId, inTenant: undefined, own: undefined })
    }),
    Layer.mock(Profiles, {}),
    Layer.mock(PreferenceCatalogue, {}),
    Layer.mock(TenantPreferences, { chain: () => Effect.as(slowly, []) }),
    Layer.mock(OverriddenTopics, {
      of: () =>
        Effect.as(slowly, {
          overrides: [{ topicId: "pt", setting: { status: "OPTED_OUT" as const } }],
          legacy: undefined,
          sections
        })
    })
  ])
)

const listed = Effect.fnUntraced(function*(tenantId: string | undefined) {
  const fiber = yield* TopicPreferences.TopicPreferences.use((_) => _.list({ ...owner, tenantId })).pipe(
    Effect.result,
    Effect.forkChild
  )
  yield* TestClock.adjust("2 seconds")
  return fiber.pollUnsafe() === undefined ? undefined : yield* Fiber.join(fiber)
})

describe("TopicPreferences", () => {
  it.effect("reliability.md 2.6: who lists the topics of a user waits for the store no longer in a tenant", () =>
    Effect.gen(function*() {
      const outside = yield* listed(undefined)
      assert.strictEqual(outside?._tag, "Success")
      const inside = yield* listed("acme")
      assert.strictEqual(inside?._tag === "Failure" && inside.failure._tag, "StoreUnavailable")
    }).pipe(Effect.provide(slow)))
})
