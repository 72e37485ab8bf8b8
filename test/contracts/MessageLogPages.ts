import { Scope } from "#schemas/Scope.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { MessageLog, type MessageQuery } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"

const list = (place: Fixture.World, more: Partial<MessageQuery> = {}) =>
  MessageLog.use((log) => log.list(place.scope, { ...Fixture.anything, ...more }))

/** Every page, with something done between two of them. */
const walk = Effect.fnUntraced(
  function*<E, R>(place: Fixture.World, limit: number, between: Effect.Effect<unknown, E, R>) {
    const seen: Array<string> = []
    let cursor: string | undefined
    do {
      const page = yield* list(place, { limit, cursor })
      assert.isAtMost(page.items.length, limit)
      seen.push(...page.items.map((item) => item.id))
      cursor = page.cursor
      yield* between
    } while (cursor !== undefined)
    return seen
  }
)

const flip = (text: string, index: number): string => {
  const swapped = text[index] === "A" ? "B" : "A"
  return text.slice(0, index) + swapped + text.slice(index + 1)
}

export const pages = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect("newest first, to the millisecond", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const offsets = [5, 999, 1_000, 0, 400, 86_400_000, 998]
      const all = yield* Effect.forEach(offsets, (after) => Fixture.accepted(place, { enqueuedAt: place.at + after }))
      const { items } = yield* list(place)
      assert.deepStrictEqual(items.map((item) => item.enqueued - place.at), offsets.toSorted((a, b) => b - a))
      assert.sameMembers(items.map((item) => item.id), all.map((message) => message.id))
    }))

  it.effect("a page ends early where names of events are large, and has one at least", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const ids = yield* Effect.forEach(Walk.large, (event, n) =>
        Effect.map(
          Fixture.accepted(place, { enqueuedAt: place.at + 4_000 - n * 1_000, event }),
          ({ id }) => id
        ))
      yield* Walk.early((page) => list(place, page), ({ id }) => id, ids)
    }))

  it.effect("what a request to many makes later stands where the request was accepted", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const request = Fixture.id(place.at)
      const between = yield* Fixture.accepted(place, { enqueuedAt: place.at + 500 })
      const members = yield* Effect.forEach(["a", "b"], (user) =>
        Fixture.accepted(place, { id: Ids.member(request, user), requestId: request, enqueuedAt: place.at + 900 }))
      const seen = yield* walk(place, 1, Effect.void)
      assert.deepStrictEqual(seen, [
        between.id,
        ...members.map(({ id }) =>
          id
        ).toSorted().toReversed()
      ])
    }))

  it.effect("the last page has no cursor, even when it is full", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      assert.deepStrictEqual(yield* list(place), { items: [], cursor: undefined })
      yield* Effect.forEach([1, 2, 3, 4], () => Fixture.accepted(place))
      assert.isUndefined((yield* list(place, { limit: 4 })).cursor)
      const first = yield* list(place, { limit: 2 })
      const second = yield* list(place, { limit: 2, cursor: first.cursor })
      assert.isDefined(first.cursor)
      assert.isUndefined(second.cursor)
    }))

  it.effect.prop(
    "pages show each message once and in order while others are accepted, those of one millisecond included",
    {
      offsets: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))).check(
        Schema.isMaxLength(20)
      ),
      limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 }))
    },
    ({ limit, offsets }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        const all = offsets.map((after) => Fixture.message(place, { enqueuedAt: place.at + after }))
        yield* journal.accept(Fixture.acceptance(place, all))
        const before = (yield* list(place)).items.map((item) => item.id)
        const others = Effect.forEach([0, 2, 4], (after) => Fixture.accepted(place, { enqueuedAt: place.at + after }))
        const seen = yield* walk(place, limit, others)
        const old = new Set<string>(before)
        assert.lengthOf([...new Set(seen)], seen.length, "nothing twice")
        assert.deepStrictEqual(seen.filter((id) => old.has(id)), before)
        assert.sameMembers<string>(before, all.map((message) => message.id))
      }),
    { arbitrary: { runs: 15 } }
  )

  it.effect("a page goes on when the message it ended with was archived", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const log = yield* MessageLog
      yield* Effect.forEach([1, 2, 3], (after) => Fixture.accepted(place, { enqueuedAt: place.at + after }))
      const first = yield* list(place, { limit: 1 })
      const [last] = first.items
      assert.isDefined(last)
      if (last !== undefined) yield* log.archive(place.scope, last.requestId)
      const rest = yield* list(place, { cursor: first.cursor })
      assert.deepStrictEqual(rest.items.map((item) => item.enqueued - place.at), [2, 1])
    }))

  it.effect("a cursor with any character changed, cut off or added is refused", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      yield* Effect.forEach([1, 2, 3], () => Fixture.accepted(place))
      const { cursor = "" } = yield* list(place, { limit: 1 })
      assert.isNotEmpty(cursor)
      const changed = [
        ...Array.from(cursor, (_, index) => flip(cursor, index)),
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor}=`,
        ` ${cursor}`,
        "",
        "x",
        "\u0000",
        "1-6b49d200-000000000000000000000001",
        "' or 1=1 --",
        "A".repeat(100_000)
      ]
      yield* Effect.forEach(changed, (tampered) =>
        Effect.map(Effect.flip(list(place, { limit: 1, cursor: tampered })), (error) =>
          assert.strictEqual(error._tag, "InvalidCursor", tampered)))
    }))

  it.effect("P10: a cursor opens in its own scope and for its own filters only; the size of a page may change", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      yield* Effect.forEach([1, 2, 3], () => Fixture.accepted(place, { tags: ["x"], event: "e" }))
      const { cursor } = yield* list(place, { limit: 1, tags: ["x"] })
      assert.isDefined(cursor)
      const foreign: ReadonlyArray<Partial<MessageQuery>> = [
        {},
        { tags: ["y"] },
        { tags: ["x"], event: "e" },
        { tags: ["x"], archived: true },
        { tags: [], providers: ["x"] },
        { tags: ["x"], enqueuedAfter: 0 }
      ]
      yield* Effect.forEach(
        foreign,
        (query) =>
          Effect.map(
            Effect.flip(list(place, { ...query, cursor })),
            (error) => assert.strictEqual(error._tag, "InvalidCursor")
          )
      )
      const elsewhere = { ...place, scope: Scope.make(place.scope + 500_000) }
      assert.strictEqual((yield* Effect.flip(list(elsewhere, { tags: ["x"], cursor })))._tag, "InvalidCursor")
      assert.lengthOf((yield* list(place, { tags: ["x"], limit: 50, cursor })).items, 2)
    }))

  it.effect("a cursor does not show the ids it stands for", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      yield* Effect.forEach([1, 2], () => Fixture.accepted(place))
      const { cursor = "", items: [last] } = yield* list(place, { limit: 1 })
      const seen = [cursor, Buffer.from(cursor, "base64url").toString("latin1")]
      assert.isDefined(last)
      for (const text of seen) assert.notInclude(text, last?.id.slice(11) ?? "")
    }))
}
