import type { MessageId } from "#schemas/MessageId.ts"
import { encodePlace, start } from "#src/delivery/Expansion.ts"
import { Expansions, longestPause } from "#src/delivery/expansion/Expansions.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { turnOf } from "#src/delivery/shards/LaneShares.ts"
import type { Profiles } from "#src/people/Profiles.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { accepted, messagesOf, open, pageOf, step } from "#test/contracts/ExpansionFixture.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Effect } from "effect"
import { assert, type Vitest } from "@effect/vitest"

/** What readers find of requests to many and of their messages. */
export const reads = (it: Vitest.MethodsNonLive<Expansions | Journal | MessageLog | Profiles>) => {
  it.effect("pages of requests show each once, the newest first, while others come", () =>
    Effect.gen(function*() {
      const { expansion, place } = yield* accepted()
      const log = yield* MessageLog
      const second = yield* accepted({ id: Fixture.id(place.at + 1) }, place)
      const first = yield* log.requests(place.scope, { state: "RUNNING", limit: 1, cursor: undefined })
      yield* accepted({ id: Fixture.id(place.at + 2) }, place)
      assert.deepStrictEqual(first.items.map(({ id }) => id), [second.expansion.id])
      const rest = yield* log.requests(place.scope, { state: "RUNNING", limit: 9, cursor: first.cursor })
      assert.deepStrictEqual([rest.items.map(({ id }) => id), rest.cursor], [[expansion.id], undefined])
      const other = log.requests(place.scope, { state: "FAILED", limit: 9, cursor: first.cursor })
      assert.strictEqual((yield* Effect.flip(other))._tag, "InvalidCursor")
    }))

  it.effect("the backlog of a turn is its environment's and tenant's bulk that is ready, and nobody else's", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const { place } = given
      const expansions = yield* Expansions
      yield* expansions.advance(step(given, { page: pageOf(given, ["a", "b", "c"]) }))
      const other = yield* Fixture.world
      const stored = [
        { lane: "bulk", tenantId: "t" },
        { lane: "bulk", tenantId: "t", dueAt: place.at + 1_000 },
        { lane: "transactional", tenantId: "t" }
      ] as const
      for (const more of stored) {
        yield* (yield* Journal).accept(Fixture.acceptance(place, [Fixture.message(place, more)]))
      }
      yield* (yield* Journal).accept(Fixture.acceptance(other, [Fixture.message(other, { lane: "bulk" })]))
      const turns = (...tenants: ReadonlyArray<string>) =>
        tenants.map((tenantId) => turnOf({ scope: place.scope, tenantId }))
      const cases = [[turns(""), 3], [turns("t"), 1], [turns("", "t"), 4], [turns("nobody"), 0]] as const
      for (const [turns, count] of cases) {
        assert.isFalse(yield* expansions.isBacklogged(count, turns))
        if (count > 0) assert.isTrue(yield* expansions.isBacklogged(count - 1, turns))
      }
      assert.isFalse(yield* expansions.isBacklogged(0, []))
    }))

  it.effect("P7: a clock that was ahead and is set back keeps no request waiting for longer than the longest pause", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const { at } = given.place
      const ahead = at + 3_600_000
      const waits = (dueAt: number, from: string, at: number) =>
        Effect.flatMap(
          Expansions,
          (expansions) => expansions.advance(step(given, { at, from, to: from, page: undefined, dueAt }))
        )
      yield* waits(ahead + 1_000, encodePlace(start), ahead)
      const isDue = Effect.map(open(given), ({ rows }) => rows.length === 1)
      assert.isTrue(yield* isDue)
      yield* waits(at + longestPause, encodePlace(start), at)
      assert.isFalse(yield* isDue)
      const { next, rows } = yield* open(given, at + longestPause)
      assert.deepStrictEqual([next, rows.map(({ id }) => id)], [undefined, [given.expansion.id]])
    }))

  it.effect("requests that were not expanded are told of by their messages; those of others not at all", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const expansions = yield* Expansions
      const one = yield* Fixture.accepted(place)
      const found = yield* expansions.find(place.scope, one.requestId)
      assert.deepStrictEqual([found.state, found.messages, found.acceptedAt], ["COMPLETED", 1, place.at])
      const elsewhere = (yield* Fixture.world).scope
      assert.strictEqual((yield* Effect.flip(expansions.find(elsewhere, one.requestId)))._tag, "RequestNotFound")
      const given = yield* accepted()
      assert.strictEqual((yield* Effect.flip(expansions.find(elsewhere, given.expansion.id)))._tag, "RequestNotFound")
    }))

  it.effect("a member's message is no request, whoever asks by its id", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const { place } = given
      const expansions = yield* Expansions
      const log = yield* MessageLog
      yield* expansions.advance(step(given))
      const [member] = yield* messagesOf(given)
      assert.isDefined(member)
      if (member === undefined) return
      assert.strictEqual((yield* Effect.flip(expansions.find(place.scope, member.id)))._tag, "RequestNotFound")
      assert.strictEqual((yield* Effect.flip(log.archive(place.scope, member.id)))._tag, "RequestNotFound")
      const traced = yield* log.list(place.scope, { ...Fixture.anything, traceId: member.id })
      assert.deepStrictEqual(traced.items, [])
    }))

  it.effect("messages of a list are found by it, and an archived request hides the ones still to come", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const expansions = yield* Expansions
      const log = yield* MessageLog
      yield* expansions.advance(step(given))
      const byList = (list: string) =>
        Effect.map(log.list(given.place.scope, { ...Fixture.anything, list }), ({ items }) => items.length)
      assert.deepStrictEqual([yield* byList("everyone"), yield* byList("nobody")], [2, 0])
      yield* log.archive(given.place.scope, given.expansion.id)
      yield* expansions.advance(
        step(given, { from: step(given).to, to: encodePlace({ index: 1 }), page: pageOf(given, ["z"]) })
      )
      assert.deepStrictEqual(yield* messagesOf(given), [])
      assert.strictEqual(yield* byList("everyone"), 0)
      const all = yield* log.list(given.place.scope, { ...Fixture.anything, archived: true, list: "everyone" })
      assert.deepStrictEqual(all.items.map(({ archived }) => archived), [true, true, true])
      assert.isTrue((yield* expansions.find(given.place.scope, given.expansion.id)).archived)
    }))

  it.effect("a walk of a list meets each of its messages once, whatever was sent to others beside it", () =>
    Effect.gen(function*() {
      const first = yield* accepted()
      const { place } = first
      const expansions = yield* Expansions
      const log = yield* MessageLog
      yield* Fixture.accepted(place, { id: Fixture.id(place.at) })
      for (const [ms, list] of [[0, "everyone"], [0, "others"], [1, "everyone"], [2_000, "everyone"]] as const) {
        const given = yield* accepted({ id: Fixture.id(place.at + ms) }, place)
        yield* expansions.advance(step(given, { page: pageOf(given, ["a", "b", "c"], list) }))
      }
      const walk = Effect.fnUntraced(function*(cursor?: string): Effect.fn.Return<
        ReadonlyArray<MessageId>,
        Effect.Error<ReturnType<typeof log.list>>
      > {
        const page = yield* log.list(place.scope, { ...Fixture.anything, list: "everyone", limit: 2, cursor })
        const ids = page.items.map(({ id }) => id)
        return page.cursor === undefined ? ids : [...ids, ...yield* walk(page.cursor)]
      })
      const ids = yield* walk()
      assert.strictEqual(new Set(ids).size, 9)
      assert.deepStrictEqual(ids, ids.toSorted().toReversed())
    }))
}
