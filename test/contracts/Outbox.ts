import { Journal } from "#src/delivery/Journal.ts"
import type { Expansions } from "#src/delivery/expansion/Expansions.ts"
import type { Submissions } from "#src/content/Submissions.ts"
import type { Templates } from "#src/content/Templates.ts"
import type { Audiences } from "#src/people/Audiences.ts"
import type { AudienceSteps } from "#src/people/AudienceSteps.ts"
import type { Profiles } from "#src/people/Profiles.ts"
import { type Claimed, lease, type Outbox, probing } from "#src/reports/webhooks/Outbox.ts"
import type { Webhooks } from "#src/reports/Webhooks.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { events } from "#test/contracts/OutboxEvents.ts"
import * as OutboxFixture from "#test/contracts/OutboxFixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

/** A webhook that is to be told of so many messages. */
const start = Effect.fnUntraced(function*(messages: number) {
  const begun = yield* OutboxFixture.start
  const { outbox, place, scope, webhook, webhooks } = begun
  const claim = (limit = 100) => outbox.claim(limit)
  const { id } = yield* webhook()
  const journal = yield* Journal
  for (let n = 0; n < messages; n++) {
    yield* journal.accept(Fixture.acceptance(place, [Fixture.message(place, { enqueuedAt: place.at + n })]))
  }
  const claimed = Effect.flatMap(
    claim(),
    (found) => found === undefined ? Effect.die("nothing to claim") : Effect.succeed(found)
  )
  return { ...begun, claim, claimed, id, journal, record: webhooks.get(scope, id) }
})

