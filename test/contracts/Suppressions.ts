import { SuppressionReason } from "#schemas/Suppression.ts"
import { type Address, type Suppressing, Suppressions } from "#src/people/Suppressions.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

/** Of what a person suppresses, no provider told. */
const byHand = { provider: undefined, detail: undefined } as const

const month = 30 * 86_400_000

const ada: Address = { channel: "email", address: "ada@example.com" }
const bob: Address = { channel: "sms", address: "+4915112345678" }

const suppressing = (reason: SuppressionReason, of: Address = ada, more: Partial<Suppressing> = {}): Suppressing => ({
  ...of,
  reason,
  provider: "relay",
  detail: "550 'gone' \\ {NULL} é\u{1f984}",
  ...more
})

/** What is told of an address, and how long ago that happened, in ms; `null`: now. */
const Told = Schema.Struct({ reason: SuppressionReason, age: Schema.NullOr(Schema.Literals([1, 2, 3])) })

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const suppressions = yield* Suppressions
  const at = yield* Clock.currentTimeMillis
  const add = (...all: ReadonlyArray<Suppressing>) => suppressions.add(scope, all)
  const reason = (of: Address = ada) => suppressions.reason(scope, of)
  const list = (more: object = {}) =>
    suppressions.list(scope, { limit: 100, cursor: undefined, channel: undefined, reason: undefined, ...more })
  return { at, scope, suppressions, add, reason, list }
})

