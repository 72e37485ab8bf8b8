import { ListId } from "#schemas/List.ts"
import type { Lists } from "#src/people/Lists.ts"
import { ada, bob, choice, id, plain, start } from "#test/contracts/ListFixture.ts"
import { pages } from "#test/contracts/ListPages.ts"
import { subscriptions } from "#test/contracts/ListSubscriptions.ts"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, layer } from "@effect/vitest"

/** What every store of lists promises. */
export const listsContract = <E>(name: string, stores: Layer.Layer<Lists, E>) =>
  layer(stores)(`Lists: ${name}`, (it) => {
    subscriptions(it)
    pages(it)

    it.effect("are created, replaced, and keep their date and their subscriptions", () =>
      Effect.gen(function*() {
        const { at, lists, scope, subscribed, tag } = yield* start
        assert.strictEqual(yield* tag(lists.get(scope, id)), "ListNotFound")
        yield* lists.put(scope, id, { name: "News ' é", preferences: choice("OPTED_IN") })
        const made = { id, name: "News ' é", preferences: choice("OPTED_IN"), created: at, updated: at }
        assert.deepStrictEqual(yield* lists.get(scope, id), made)
        yield* lists.subscribe(scope, id, [plain(ada)])
        yield* TestClock.adjust("1 second")
        yield* lists.put(scope, id, { name: "New", preferences: undefined })
        assert.deepStrictEqual(yield* lists.get(scope, id), {
          id,
          name: "New",
          preferences: undefined,
          created: at,
          updated: at + 1_000
        })
        assert.deepStrictEqual(yield* subscribed(id), ["ada"])
      }))

    it.effect("who joins a deleted list brings it back, and no other", () =>
      Effect.gen(function*() {
        const { lists, scope, subscribed, tag } = yield* start
        const other = ListId.make("other")
        for (const one of [id, other]) {
          yield* lists.put(scope, one, { name: one, preferences: undefined })
          yield* lists.remove(scope, one)
        }
        yield* lists.join(scope, ada, [{ listId: id, preferences: undefined }])
        assert.deepStrictEqual(yield* subscribed(id), ["ada"])
        assert.strictEqual(yield* tag(lists.get(scope, other)), "ListNotFound")
      }))

    it.effect("P10: another environment's list of the same id is another list", () =>
      Effect.gen(function*() {
        const { lists, scope, subscribed, tag } = yield* start
        const elsewhere = yield* start
        yield* lists.subscribe(scope, id, [plain(ada)])
        assert.deepStrictEqual([
          yield* tag(lists.get(elsewhere.scope, id)),
          yield* tag(lists.remove(elsewhere.scope, id)),
          yield* tag(lists.restore(elsewhere.scope, id)),
          yield* tag(lists.subscriptions(elsewhere.scope, id, { limit: 1, cursor: undefined })),
          yield* tag(lists.removeSubscription(elsewhere.scope, id, ada))
        ], Array.from({ length: 5 }, () => "ListNotFound"))
        yield* lists.subscribe(elsewhere.scope, id, [plain(bob)])
        yield* lists.leave(elsewhere.scope, ada)
        assert.deepStrictEqual(yield* subscribed(id), ["ada"])
        assert.deepStrictEqual((yield* lists.listsOf(elsewhere.scope, ada, { limit: 9, cursor: undefined })).items, [])
      }))

    it.effect("a deleted one is gone for everyone, until it is restored with its subscriptions", () =>
      Effect.gen(function*() {
        const { lists, scope, subscribed, tag } = yield* start
        yield* lists.subscribe(scope, id, [plain(ada)])
        yield* lists.remove(scope, id)
        assert.deepStrictEqual([
          yield* tag(lists.get(scope, id)),
          yield* tag(lists.remove(scope, id)),
          yield* tag(lists.subscriptions(scope, id, { limit: 1, cursor: undefined })),
          yield* tag(lists.removeSubscription(scope, id, bob))
        ], Array.from({ length: 4 }, () => "ListNotFound"))
        const all = { limit: 9, cursor: undefined }
        assert.deepStrictEqual((yield* lists.list(scope, { ...all, pattern: undefined })).items, [])
        assert.deepStrictEqual((yield* lists.listsOf(scope, ada, all)).items, [])
        const restored = [lists.restore(scope, id), lists.restore(scope, id)]
        assert.sameMembers(yield* Effect.all(restored, { concurrency: 2 }), [true, false])
        assert.deepStrictEqual(yield* subscribed(id), ["ada"])
        assert.strictEqual(yield* tag(lists.restore(scope, "never.was")), "ListNotFound")
      }))

    it.effect("whoever leaves a deleted one is not back when it is restored", () =>
      Effect.gen(function*() {
        const { lists, scope, subscribed, tag } = yield* start
        yield* lists.subscribe(scope, id, [plain(ada), plain(bob)])
        yield* lists.remove(scope, id)
        yield* lists.removeSubscription(scope, id, ada)
        assert.strictEqual(yield* tag(lists.removeSubscription(scope, id, ada)), "ListNotFound")
        yield* lists.restore(scope, id)
        assert.deepStrictEqual(yield* subscribed(id), ["bob"])
      }))

    it.effect.each(["put", "subscribe", "replaceSubscriptions", "putSubscription", "join"] as const)(
      "a deleted one that is written again (%s) is the same list, and was updated then; one that is there was not, by its subscribers",
      (method) =>
        Effect.gen(function*() {
          const { at, lists, scope, subscribed } = yield* start
          yield* lists.put(scope, id, { name: "Old", preferences: undefined })
          yield* lists.subscribe(scope, id, [plain(ada)])
          yield* lists.remove(scope, id)
          yield* TestClock.adjust("1 second")
          const writes = {
            put: lists.put(scope, id, { name: "Old", preferences: undefined }),
            subscribe: lists.subscribe(scope, id, [plain(bob)]),
            replaceSubscriptions: lists.replaceSubscriptions(scope, id, [plain(ada), plain(bob)]),
            putSubscription: lists.putSubscription(scope, id, plain(bob)),
            join: lists.join(scope, bob, [{ listId: id, preferences: undefined }])
          }
          yield* writes[method]
          const { created, name, updated } = yield* lists.get(scope, id)
          assert.deepStrictEqual({ created, name, updated }, { created: at, name: "Old", updated: at + 1_000 })
          assert.deepStrictEqual(yield* subscribed(id), method === "put" ? ["ada"] : ["ada", "bob"])
          yield* TestClock.adjust("1 second")
          yield* writes[method]
          assert.strictEqual((yield* lists.get(scope, id)).updated, at + (method === "put" ? 2_000 : 1_000))
        })
    )

    it.effect("what was null in preferences is left out", () =>
      Effect.gen(function*() {
        const { lists, scope } = yield* start
        const preferences = { categories: null, notifications: { a: { status: null, rules: null } } }
        yield* lists.put(scope, id, { name: "n", preferences })
        assert.deepStrictEqual((yield* lists.get(scope, id)).preferences, { notifications: { a: {} } })
      }))
  })