/** What every store promises of what webhooks are to be told. */
export const outboxContract = <E>(
  name: string,
  stores: Layer.Layer<
    Audiences | AudienceSteps | Expansions | Journal | Outbox | Profiles | Submissions | Templates | Webhooks,
    E
  >
) =>
  layer(stores)(`Outbox: ${name}`, (it) => {
    events(it)

    it.effect("a webhook is claimed with what is due, the oldest first, and by one at a time, until its lease is over", () =>
      Effect.gen(function*() {
        const { at, claim, id, outbox, scope } = yield* start(3)
        const [one, other] = yield* Effect.all([claim(2), claim(2)], { concurrency: 2 })
        const claimed = one ?? other
        assert.strictEqual(one === undefined || other === undefined, true)
        assert.deepInclude(claimed, { scope, id, url: "https://example.com/", failures: 0, failing: undefined })
        assert.deepStrictEqual(claimed?.secrets.map(Redacted.value), [Redacted.value(OutboxFixture.secret)])
        assert.strictEqual(claimed?.events.length, 2)
        assert.deepInclude(claimed?.events[0], { at, storedAt: at, tries: 0 })
        yield* TestClock.setTime(at + lease - 1)
        assert.isUndefined(yield* claim())
        yield* TestClock.setTime(at + lease)
        const again = yield* claim()
        assert.strictEqual(again?.events.length, 3)
        assert.isAbove(again?.claim ?? 0, claimed?.claim ?? Infinity)
        if (again !== undefined)
          yield* outbox.settle(
            again,
            OutboxFixture.settlement({ told: again.events.map((event) => event.id) })
          )
        assert.isUndefined(yield* claim())
      }))

    it.effect("what was told is gone, what failed is due again with one more try, what was not tried is due as before", () =>
      Effect.gen(function*() {
        const { at, claim, claimed, outbox, record } = yield* start(4)
        const first = yield* claimed
        const [told, failed, lost, left] = first.events.map(({ id }) => id)
        const settlement = OutboxFixture.settlement({
          told: [told ?? ""],
          again: [{ id: failed ?? "", dueAt: at + 5_000 }],
          lost: [lost ?? ""]
        })
        yield* outbox.settle(first, settlement)
        // As after a commit whose answer did not come.
        yield* outbox.settle(first, settlement)
        assert.deepInclude(yield* record, { lost: 1, reachedAt: at, failing: undefined })
        const second = yield* claimed
        assert.deepStrictEqual(second.events.map(({ id }) => id), [left])
        yield* outbox.settle(second, OutboxFixture.settlement({ told: [left ?? ""], reached: false }))
        yield* TestClock.setTime(at + 4_999)
        assert.isUndefined(yield* claim())
        yield* TestClock.setTime(at + 5_000)
        const third = yield* claimed
        assert.deepStrictEqual(third.events.map(({ id, tries }) => ({ id, tries })), [{ id: failed, tries: 1 }])
        assert.deepInclude(yield* record, { reachedAt: at })
        yield* outbox.settle(third, OutboxFixture.settlement({ told: [failed ?? ""] }))
      }))

    it.effect("one that fails tells since when and why, pauses, and then is asked for with one event", () =>
      Effect.gen(function*() {
        const { at, claim, claimed, outbox, record } = yield* start(3)
        const first = yield* claimed
        const failing = { since: at - 10, error: "It answered 500 é\"'" }
        const failed = { reached: false, failures: probing, failing, pausedUntil: at + 20_000 }
        yield* outbox.settle(first, OutboxFixture.settlement(failed))
        assert.deepInclude(yield* record, { failing, state: "ENABLED", gaveUpAt: undefined, reachedAt: undefined })
        yield* TestClock.setTime(at + 19_999)
        assert.isUndefined(yield* claim())
        yield* TestClock.setTime(at + 20_000)
        const probe = yield* claimed
        assert.strictEqual(probe.events.length, 1)
        assert.deepInclude(probe, { failures: probing, failing })
        yield* outbox.settle(probe, OutboxFixture.settlement({ told: probe.events.map(({ id }) => id) }))
        assert.deepInclude(yield* record, { failing: undefined, reachedAt: at + 20_000 })
        assert.strictEqual((yield* claimed).events.length, 2)
      }))

    it.effect("one that is given up is disabled, and told nothing of before; all of that is swept, and counts as lost", () =>
      Effect.gen(function*() {
        const { at, claim, claimed, journal, outbox, place, record, scope, webhooks } = yield* start(3)
        const first = yield* claimed
        const failing = { since: at, error: "It answered 410" }
        const again = [{ id: first.events[1]?.id ?? "", dueAt: at + 50 }]
        yield* outbox.settle(
          first,
          OutboxFixture.settlement({
            told: [first.events[0]?.id ?? ""],
            again,
            reached: false,
            failures: 1,
            failing,
            givesUp: true
          })
        )
        const given = yield* record
        assert.deepInclude(given, { state: "DISABLED", gaveUpAt: at, failing, lost: 0 })
        yield* TestClock.setTime(at + 10)
        assert.isUndefined(yield* claim())
        yield* webhooks.replace(scope, given.id, { ...given, state: "ENABLED" })
        const fresh = Fixture.message(place)
        yield* journal.accept({ ...Fixture.acceptance(place, [fresh]), at: at + 10 })
        yield* TestClock.setTime(at + 100)
        const next = yield* claimed
        assert.deepStrictEqual(next.events.map(({ happened }) => OutboxFixture.said(happened)), [
          `${fresh.id} ENQUEUED`
        ])
        assert.deepInclude(yield* record, { state: "ENABLED", gaveUpAt: undefined, failing: undefined })
        assert.strictEqual(yield* outbox.sweep(1), 1)
        assert.strictEqual(yield* outbox.sweep(100), 1)
        assert.strictEqual(yield* outbox.sweep(100), 0)
        assert.deepInclude(yield* record, { lost: 2 })
      }))

    it.effect("what was stored before a time is told no more, tried or not, is swept, and counts as lost", () =>
      Effect.gen(function*() {
        const { at, claimed, journal, outbox, place, record } = yield* start(2)
        const late = Fixture.message(place)
        yield* journal.accept({ ...Fixture.acceptance(place, [late]), at: at + 100 })
        const first = yield* claimed
        const again = first.events.slice(0, 1).map(({ id }) => ({ id, dueAt: at + 100 }))
        yield* outbox.settle(first, OutboxFixture.settlement({ reached: false, again, since: at + 100 }))
        yield* TestClock.setTime(at + 100)
        const next = yield* claimed
        assert.deepStrictEqual(next.events.map(({ happened }) => OutboxFixture.said(happened)), [`${late.id} ENQUEUED`])
        assert.strictEqual(yield* outbox.sweep(100), 2)
        assert.deepInclude(yield* record, { lost: 2 })
        // It stays so, whatever a later settlement says.
        yield* outbox.settle(next, OutboxFixture.settlement({ since: at }))
        assert.strictEqual((yield* claimed).events.length, 1)
      }))

    it.effect("of a claim that took too long only what was told counts; it says nothing of a webhook that was claimed again", () =>
      Effect.gen(function*() {
        const { at, claim, claimed, outbox, record } = yield* start(3)
        const slow = yield* claimed
        yield* TestClock.setTime(at + lease)
        const current = yield* claimed
        const [first = "", second = "", third = ""] = slow.events.map(({ id }) => id)
        yield* outbox.settle(
          slow,
          OutboxFixture.settlement({
            told: [first],
            lost: [second],
            again: [{ id: third, dueAt: at + 10 * lease }],
            reached: false,
            failures: 9,
            failing: { since: at, error: "late" },
            givesUp: true,
            since: at + lease
          })
        )
        assert.deepInclude(yield* record, { state: "ENABLED", failing: undefined, lost: 0 })
        assert.isUndefined(yield* claim(), "it is still the other's")
        yield* outbox.settle(current, OutboxFixture.settlement())
        const left = yield* claimed
        assert.sameMembers(left.events.map(({ id }) => id), [second, third])
        assert.deepStrictEqual(left.events.map(({ tries }) => tries), [0, 0])
      }))

    it.effect("a call that is under way while its webhook begins anew says nothing of it", () =>
      Effect.gen(function*() {
        const { at, claimed, id, outbox, record, scope, webhooks } = yield* start(1)
        const before = yield* claimed
        yield* webhooks.replace(scope, id, { ...yield* record, url: "https://example.com/new" })
        const failing = { since: at, error: "It answered 410" }
        yield* outbox.settle(before, OutboxFixture.settlement({ reached: false, failing, givesUp: true }))
        assert.deepInclude(yield* record, { state: "ENABLED", failing: undefined })
        assert.strictEqual((yield* claimed).url, "https://example.com/new")
      }))

    it.effect("a clock that was ahead and is set back keeps no webhook from being told until then", () =>
      Effect.gen(function*() {
        const { at, claim, claimed, outbox, record } = yield* start(2)
        const ahead = at + 365 * 86_400_000
        yield* TestClock.setTime(ahead)
        yield* outbox.settle(
          yield* claimed,
          OutboxFixture.settlement({ pausedUntil: ahead + 20_000, since: ahead - 3 * 86_400_000 })
        )
        yield* TestClock.setTime(at)
        assert.isUndefined(yield* claim())
        assert.strictEqual(yield* outbox.sweep(100), 0)
        assert.strictEqual((yield* claimed).events.length, 2)
        assert.deepInclude(yield* record, { lost: 0 })
      }))

    it.effect("P7: a clock that is set back keeps no webhook from being told, unless that pauses", () =>
      Effect.gen(function*() {
        const { at, claim, claimed, journal, outbox, place } = yield* start(1)
        const ahead = at + 3_600_000
        const settle = Effect.fnUntraced(function*(found: Claimed, pausedUntil: number) {
          yield* outbox.settle(found, OutboxFixture.settlement({ told: found.events.map(({ id }) => id), pausedUntil }))
          yield* journal.accept(Fixture.acceptance(place, [Fixture.message(place)]))
        })
        yield* TestClock.setTime(ahead)
        yield* settle(yield* claimed, ahead)
        yield* TestClock.setTime(at)
        yield* settle(yield* claimed, at)
        yield* TestClock.setTime(ahead)
        const unsettled = yield* claimed
        yield* TestClock.setTime(at)
        const again = yield* claimed
        assert.deepStrictEqual(again.events, unsettled.events)
        yield* settle(again, at + 20_000)
        assert.isUndefined(yield* claim())
        yield* TestClock.setTime(at + 20_000)
        assert.strictEqual((yield* claimed).events.length, 1)
      }))

    it.effect("environments can be passed by", () =>
      Effect.gen(function*() {
        const { outbox, scope } = yield* start(1)
        assert.isUndefined(yield* outbox.claim(1, [scope]))
        assert.isDefined(yield* outbox.claim(1, []))
      }))

    it.effect("tells when there is something to tell next: not before it is due, its webhook's pause is over, and nobody has it", () =>
      Effect.gen(function*() {
        const { at, claimed, outbox } = yield* start(1)
        assert.strictEqual(yield* outbox.next, at)
        const mine = yield* claimed
        assert.strictEqual(yield* outbox.next, at + lease)
        const [event] = mine.events
        yield* outbox.settle(
          mine,
          OutboxFixture.settlement({
            again: [{ id: event?.id ?? "", dueAt: at + 7 }],
            pausedUntil: at + 5
          })
        )
        assert.strictEqual(yield* outbox.next, at + 7)
        yield* TestClock.setTime(at + 7)
        const again = yield* claimed
        assert.strictEqual(yield* outbox.next, at + 7 + lease)
        yield* outbox.settle(again, OutboxFixture.settlement({ pausedUntil: at + 9 }))
        assert.strictEqual(yield* outbox.next, at + 9)
        yield* TestClock.setTime(at + 9)
        yield* outbox.settle(yield* claimed, OutboxFixture.settlement({ told: [event?.id ?? ""] }))
        assert.isUndefined(yield* outbox.next)
      }))

    it.effect("events of webhooks that are gone or disabled are swept, some at a time, and no others", () =>
      Effect.gen(function*() {
        const { id, outbox, place, record, scope, told, webhook, webhooks } = yield* start(3)
        const other = yield* webhook()
        const { id: message } = yield* Fixture.accepted(place)
        assert.strictEqual(yield* outbox.sweep(100), 0)
        yield* webhooks.replace(scope, id, { ...yield* record, state: "DISABLED" })
        assert.strictEqual(yield* outbox.sweep(3), 3)
        assert.strictEqual(yield* outbox.sweep(3), 1)
        assert.deepInclude(yield* record, { lost: 4 })
        assert.deepStrictEqual(yield* told(), new Map([[other.id, [`${message} ENQUEUED`]]]))
        yield* Fixture.accepted(place)
        yield* webhooks.remove(scope, other.id)
        assert.strictEqual(yield* outbox.sweep(100), 1)
      }))
  })
