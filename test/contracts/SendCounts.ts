import type { Journal, NewMessage } from "#src/delivery/Journal.ts"
import { type Count, SendCounts, type Taken } from "#src/flows/SendCounts.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const hour = 3_600_000

/** A place of its own, whose hour has just begun, and messages that are stored there. */
const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  const counts = yield* SendCounts
  const from = Math.ceil(Math.max(place.at, yield* Clock.currentTimeMillis) / hour) * hour
  yield* TestClock.setTime(from)
  const of = (subject: string, most: number | undefined, more: Partial<Count> = {}): Count => ({
    per: "user",
    period: "hour",
    subject,
    from,
    until: from + hour,
    most,
    ...more
  })
  const take = (message: Pick<NewMessage, "id" | "scope">, ...all: ReadonlyArray<Count>) =>
    counts.take({ scope: message.scope, messageId: message.id, counts: all })
  const used = (...all: ReadonlyArray<Count>) => counts.used(place.scope, all)
  return { counts, from, of, place, take, used, message: Fixture.accepted(place) }
})

const counted: Taken = { _tag: "Counted" }
const reached = (count: Count): Taken => ({ _tag: "Reached", count })

/** What every store promises of the counts of send limits. */
export const sendCountsContract = <E>(name: string, stores: Layer.Layer<Journal | SendCounts, E>) =>
  layer(stores)(`SendCounts: ${name}`, (it) => {
    it.effect("so many messages count as the limit says, and no more", () =>
      Effect.gen(function*() {
        const { message, of, take, used } = yield* start
        const two = of("ada", 2)
        assert.deepStrictEqual(yield* take(yield* message, two), counted)
        assert.deepStrictEqual(yield* take(yield* message, two), counted)
        assert.deepStrictEqual(yield* take(yield* message, two), reached(two))
        assert.deepStrictEqual(yield* take(yield* message, of("bob", 2)), counted)
        assert.deepStrictEqual(yield* used(two, of("bob", 2), of("eve", 2)), [2, 1, 0])
        const more = of("ada", 3)
        assert.deepStrictEqual(yield* take(yield* message, more), counted, "the limit was raised")
        assert.deepStrictEqual(yield* take(yield* message, of("eve", 0)), reached(of("eve", 0)))
      }))

    it.effect("a message counts once, also when it is asked for anew, and then goes whatever the counts are", () =>
      Effect.gen(function*() {
        const { message, of, take, used } = yield* start
        const one = of("ada", 1)
        const first = yield* message
        assert.deepStrictEqual(
          yield* Effect.all([take(first, one), take(first, one), take(first, one)], { concurrency: "unbounded" }),
          [counted, counted, counted]
        )
        assert.deepStrictEqual(yield* take(first, one, of("new", 5)), counted)
        assert.deepStrictEqual(yield* used(one, of("new", 5)), [1, 0])
        assert.deepStrictEqual(yield* take(yield* message, one), reached(one))
      }))

    it.effect("a message that one limit ends counts in none; the first that ends it is told", () =>
      Effect.gen(function*() {
        const { message, of, take, used } = yield* start
        const full = of("full", 0)
        const other = of("full", 0, { per: "tenant" })
        const ada = of("ada", 5)
        assert.deepStrictEqual(yield* take(yield* message, ada, full, other), reached(full))
        assert.deepStrictEqual(yield* used(ada, full, other), [0, 0, 0])
      }))

    it.effect("what is only counted ends nothing", () =>
      Effect.gen(function*() {
        const { message, of, take, used } = yield* start
        const any = of("ada", undefined)
        for (let n = 0; n < 3; n++) assert.deepStrictEqual(yield* take(yield* message, any), counted)
        assert.deepStrictEqual(yield* used(any), [3])
        assert.deepStrictEqual(yield* take(yield* message, of("ada", 3)), reached(of("ada", 3)))
      }))

    it.effect("each limit, period and stretch of time has a count of its own", () =>
      Effect.gen(function*() {
        const { from, message, of, take, used } = yield* start
        const ada = of("ada", 1)
        const others = [
          of("ada", 1, { per: "tenant" }),
          of("ada", 1, { period: "day" }),
          of("ada", 1, { from: from + hour, until: from + 2 * hour })
        ]
        assert.deepStrictEqual(yield* take(yield* message, ada), counted)
        assert.deepStrictEqual(yield* used(...others), [0, 0, 0])
        for (const other of others) assert.deepStrictEqual(yield* take(yield* message, other), counted)
        assert.deepStrictEqual(yield* used(ada, ...others), [1, 1, 1, 1])
      }))

    it.effect("of many at once exactly so many count as may, whatever else each of them counts in", () =>
      Effect.gen(function*() {
        const { message, of, take, used } = yield* start
        const all = of("all", 23)
        const messages = yield* Effect.forEach(Array.from({ length: 60 }), () => message)
        const taken = yield* Effect.forEach(
          messages,
          // Some one way round and some the other: two who lock the same two must not wait for each other.
          (one, n) => n % 2 === 0 ? take(one, all, of(`${n % 7}`, 100)) : take(one, of(`${n % 7}`, 100), all),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(taken.filter(({ _tag }) => _tag === "Counted").length, 23)
        const each = yield* used(...Array.from({ length: 7 }, (_, n) => of(`${n}`, 100)))
        assert.deepStrictEqual([yield* used(all), each.reduce((a, b) => a + b)], [[23], 23])
      }))

    it.effect("a message that is not stored counts nowhere", () =>
      Effect.gen(function*() {
        const { of, place, take, used } = yield* start
        const ada = of("ada", 5)
        assert.deepStrictEqual(yield* take(Fixture.message(place), ada), { _tag: "Absent" })
        assert.deepStrictEqual(yield* used(ada), [0])
      }))

    it.effect("the sweep deletes counts whose time is over, a limit at a time, and nothing else", () =>
      Effect.gen(function*() {
        // Those of other tests are over.
        yield* TestClock.adjust(3 * hour)
        yield* Effect.repeat((yield* SendCounts).sweep(1_000), { while: (gone) => gone > 0 })
        const { counts, from, message, of, take, used } = yield* start
        const old = [of("a", 9), of("b", 9), of("c", 9)]
        const later = of("d", 9, { until: from + 2 * hour })
        yield* take(yield* message, ...old, later)
        // A minute longer than their hour: who has read the clock before its end may count later.
        yield* TestClock.adjust(hour + 60_000 - 1)
        assert.strictEqual(yield* counts.sweep(2), 0)
        yield* TestClock.adjust(1)
        assert.deepStrictEqual([yield* counts.sweep(2), yield* counts.sweep(2)], [2, 1])
        assert.strictEqual(yield* counts.sweep(2), 0)
        assert.deepStrictEqual(yield* used(...old, later), [0, 0, 0, 1])
      }))

    it.effect("P10: environments have counts of their own", () =>
      Effect.gen(function*() {
        const { message, of, take } = yield* start
        const elsewhere = yield* start
        const one = of("ada", 1)
        assert.deepStrictEqual(yield* take(yield* message, one), counted)
        assert.deepStrictEqual(yield* elsewhere.used(one), [0])
        assert.deepStrictEqual(yield* take(yield* elsewhere.message, one), counted)
        assert.deepStrictEqual(yield* take(yield* message, one), reached(one))
      }))
  })
