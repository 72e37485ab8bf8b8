import { ListId } from "#schemas/List.ts"
import type { Lists } from "#src/people/Lists.ts"
import { ada, bob, choice, cy, hostile, id, plain, start, users } from "#test/contracts/ListFixture.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { assert, type Vitest } from "@effect/vitest"

/** Who is on a list: one by one, as a whole set, and by the user's own hand. */
export const subscriptions = (it: Vitest.MethodsNonLive<Lists>) => {
  it.effect("subscribing creates the list under its id, adds, and changes no subscription that is there", () =>
    Effect.gen(function*() {
      const { at, lists, scope } = yield* start
      yield* lists.subscribe(scope, id, [{ userId: ada, preferences: choice("OPTED_IN") }])
      assert.strictEqual((yield* lists.get(scope, id)).name, id)
      yield* TestClock.adjust("1 second")
      yield* lists.subscribe(scope, id, [
        { userId: bob, preferences: choice("OPTED_OUT") },
        { userId: ada, preferences: choice("OPTED_OUT") },
        plain(bob)
      ])
      assert.deepStrictEqual((yield* lists.subscriptions(scope, id, { limit: 9, cursor: undefined })).items, [
        { userId: ada, preferences: choice("OPTED_IN"), created: at },
        { userId: bob, preferences: choice("OPTED_OUT"), created: at + 1_000 }
      ])
    }))

  it.effect("a replaced set is the whole set; who stays keeps his date and takes the new preferences", () =>
    Effect.gen(function*() {
      const { at, lists, scope, subscribed } = yield* start
      yield* lists.replaceSubscriptions(scope, id, [{ userId: ada, preferences: hostile }, plain(bob)])
      yield* TestClock.adjust("1 second")
      yield* lists.replaceSubscriptions(scope, id, [
        plain(cy),
        plain(ada),
        { userId: ada, preferences: choice("OPTED_IN") }
      ])
      assert.deepStrictEqual((yield* lists.subscriptions(scope, id, { limit: 9, cursor: undefined })).items, [
        { userId: ada, preferences: choice("OPTED_IN"), created: at },
        { userId: cy, preferences: undefined, created: at + 1_000 }
      ])
      yield* lists.replaceSubscriptions(scope, id, [])
      assert.deepStrictEqual(yield* subscribed(id), [])
    }))

  it.effect("of sets written at once one is the set in the end", () =>
    Effect.gen(function*() {
      const { lists, scope, subscribed } = yield* start
      const sets = Array.from({ length: 8 }, (_, n) => users(`a${n}`, `b${n}`, "c"))
      yield* Effect.forEach(sets, (set) => lists.replaceSubscriptions(scope, id, set.map(plain)), {
        concurrency: "unbounded"
      })
      assert.deepInclude(sets.map((set) => [...set]), yield* subscribed(id))
    }))

  it.effect("one subscription is put, replaced and removed; the others stay", () =>
    Effect.gen(function*() {
      const { lists, scope, subscribed, tag } = yield* start
      yield* lists.putSubscription(scope, id, { userId: ada, preferences: choice("OPTED_IN") })
      yield* lists.putSubscription(scope, id, plain(bob))
      yield* lists.putSubscription(scope, id, plain(ada))
      const page = yield* lists.subscriptions(scope, id, { limit: 1, cursor: undefined })
      assert.isUndefined(page.items[0]?.preferences)
      yield* lists.removeSubscription(scope, id, ada)
      assert.strictEqual(yield* tag(lists.removeSubscription(scope, id, ada)), "SubscriptionNotFound")
      assert.deepStrictEqual(yield* subscribed(id), ["bob"])
    }))

  it.effect("a user joins lists, sees them with the preferences of his subscriptions, and leaves them all", () =>
    Effect.gen(function*() {
      const { at, lists, scope, subscribed } = yield* start
      const [first, second] = [ListId.make("a.one"), ListId.make("b")]
      yield* lists.put(scope, second, { name: "B", preferences: choice("OPTED_IN") })
      yield* lists.join(scope, ada, [
        { listId: second, preferences: choice("OPTED_OUT") },
        { listId: first, preferences: undefined }
      ])
      yield* lists.join(scope, ada, [{ listId: second, preferences: undefined }])
      yield* lists.subscribe(scope, second, [plain(bob)])
      assert.deepStrictEqual((yield* lists.listsOf(scope, ada, { limit: 9, cursor: undefined })).items, [
        { id: first, name: first, preferences: undefined, created: at, updated: at },
        { id: second, name: "B", preferences: choice("OPTED_OUT"), created: at, updated: at }
      ])
      yield* lists.leave(scope, ada)
      assert.deepStrictEqual((yield* lists.listsOf(scope, ada, { limit: 9, cursor: undefined })).items, [])
      assert.deepStrictEqual(yield* subscribed(second), ["bob"])
    }))

  it.effect("of a list that is joined twice at once the last preferences that are given count", () =>
    Effect.gen(function*() {
      const { lists, scope } = yield* start
      yield* lists.join(scope, ada, [
        { listId: id, preferences: choice("OPTED_IN") },
        { listId: id, preferences: choice("OPTED_OUT") },
        { listId: id, preferences: undefined }
      ])
      const { items: [joined] } = yield* lists.listsOf(scope, ada, { limit: 9, cursor: undefined })
      assert.deepStrictEqual(joined?.preferences, choice("OPTED_OUT"))
    }))
}
