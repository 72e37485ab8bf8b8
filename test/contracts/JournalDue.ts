import type { MessageId } from "#schemas/MessageId.ts"
import { Journal, type Window } from "#src/delivery/Journal.ts"
import * as OpenMessage from "#src/delivery/journal/OpenMessage.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"

export const look = (place: Fixture.World, more: Partial<Window> = {}) =>
  Journal.use((journal) => journal.due(Fixture.window(place, more)))

export const idsOf = (rows: ReadonlyArray<{ readonly id: MessageId }>) => rows.map((row) => row.id)

/** What the owner of shards reads. */
export const due = (it: Vitest.MethodsNonLive<Journal>) => {
  it.effect("an empty shard has nothing due, and nothing later", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* look(yield* Fixture.world), Fixture.nothingDue)
      assert.deepStrictEqual(yield* look(yield* Fixture.world, { shards: [] }), Fixture.nothingDue)
    }))

  it.effect("shards are read together however far the numbers of messages have come since each was taken", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const message = yield* Fixture.accepted(place)
      const { rows } = yield* look(place, {
        shards: [{ shard: place.shard, takenAtSeq: 0 }, { shard: place.shard + 1, takenAtSeq: 3_000_000_000 }]
      })
      assert.deepStrictEqual(idsOf(rows), [message.id])
    }))

  it.effect("a row is the message as it was accepted", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const message = yield* Fixture.accepted(place, {
        recipient: { user_id: "ada", data: Fixture.hostile },
        instructions: { data: { same: Fixture.hostile } },
        lane: "bulk",
        keyState: "draft"
      })
      const { rows } = yield* look(place)
      const [open] = yield* Effect.forEach(rows, OpenMessage.fromRow)
      const {
        event: _1,
        events: _2,
        recipientName: _3,
        size: _4,
        tags: _5,
        template: _6,
        tenantId: _7,
        traceId: _8,
        ...fields
      } = message
      assert.lengthOf(rows, 1)
      assert.isDefined(open)
      for (const [name, value] of Object.entries(fields)) {
        assert.deepStrictEqual(Object.entries(open ?? {}).find(([own]) => own === name)?.[1], value, name)
      }
    }))

  it.effect("P3: ready rows come in the order of acceptance within shard and lane, whatever their ids and clocks say", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const other = { ...place, shard: (yield* Fixture.world).shard }
      const all = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, n) => n),
        (n) =>
          Fixture.accepted(n % 3 === 0 ? other : place, {
            lane: n % 2 === 0 ? "transactional" : "bulk",
            enqueuedAt: place.at - n * 1_000,
            recipientKey: `r${n}`
          })
      )
      const { complete, rows } = yield* look(place, {
        shards: [place, other].map(({ shard }) => ({ shard, takenAtSeq: 0 }))
      })
      assert.isTrue(complete)
      assert.lengthOf(rows, all.length)
      for (const shard of [place.shard, other.shard]) {
        for (const lane of ["transactional", "bulk"]) {
          const mine = (row: { readonly shard: number; readonly lane: string }) =>
            row.shard === shard && row.lane === lane
          assert.deepStrictEqual(idsOf(rows.filter(mine)), idsOf(all.filter(mine)))
        }
      }
    }))

  it.effect("messages of one acceptance keep their order", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const all = Array.from({ length: 20 }, () => Fixture.message(place))
      yield* journal.accept(Fixture.acceptance(place, all))
      assert.deepStrictEqual(idsOf((yield* look(place)).rows), idsOf(all))
    }))

  it.effect("P3: a recipient's ready rows come in the order of acceptance, whatever tenants they are for", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const tenants = ["y", undefined, "x", "y"]
      const all = Array.from({ length: 20 }, (_, n) => Fixture.message(place, { tenantId: tenants[n % 4] }))
      yield* (yield* Journal).accept(Fixture.acceptance(place, all))
      // From this environment's turns on: a look takes 32 of them, and the store holds those of other tests.
      const { rows } = yield* look(place, { limit: 60, after: `${place.scope}9~` })
      assert.deepStrictEqual(idsOf(rows), idsOf(all))
    }))

  it.effect("timed rows come when their time has come, the most overdue of all tenants first; the next one's time is told", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const [late, early, exact] = yield* Effect.all([
        Fixture.accepted(place, { dueAt: place.at + 30, tenantId: "acme" }),
        Fixture.accepted(place, { dueAt: place.at + 10, tenantId: "acme" }),
        Fixture.accepted(place, { dueAt: place.at + 20 }),
        Fixture.accepted(place, { dueAt: place.at + 40, lane: "bulk" })
      ])
      assert.deepStrictEqual(yield* look(place), { ...Fixture.nothingDue, next: place.at + 10 })
      const some = yield* look(place, { now: place.at + 20 })
      assert.deepStrictEqual([idsOf(some.rows), some.next], [[early.id, exact.id], place.at + 30])
      const most = yield* look(place, { now: place.at + 39 })
      assert.deepStrictEqual([idsOf(most.rows), most.next], [[early.id, exact.id, late.id], place.at + 40])
      assert.isUndefined((yield* look(place, { now: place.at + 40 })).next)
    }))

  it.effect("what is in hand, and what waits for a full mailbox, is left out", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const [held, full, timed, rest] = yield* Effect.all([
        Fixture.accepted(place),
        Fixture.accepted(place, { recipientKey: "full" }),
        Fixture.accepted(place, { recipientKey: "full", dueAt: place.at - 1 }),
        Fixture.accepted(place, { recipientKey: "fuller" })
      ])
      const { rows } = yield* look(place, { held: [held.id], fullMailboxes: ["full"] })
      assert.deepStrictEqual(idsOf(rows), [rest.id])
      assert.sameMembers(idsOf((yield* look(place)).rows), [held.id, full.id, timed.id, rest.id])
    }))

  it.effect("only the named shards are read", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const elsewhere = yield* Fixture.world
      yield* Effect.all([
        Fixture.accepted(elsewhere),
        Fixture.accepted(elsewhere, { dueAt: elsewhere.at }),
        Fixture.accepted(elsewhere, { dueAt: elsewhere.at + 1 })
      ])
      assert.deepStrictEqual(yield* look(place), Fixture.nothingDue)
    }))

  it.effect.prop(
    "windows are bounded, and reading on with what is in hand finds every due row once",
    {
      rows: Schema.Array(Schema.Struct({ timed: Schema.Boolean, bulk: Schema.Boolean })).check(Schema.isMaxLength(30)),
      limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))
    },
    ({ limit, rows }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const all = rows.map(({ bulk, timed }, n) =>
          Fixture.message(place, { lane: bulk ? "bulk" : "transactional", dueAt: timed ? place.at - n : 0 })
        )
        const later = Fixture.message(place, { dueAt: place.at + 77 })
        yield* (yield* Journal).accept(Fixture.acceptance(place, [...all, later]))
        const held: Array<MessageId> = []
        let window = yield* look(place, { limit })
        while (!window.complete) {
          assert.isUndefined(window.next)
          assert.isAtMost(window.rows.length, 4 * limit)
          assert.isNotEmpty(window.rows, "a window that is not complete brings something")
          held.push(...idsOf(window.rows))
          window = yield* look(place, { limit, held })
        }
        held.push(...idsOf(window.rows))
        assert.strictEqual(window.next, place.at + 77)
        assert.lengthOf(held, all.length)
        assert.sameMembers(held, idsOf(all))
      }),
    { arbitrary: { runs: 15 } }
  )

  it.effect("rows bring their attempts, the oldest first", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      const [tried, fresh] = yield* Effect.all([Fixture.accepted(place), Fixture.accepted(place)])
      const attempts = [
        Fixture.attempt(1, "rejected", { kind: "Unavailable", retryAfter: 5, error: "503", provider: "one" }),
        Fixture.attempt(2, "unknown", { kind: "Unknown" }),
        Fixture.attempt(3, "intent")
      ]
      yield* Effect.forEach(attempts, (attempt, n) =>
        journal.record(Fixture.step(tried, epoch, { at: place.at + n, attempt })))
      const { rows } = yield* look(place)
      assert.deepStrictEqual(rows.map((row) => [row.id, row.attempts]), [[tried.id, attempts], [fresh.id, []]])
    }))

  it.effect("what was open before the shard was taken is marked as recovered, and nothing else", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const before = yield* Effect.all([
        Fixture.accepted(place),
        Fixture.accepted(place, { dueAt: place.at - 5 })
      ])
      const { seq } = yield* journal.take(place.shard, "node", place.at)
      const after = yield* Effect.all([
        Fixture.accepted(place),
        Fixture.accepted(place, { dueAt: place.at - 4 })
      ])
      const { rows } = yield* look(place, { shards: [{ shard: place.shard, takenAtSeq: seq }] })
      const recovered = (flag: boolean) => idsOf(rows.filter((row) => row.recovered === flag))
      assert.sameMembers(recovered(true), idsOf(before))
      assert.sameMembers(recovered(false), idsOf(after))
    }))

  it.effect("a wait that ended and a status that moved are in the row", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      const message = yield* Fixture.accepted(place, { status: "DELAYED", dueAt: place.at + 10 })
      yield* journal.record(
        Fixture.step(message, epoch, { lifecycle: ["Due", "Route"], dueAt: place.at + 500, tries: 2 })
      )
      const { rows } = yield* look(place, { now: place.at + 500 })
      assert.deepStrictEqual(
        rows.map(({ dueAt, status, tries }) => ({ dueAt, status, tries })),
        [{ dueAt: place.at + 500, status: "ROUTED", tries: 2 }]
      )
    }))
}
