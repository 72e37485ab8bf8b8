import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import type { Lists } from "#src/people/Lists.ts"
import { ada, bob, cy, id, plain, start } from "#test/contracts/ListFixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { Effect, Schema } from "effect"
import { assert, type Vitest } from "@effect/vitest"

const listOf = (name: string) => ListId.make(`of.${name.replaceAll(/[*#\s.]/g, "_")}`)

/** How lists and their subscriptions are walked and found. */
export const pages = (it: Vitest.MethodsNonLive<Lists>) => {
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

  it.effect("a page of lists or subscriptions ends early where their preferences are large, and has one at least", () =>
    Effect.gen(function*() {
      const { lists, scope } = yield* start
      const ids = ["a", "b", "c", "d"].map((name) => ListId.make(`large.${name}`))
      const users = ["a", "b", "c", "d"].map((name) => UserId.make(name))
      for (const [n, text] of Walk.large.entries()) {
        const preferences = { notifications: { [text]: { status: "OPTED_IN" as const } } }
        yield* lists.put(scope, ids[n] ?? id, { name: "large", preferences })
        yield* lists.subscribe(scope, id, [{ userId: users[n] ?? cy, preferences }])
        yield* lists.join(scope, cy, [{ listId: ids[n] ?? id, preferences }])
      }
      const pattern = yield* ListPattern.parse("large.*")
      yield* Walk.early((page) => lists.list(scope, { ...page, pattern }), (list) => list.id, ids)
      yield* Walk.early((page) => lists.listsOf(scope, cy, page), (list) => list.id, ids)
      yield* Walk.early((page) => lists.subscriptions(scope, id, page), ({ userId }) => userId, users)
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
}
