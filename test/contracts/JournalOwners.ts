import { Journal, type Step } from "#src/delivery/Journal.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"

const writes = {
  begin: { conditional: true, tries: 1 },
  intent: { conditional: true, lifecycle: ["Route"], attempt: Fixture.attempt(1, "intent") },
  settle: {
    lifecycle: ["Route", "Send"],
    attempt: Fixture.attempt(1, "accepted"),
    dueAt: null,
    inbox: {
      userId: Fixture.user,
      tenantId: undefined,
      rendered: Fixture.rendered("stale"),
      createdAt: 1,
      expiresAt: undefined
    }
  }
} satisfies Record<string, Partial<Step>>

/** Who may write: the holder of a shard's newest epoch. */
export const owners = (it: Vitest.MethodsNonLive<Journal | MessageLog | Inbox>) => {
  it.effect("P2: epochs of a shard only grow, and other shards have their own", () =>
    Effect.gen(function*() {
      const [place, elsewhere] = [yield* Fixture.world, yield* Fixture.world]
      const journal = yield* Journal
      const taken = yield* Effect.forEach([1, 2, 3], (n) => journal.take(place.shard, `node ${n}`, place.at + n))
      const [first, second, third] = taken.map((ownership) => ownership.epoch)
      assert.isTrue(
        first !== undefined && second !== undefined && third !== undefined && first < second && second < third
      )
      assert.deepStrictEqual(taken.map((ownership) => ownership.shard), [place.shard, place.shard, place.shard])
      assert.strictEqual((yield* journal.take(elsewhere.shard, "node", place.at)).epoch, first)
    }))

  it.effect.prop(
    "P2: nodes that take a shard at once all get different epochs",
    { count: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 8 })) },
    ({ count }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        const taken = yield* Effect.forEach(
          Array.from({ length: count }, (_, n) => n),
          (n) => journal.take(place.shard, `node ${n}`, place.at),
          { concurrency: "unbounded" }
        )
        assert.lengthOf([...new Set(taken.map((ownership) => ownership.epoch))], count)
      }),
    { arbitrary: { runs: 10 } }
  )

  for (const [name, write] of Object.entries(writes)) {
    it.effect(`P2: a stale owner's ${name} is fenced and nothing of it is written`, () =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        const log = yield* MessageLog
        const message = yield* Fixture.accepted(place)
        const stale = yield* journal.take(place.shard, "one", place.at)
        const current = yield* journal.take(place.shard, "two", place.at)
        const fenced = yield* Effect.forEach(
          [stale.epoch, stale.epoch - 1, current.epoch + 1],
          (epoch) =>
            journal.record(Fixture.step(message, epoch, { ...write, events: [{ type: "MAPPED", ts: place.at }] }))
        )
        assert.deepStrictEqual(fenced, [{ _tag: "Fenced" }, { _tag: "Fenced" }, { _tag: "Fenced" }])
        assert.strictEqual((yield* log.get(place.scope, message.id)).status, "ENQUEUED")
        assert.deepStrictEqual(yield* log.attempts(place.scope, message.id), [])
        assert.lengthOf(yield* log.history(place.scope, message.id), 1)
        const inbox = yield* (yield* Inbox).list(place.scope, Fixture.user, { limit: 10, cursor: undefined })
        assert.deepStrictEqual(inbox.items, [])
        assert.strictEqual((yield* journal.record(Fixture.step(message, current.epoch, write)))._tag, "Written")
      }))
  }

  it.effect("P2: a shard that nobody took has no owner", () =>
    Effect.gen(function*() {
      const message = yield* Fixture.accepted(yield* Fixture.world)
      const journal = yield* Journal
      const results = yield* Effect.forEach([0, 1], (epoch) =>
        journal.record(Fixture.step(message, epoch, writes.settle)))
      assert.deepStrictEqual(results, [{ _tag: "Fenced" }, { _tag: "Fenced" }])
    }))

  it.effect("P2: in one flush, current owners are written and stale ones are not", () =>
    Effect.gen(function*() {
      const places = yield* Effect.all(Array.from({ length: 8 }, () => Fixture.world))
      const journal = yield* Journal
      const calls = yield* Effect.forEach(places, (place, n) =>
        Effect.gen(function*() {
          const message = yield* Fixture.accepted(place)
          const { epoch } = yield* journal.take(place.shard, "one", place.at)
          if (n % 2 === 1) yield* journal.take(place.shard, "two", place.at)
          return Fixture.step(message, epoch, writes.settle)
        }))
      const results = yield* Effect.forEach(calls, journal.record, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        results.map((result) => result._tag),
        places.map((_, n) => n % 2 === 1 ? "Fenced" : "Written")
      )
    }))
}
