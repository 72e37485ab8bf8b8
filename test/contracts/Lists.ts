import { ListId } from "#schemas/List.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import { Lists } from "#src/people/Lists.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

const id = ListId.make("news.weekly")
const users = (...names: ReadonlyArray<string>) => names.map((name) => UserId.make(name))
const [ada, bob, cy] = [UserId.make("ada"), UserId.make("bob"), UserId.make("cy")]

const choice = (status: "OPTED_IN" | "OPTED_OUT"): RecipientPreferences => ({
  notifications: { nt_1: { status, rules: [{ type: "snooze", start: "2026-01-01T00:00:00+02:00" }] } },
  categories: { "": { channel_preferences: [{ channel: "email" }] } }
})

const hostile: RecipientPreferences = {
  notifications: Object.fromEntries(["\u0000", "\ud800", "__proto__"].map((name) => [name, { rules: [] }]))
}

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const lists = yield* Lists
  const subscribed = (listId: string) =>
    Effect.map(
      lists.subscriptions(scope, listId, { limit: 100, cursor: undefined }),
      ({ items }) => items.map(({ userId }) => userId)
    )
  const tag = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
    Effect.map(Effect.result(effect), (result) => result._tag === "Success" ? "done" : result.failure._tag)
  return { scope, lists, subscribed, tag, at: yield* Clock.currentTimeMillis }
})

const plain = (userId: UserId) => ({ userId, preferences: undefined })

/** What every store of lists promises. */
export const listsContract = <E>(name: string, stores: Layer.Layer<Lists, E>) =>
  layer(stores)(`Lists: ${name}`, (it) => {
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
          yield* tag(lists.removeSubscription(scope, id, ada))
        ], Array.from({ length: 4 }, () => "ListNotFound"))
        const all = { limit: 9, cursor: undefined }
        assert.deepStrictEqual((yield* lists.list(scope, { ...all, pattern: undefined })).items, [])
        assert.deepStrictEqual((yield* lists.listsOf(scope, ada, all)).items, [])
        const restored = [lists.restore(scope, id), lists.restore(scope, id)]
        assert.sameMembers(yield* Effect.all(restored, { concurrency: 2 }), [true, false])
        assert.deepStrictEqual(yield* subscribed(id), ["ada"])
        assert.strictEqual(yield* tag(lists.restore(scope, "never.was")), "ListNotFound")
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

    it.effect("what was null in preferences is left out", () =>
      Effect.gen(function*() {
        const { lists, scope } = yield* start
        const preferences = { categories: null, notifications: { a: { status: null, rules: null } } }
        yield* lists.put(scope, id, { name: "n", preferences })
        assert.deepStrictEqual((yield* lists.get(scope, id)).preferences, { notifications: { a: {} } })
      }))

    it.effect("walking lists and subscriptions gives each once, while others write", () =>
      Effect.gen(function*() {
        const { lists, scope } = yield* start
        const names = Walk.names(60)
        yield* lists.replaceSubscriptions(scope, id, names.map((name) => plain(UserId.make(name))))
        const crowd = yield* Walk.all(
          (cursor) => lists.subscriptions(scope, id, { limit: 7, cursor }),
          ({ userId }) => userId,
          (n) => lists.subscribe(scope, id, [plain(UserId.make(`${names[n * 5 % 60]}-late`))])
        )
        Walk.once(crowd, names)
        yield* Effect.forEach(
          names,
          (name) => lists.join(scope, cy, [{ listId: listOf(name), preferences: undefined }])
        )
        const write = (n: number) =>
          Effect.andThen(
            lists.subscribe(scope, listOf(`${names[n * 7 % 60]}-late`), [plain(cy)]),
            lists.put(scope, listOf(names[n] ?? ""), { name: "touched", preferences: undefined })
          )
        const walked = yield* Walk.all((cursor) => lists.listsOf(scope, cy, { limit: 7, cursor }), (l) => l.id, write)
        Walk.once(walked, names.map(listOf))
        const every = (cursor: string | undefined) => lists.list(scope, { limit: 9, cursor, pattern: undefined })
        Walk.once(yield* Walk.all(every, (list) => list.id, write), [id, ...names.map(listOf)])
      }))

    it.effect("a cursor opens for its own list, route and pattern only", () =>
      Effect.gen(function*() {
        const { lists, scope, tag } = yield* start
        const other = ListId.make("news.daily")
        for (const list of [id, other]) yield* lists.replaceSubscriptions(scope, list, [plain(ada), plain(bob)])
        const { cursor } = yield* lists.subscriptions(scope, id, { limit: 1, cursor: undefined })
        const pattern = yield* ListPattern.parse("news.*")
        const matching = yield* lists.list(scope, { limit: 1, cursor: undefined, pattern })
        assert.isDefined(matching.cursor)
        assert.deepStrictEqual([
          yield* tag(lists.subscriptions(scope, other, { limit: 1, cursor })),
          yield* tag(lists.list(scope, { limit: 1, cursor, pattern: undefined })),
          yield* tag(lists.list(scope, { limit: 1, cursor: matching.cursor, pattern: undefined })),
          yield* tag(lists.listsOf(scope, ada, { limit: 1, cursor })),
          yield* tag(lists.subscriptions(scope, id, { limit: 1, cursor }))
        ], ["InvalidCursor", "InvalidCursor", "InvalidCursor", "InvalidCursor", "done"])
      }))

    const part = Schema.Literals(["a", "b", "+", "é", "a-b", "(x|y)", "\\", "[^", "\u{1f984}", "ab"])
    it.effect.prop(
      "a pattern finds the lists that it matches",
      {
        ids: Schema.Array(Schema.Array(part).check(Schema.isMinLength(1), Schema.isMaxLength(4))).check(
          Schema.isMinLength(1),
          Schema.isMaxLength(8)
        ),
        pattern: Schema.Array(Schema.Union([part, Schema.Literal("*")])).check(
          Schema.isMinLength(1),
          Schema.isMaxLength(3)
        ),
        below: Schema.Boolean
      },
      ({ below, ids, pattern: parts }) =>
        Effect.gen(function*() {
          const { lists, scope } = yield* start
          const names = [...new Set(ids.map((id) => id.join(".")))].map((name) => ListId.make(name))
          for (const name of names) yield* lists.put(scope, name, { name, preferences: undefined })
          const parsed = yield* Effect.result(ListPattern.parse([...parts, ...(below ? ["**"] : [])].join(".")))
          if (parsed._tag === "Failure") return
          const found = yield* lists.list(scope, { limit: 100, cursor: undefined, pattern: parsed.success })
          assert.sameMembers(
            found.items.map((list) => list.id),
            names.filter((name) => ListPattern.matches(parsed.success, name))
          )
        }),
      { arbitrary: { runs: 25 } }
    )
  })

const listOf = (name: string) => ListId.make(`of.${name.replaceAll(/[*#\s.]/g, "_")}`)