/** What every store of suppressed addresses promises. */
export const suppressionsContract = <E>(name: string, stores: Layer.Layer<Suppressions, E>) =>
  layer(stores)(`Suppressions: ${name}`, (it) => {
    it.effect("one comes back as it was told, with its time, by its channel and address alone", () =>
      Effect.gen(function*() {
        const { add, at, list, reason, scope, suppressions } = yield* start
        assert.isTrue(yield* add(suppressing("COMPLAINED"), suppressing("MANUAL", bob, byHand)))
        const one = { ...suppressing("COMPLAINED"), created: at, expires: undefined }
        const other = { ...suppressing("MANUAL", bob, byHand), created: at, expires: undefined }
        assert.deepStrictEqual(yield* suppressions.get(scope, ada), one)
        assert.deepStrictEqual(yield* suppressions.get(scope, bob), other)
        assert.sameDeepMembers([...(yield* list()).items], [one, other])
        const asked = [ada, bob, { ...ada, address: "adas@example.com" }, { ...bob, channel: "email" as const }]
        const reasons = yield* Effect.forEach(asked, reason, { concurrency: "unbounded" })
        assert.deepStrictEqual(reasons, ["COMPLAINED", "MANUAL", undefined, undefined])
      }))

    it.effect("a bounce counts for 30 days, and any other reason until it is removed", () =>
      Effect.gen(function*() {
        const { add, list, reason, scope, suppressions } = yield* start
        yield* add(suppressing("BOUNCED"), suppressing("UNSUBSCRIBED", bob))
        yield* TestClock.adjust(month - 1)
        assert.strictEqual(yield* reason(), "BOUNCED")
        yield* TestClock.adjust(1)
        assert.deepStrictEqual([yield* reason(), yield* reason(bob)], [undefined, "UNSUBSCRIBED"])
        assert.strictEqual((yield* Effect.flip(suppressions.get(scope, ada)))._tag, "SuppressionNotFound")
        assert.strictEqual((yield* Effect.flip(suppressions.remove(scope, ada)))._tag, "SuppressionNotFound")
        assert.deepStrictEqual((yield* list()).items.map(({ address }) => address), [bob.address])
        yield* add(suppressing("BOUNCED"))
        yield* TestClock.adjust(month - 1)
        assert.strictEqual(yield* reason(), "BOUNCED")
      }))

    it.effect.prop(
      "of all that is told of an address the strongest holds, the first of equals; a bounce counts from the last one on",
      { first: SuppressionReason, second: SuppressionReason },
      ({ first, second }) =>
        Effect.gen(function*() {
          const { add, scope, suppressions } = yield* start
          yield* add(suppressing(first, ada, { provider: "first" }))
          yield* TestClock.adjust(1_000)
          const changed = yield* add(suppressing(second, ada, { provider: "second" }))
          const strength = (reason: SuppressionReason) => SuppressionReason.literals.indexOf(reason)
          const isReplaced = first === "BOUNCED" || strength(second) > strength(first)
          const found = yield* suppressions.get(scope, ada)
          assert.strictEqual(changed, isReplaced)
          assert.strictEqual(found.reason, isReplaced ? second : first)
          assert.strictEqual(found.provider, isReplaced ? "second" : "first")
        })
    )

    it.effect.prop(
      "of what is told of an address at once, in any order, the last to happen of the strongest holds",
      { told: Schema.Array(Told).check(Schema.isMaxLength(4)) },
      ({ told }) =>
        Effect.gen(function*() {
          yield* TestClock.adjust("1 day")
          const { add, at, list } = yield* start
          const all = told.map(({ age, reason }) => suppressing(reason, ada, age === null ? {} : { at: at - age }))
          assert.strictEqual(yield* add(...all), told.length > 0)
          const held = (yield* list()).items.map(({ created, reason }) => ({ reason, created }))
          const reason = SuppressionReason.literals.findLast((one) => told.some((each) => each.reason === one))
          const ages = told.filter((one) => one.reason === reason).map(({ age }) => age ?? 0)
          assert.deepStrictEqual(held, reason === undefined ? [] : [{ reason, created: at - Math.min(...ages) }])
        })
    )

    it.effect("many who tell of the same addresses at once, in any order, all have their way", () =>
      Effect.gen(function*() {
        const { add, list } = yield* start
        const all = Array.from({ length: 40 }, (_, n) => suppressing("BOUNCED", { ...ada, address: `${n}@x.test` }))
        yield* Effect.forEach(
          [all, all.toReversed(), all.slice(20), all.toReversed().slice(20), all],
          (some) => add(...some),
          { concurrency: "unbounded" }
        )
        assert.lengthOf((yield* list()).items, 40)
      }))

    it.effect("one that is removed is free, until it is told of anew", () =>
      Effect.gen(function*() {
        const { add, reason, scope, suppressions } = yield* start
        yield* add(suppressing("COMPLAINED"))
        yield* suppressions.remove(scope, ada)
        assert.isUndefined(yield* reason())
        assert.strictEqual((yield* Effect.flip(suppressions.remove(scope, ada)))._tag, "SuppressionNotFound")
        yield* add(suppressing("BOUNCED"))
        assert.strictEqual(yield* reason(), "BOUNCED")
      }))

    it.effect.prop(
      "what a vendor repeats moves nothing, and suppresses nothing that was freed after it happened; what a person adds does",
      { reason: SuppressionReason, age: Schema.Literals([1, 3_600_000, 20 * 3_600_000]) },
      ({ age, reason: why }) =>
        Effect.gen(function*() {
          yield* TestClock.adjust("2 days")
          const { add, at, list, reason, scope, suppressions } = yield* start
          const told = suppressing(why, ada, { at: at - age })
          const again = Effect.andThen(TestClock.adjust("1 hour"), add(told))
          assert.isTrue(yield* add(told))
          const held = yield* suppressions.get(scope, ada)
          assert.strictEqual(held.created, at - age)
          assert.strictEqual(held.expires, why === "BOUNCED" ? at - age + month : undefined)
          assert.isFalse(yield* again)
          assert.deepStrictEqual(yield* suppressions.get(scope, ada), held)
          yield* suppressions.remove(scope, ada)
          assert.isFalse(yield* again)
          assert.deepStrictEqual([yield* reason(), (yield* list()).items], [undefined, []])
          yield* suppressions.sweep(1_000)
          assert.isFalse(yield* again, "after a sweep")
          assert.isTrue(yield* add(suppressing("MANUAL", ada, byHand)))
          assert.isFalse(yield* again, "after another one, whose reason is weaker")
          assert.strictEqual(yield* reason(), "MANUAL")
          yield* suppressions.remove(scope, ada)
          const now = yield* Clock.currentTimeMillis
          assert.isFalse(yield* add(suppressing(why, ada, { at: now })))
          yield* TestClock.adjust(2)
          assert.isTrue(yield* add(suppressing(why, ada, { at: now + 1 })), "it happened later")
          assert.strictEqual((yield* suppressions.get(scope, ada)).created, now + 1)
        })
    )

    it.effect("a bounce counts for 30 days from when it happened, however late it is told, and the last to happen holds", () =>
      Effect.gen(function*() {
        yield* TestClock.adjust(month)
        const { add, at, reason, scope, suppressions } = yield* start
        const bounce = (when: number) => add(suppressing("BOUNCED", ada, { at: when }))
        assert.isFalse(yield* bounce(at - month))
        assert.isTrue(yield* bounce(at - 2_000))
        assert.isTrue(yield* bounce(at - 1_000.5))
        assert.isFalse(yield* bounce(at - 1_500))
        assert.isTrue(yield* bounce(at + month), "a clock that is ahead")
        assert.deepInclude(yield* suppressions.get(scope, ada), { created: at, expires: at + month })
        const both = [suppressing("BOUNCED", bob, { at: at - 2 }), suppressing("BOUNCED", bob, { at: at - 1 })]
        yield* add(...both)
        assert.strictEqual((yield* suppressions.get(scope, bob)).created, at - 1)
        yield* TestClock.adjust(month)
        assert.isUndefined(yield* reason())
      }))

    it.effect("that an address was freed is remembered for 30 days, and then swept", () =>
      Effect.gen(function*() {
        const { add, suppressions, scope } = yield* start
        const others = Effect.repeat(suppressions.sweep(1_000), { while: (gone) => gone > 0 })
        yield* TestClock.adjust(month)
        yield* others
        yield* add(suppressing("COMPLAINED"))
        yield* suppressions.remove(scope, ada)
        yield* TestClock.adjust(month - 1)
        assert.strictEqual(yield* suppressions.sweep(1_000), 0)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* suppressions.sweep(1_000), 1)
      }))

    it.effect("a list is in pages, the newest first, also of one channel or reason alone", () =>
      Effect.gen(function*() {
        const { add, list } = yield* start
        const addresses = Array.from({ length: 7 }, (_, n) => ({ ...ada, address: `${n}@example.com` }))
        for (const [n, one] of addresses.entries()) {
          yield* add(suppressing(n % 3 === 0 ? "MANUAL" : "BOUNCED", one), suppressing("MANUAL", bob))
          // Two have the same time.
          yield* TestClock.adjust(n === 3 ? 0 : 1)
        }
        const walk = Effect.fnUntraced(function*(filters: object) {
          const seen: Array<string> = []
          let cursor: string | undefined
          do {
            const page = yield* list({ ...filters, limit: 2, cursor })
            seen.push(...page.items.map(({ address }) => address))
            cursor = page.cursor
          } while (cursor !== undefined)
          return seen
        })
        const newest = addresses.map(({ address }) => address).toReversed()
        assert.deepStrictEqual(yield* walk({}), [...newest, bob.address])
        assert.deepStrictEqual(yield* walk({ channel: "email" }), newest)
        assert.deepStrictEqual(yield* walk({ channel: "sms" }), [bob.address])
        assert.deepStrictEqual(yield* walk({ reason: "MANUAL", channel: "email" }), [
          "6@example.com",
          "3@example.com",
          "0@example.com"
        ])
        const { cursor } = yield* list({ limit: 1, reason: "MANUAL" })
        assert.strictEqual((yield* Effect.flip(list({ limit: 1, cursor })))._tag, "InvalidCursor", "of another list")
      }))

    it.effect("the sweep deletes what has expired, a limit at a time, and nothing else", () =>
      Effect.gen(function*() {
        const { add, list, suppressions } = yield* start
        const others = Effect.repeat(suppressions.sweep(1_000), { while: (gone) => gone > 0 })
        yield* TestClock.adjust(month)
        yield* others
        yield* add(...["a", "b", "c"].map((name) => suppressing("BOUNCED", { ...ada, address: `${name}@example.com` })))
        yield* add(suppressing("MANUAL", bob))
        assert.strictEqual(yield* suppressions.sweep(2), 0)
        yield* TestClock.adjust(month)
        assert.deepStrictEqual([yield* suppressions.sweep(2), yield* suppressions.sweep(2)], [2, 1])
        assert.strictEqual(yield* suppressions.sweep(2), 0)
        assert.deepStrictEqual((yield* list()).items.map(({ address }) => address), [bob.address])
      }))

    it.effect("P10: environments do not share them", () =>
      Effect.gen(function*() {
        const { add, list, scope, suppressions } = yield* start
        const elsewhere = yield* start
        yield* add(suppressing("MANUAL"), suppressing("MANUAL", bob))
        const { cursor } = yield* list({ limit: 1 })
        assert.deepStrictEqual((yield* elsewhere.list()).items, [])
        assert.isUndefined(yield* elsewhere.reason())
        assert.strictEqual((yield* Effect.flip(elsewhere.list({ cursor })))._tag, "InvalidCursor")
        assert.strictEqual(
          (yield* Effect.flip(suppressions.remove(elsewhere.scope, ada)))._tag,
          "SuppressionNotFound"
        )
        assert.strictEqual((yield* suppressions.get(scope, ada)).reason, "MANUAL")
      }))
  })
