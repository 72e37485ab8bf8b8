import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import { Journal, type Observed } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const types = { Deliver: "DELIVERED", Open: "OPENED", Bounce: "UNDELIVERABLE" } as const
type Event = keyof typeof types
type Call = NonNullable<Observed["call"]>

/** A message with these calls, none of them settled any further; over if all were taken, unless it goes on after so many ms, or (0) now. */
export const start = Effect.fnUntraced(function*(attempts: ReadonlyArray<Attempt>, goesOn?: 0 | 9_000) {
  const place = yield* Fixture.world
  const journal = yield* Journal
  const log = yield* MessageLog
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  yield* TestClock.setTime(place.at + 20)
  const message = yield* Fixture.accepted(place)
  yield* journal.record(Fixture.step(message, epoch, { lifecycle: ["Route"] }))
  for (const attempt of attempts) {
    const intent = Fixture.attempt(attempt.number, "intent", { channel: attempt.channel, provider: attempt.provider })
    yield* journal.record(Fixture.step(message, epoch, { at: place.at + attempt.number, attempt: intent }))
    const lifecycle = attempt.state === "accepted" ? ["Send" as const] : []
    const isOver = goesOn === undefined && attempt === attempts.at(-1) &&
      attempts.every(({ state }) => state === "accepted")
    const dueAt = isOver ? null : attempt === attempts.at(-1) && goesOn !== 0 ? place.at + 9_000 : undefined
    const settled = { at: place.at + 10 + attempt.number, attempt, lifecycle, dueAt }
    if (attempt.state !== "intent") yield* journal.record(Fixture.step(message, epoch, settled))
  }
  const observe = (event: Event, after: number, more: Partial<Observed> & { readonly error?: string } = {}) => {
    const { error, ...rest } = more
    const history: HistoryEvent = {
      type: types[event],
      ts: place.at + after,
      ...(error === undefined ? {} : { error })
    }
    return journal.observe({ scope: place.scope, id: message.id, event, history, ...rest })
  }
  return {
    place,
    journal,
    epoch,
    message,
    observe,
    due: Effect.map(
      journal.due(Fixture.window(place, { now: place.at + 10_000 })),
      ({ rows }) => rows.map(({ dueAt }) => ({ dueAt }))
    ),
    attempts: log.attempts(place.scope, message.id),
    record: log.get(place.scope, message.id),
    history: Effect.map(log.history(place.scope, message.id), (events) => events.slice(1))
  }
})

export const call = (more: Partial<Call> = {}): Call => ({ providers: ["null"], ...more })

/** What a receipt proves of the provider calls that are stored. */
export const evidence = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  for (const state of ["intent", "unknown"] as const) {
    for (const event of ["Deliver", "Open", "Bounce"] as const) {
      it.effect(`P4: a receipt (${event}) proves a call whose outcome is ${state}: accepted, under its reference`, () =>
        Effect.gen(function*() {
          const { attempts, history, observe, place, record } = yield* start([Fixture.attempt(1, state)])
          yield* observe(event, 50, { call: call({ reference: "r-1" }) })
          const [attempt] = yield* attempts
          const endedAt = state === "intent" ? place.at + 50 : 2_000
          assert.deepInclude(attempt, { state: "accepted", reference: "r-1", endedAt })
          assert.strictEqual((yield* record).sent, endedAt)
          // What its owner has in hand, or is to try again, is not over.
          assert.strictEqual((yield* record).status, event === "Bounce" ? "ROUTED" : types[event])
          assert.deepInclude((yield* history).at(-1), { channel: "email", attempt: 1 })
        }))
    }
  }

  it.effect("P4: an opening that names no call proves the mail of which nobody knows whether it was sent", () =>
    Effect.gen(function*() {
      const { attempts, history, observe, record } = yield* start([
        Fixture.attempt(1, "unknown", { channel: "email", provider: "mail" }),
        Fixture.attempt(2, "unknown", { channel: "sms", provider: "text" })
      ])
      yield* observe("Open", 50)
      assert.deepStrictEqual((yield* attempts).map(({ state }) => state), ["accepted", "unknown"])
      assert.deepInclude((yield* history).at(-1), { type: "OPENED", channel: "email", attempt: 1 })
      yield* observe("Open", 60)
      assert.deepStrictEqual((yield* attempts).map(({ state }) => state), ["accepted", "unknown"])
      assert.strictEqual((yield* record).status, "OPENED")
    }))

  it.effect("P4: a call that was proven without its reference learns it from its owner: late bounces are found by it", () =>
    Effect.gen(function*() {
      const { attempts, epoch, journal, message, observe, place } = yield* start([Fixture.attempt(1, "intent")])
      yield* observe("Open", 50)
      const settle = (reference: string) =>
        journal.record(Fixture.step(message, epoch, {
          at: place.at + 60,
          attempt: Fixture.attempt(1, "accepted", { reference }),
          lifecycle: ["Send"],
          dueAt: null,
          events: [{ type: "SENT", ts: place.at + 60 }]
        }))
      yield* settle("r-1")
      assert.deepInclude((yield* attempts)[0], { state: "accepted", endedAt: place.at + 50, reference: "r-1" })
      yield* settle("r-2")
      assert.deepInclude((yield* attempts)[0], { reference: "r-1" })
    }))

  it.effect("P4: what is learnt of an earlier call while another one is in flight is looked at before there is a third", () =>
    Effect.gen(function*() {
      const { due, epoch, journal, message, observe, place } = yield* start([
        Fixture.attempt(1, "unknown", { channel: "email", provider: "mail" }),
        Fixture.attempt(2, "intent", { channel: "sms", provider: "text" })
      ])
      yield* observe("Deliver", 50, { call: { providers: ["mail"] } })
      const [row] = yield* due
      assert.isAbove(row?.dueAt ?? 0, 0)
      const attempt = Fixture.attempt(2, "rejected", { channel: "sms", provider: "text", kind: "Misconfigured" })
      const settled = yield* journal.record(Fixture.step(message, epoch, { at: place.at + 60, attempt }))
      assert.deepInclude(settled, { status: "DELIVERED", stirred: row?.dueAt })
    }))

  it.effect("P4: an owner that read its message before a receipt came hears of it from its next intent, and from the repeat", () =>
    Effect.gen(function*() {
      const { due, epoch, journal, message, observe, place } = yield* start([
        Fixture.attempt(1, "unknown", { channel: "email", provider: "mail" })
      ])
      const intent = Fixture.step({ ...message, dueAt: place.at + 9_000 }, epoch, {
        at: place.at + 60,
        attempt: Fixture.attempt(2, "intent", { channel: "sms", provider: "text" }),
        conditional: true
      })
      yield* observe("Deliver", 50, { call: { providers: ["mail"] } })
      const [row] = yield* due
      for (const _ of ["written", "repeated"])
        assert.deepInclude(yield* journal.record(intent), { _tag: "Written", stirred: row?.dueAt })
    }))

  it.effect("P4: the outcome that its owner writes afterwards does not undo the proof", () =>
    Effect.gen(function*() {
      const { attempts, epoch, journal, message, observe, place, record } = yield* start([Fixture.attempt(1, "intent")])
      yield* observe("Deliver", 50, { call: call({ number: 1, reference: "r-1" }) })
      const attempt = Fixture.attempt(1, "unknown", { kind: "Unknown", error: "no answer" })
      yield* journal.record(Fixture.step(message, epoch, { at: place.at + 60, attempt, dueAt: place.at + 9_000 }))
      assert.deepInclude((yield* attempts)[0], { state: "accepted", kind: null, reference: "r-1", error: null })
      assert.strictEqual((yield* record).status, "DELIVERED")
    }))

  it.effect("P4: an intent repeated after an unknown commit is written as it was, though a receipt proved its call meanwhile", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      const message = yield* Fixture.accepted(place)
      const intent = Fixture.step(message, epoch, {
        attempt: Fixture.attempt(1, "intent"),
        lifecycle: ["Route"],
        conditional: true
      })
      assert.strictEqual((yield* journal.record(intent))._tag, "Written")
      const history: HistoryEvent = { type: "DELIVERED", ts: place.at + 20 }
      const call = { providers: ["null"] }
      yield* journal.observe({ scope: place.scope, id: message.id, event: "Deliver", history, call })
      const again = yield* journal.record(intent)
      assert.strictEqual(again._tag === "Written" ? again.status : again._tag, "DELIVERED")
      assert.strictEqual((yield* MessageLog.use((log) => log.attempts(place.scope, message.id)))[0]?.state, "accepted")
    }))

  it.effect("a receipt is held against the call it names: by number, by reference, else the one without outcome", () =>
    Effect.gen(function*() {
      const stored = [
        Fixture.attempt(1, "unknown"),
        Fixture.attempt(2, "unknown"),
        Fixture.attempt(3, "accepted", { reference: "c" })
      ]
      const proved = Effect.fnUntraced(function*(named: Call) {
        const { attempts, observe } = yield* start(stored)
        yield* observe("Deliver", 50, { call: named })
        return (yield* attempts).map(({ reference, state }) => `${state} ${reference ?? ""}`.trim())
      })
      assert.deepStrictEqual(yield* proved(call({ number: 1, reference: "a" })), [
        "accepted a",
        "unknown",
        "accepted c"
      ])
      assert.deepStrictEqual(yield* proved(call({ reference: "c" })), ["unknown", "unknown", "accepted c"])
      assert.deepStrictEqual(yield* proved(call({ reference: "b" })), ["unknown", "accepted b", "accepted c"])
      assert.deepStrictEqual(yield* proved({ providers: ["other"] }), ["unknown", "unknown", "accepted c"])
    }))

  it.effect("a refusal stays a refusal: the engine goes on as its owner decided", () =>
    Effect.gen(function*() {
      const { attempts, observe } = yield* start([Fixture.attempt(1, "rejected", { kind: "Unavailable" })])
      yield* observe("Deliver", 50, { call: call({ number: 1 }) })
      assert.deepInclude((yield* attempts)[0], { state: "rejected", kind: "Unavailable" })
    }))

  it.effect("a repeated event changes nothing, whenever it comes again", () =>
    Effect.gen(function*() {
      const { history, observe, place, record } = yield* start([Fixture.attempt(1, "accepted")])
      yield* observe("Deliver", 50, { eventId: "e-1" })
      const [before, lines] = [yield* record, yield* history]
      assert.deepInclude(yield* observe("Deliver", 70, { eventId: "e-1" }), {
        before: "DELIVERED",
        after: "DELIVERED",
        applied: false,
        inFlight: false,
        repeated: true
      })
      assert.deepStrictEqual([yield* record, yield* history], [before, lines])
      yield* observe("Deliver", 80, { eventId: "e-2" })
      assert.lengthOf(yield* history, lines.length + 1)
      assert.strictEqual((yield* record).delivered, place.at + 50)
    }))

  it.effect("an event's id names it for its own message: a provider may count for each from one", () =>
    Effect.gen(function*() {
      const { epoch, journal, observe, place } = yield* start([Fixture.attempt(1, "accepted")])
      yield* observe("Deliver", 50, { eventId: "1" })
      const other = yield* Fixture.accepted(place)
      yield* journal.record(Fixture.step(other, epoch, { lifecycle: ["Route", "Send"], dueAt: null }))
      const told = yield* journal.observe({
        scope: place.scope,
        id: other.id,
        event: "Deliver",
        eventId: "1",
        history: { type: "DELIVERED", ts: place.at + 60 }
      })
      assert.deepInclude(told, { after: "DELIVERED", applied: true })
    }))

  it.effect("a bounce leaves its reason and its words on the message and on the call", () =>
    Effect.gen(function*() {
      const { attempts, observe, record } = yield* start([Fixture.attempt(1, "accepted")])
      yield* observe("Bounce", 50, { call: call(), reason: "BOUNCED", error: "no such user" })
      assert.deepInclude(yield* record, { status: "UNDELIVERABLE", reason: "BOUNCED", error: "no such user" })
      assert.deepInclude((yield* attempts)[0], { state: "accepted", kind: "RecipientRejected", error: "no such user" })
    }))

  it.effect("a receipt dated in whole seconds does not come before the call it is about", () =>
    Effect.gen(function*() {
      const startedAt = 3_000_000_000_000
      const endedAt = startedAt + 400
      const { attempts, history, observe, record } = yield* start([
        Fixture.attempt(1, "accepted", { startedAt, endedAt })
      ])
      yield* observe("Deliver", 50, { call: call() })
      assert.strictEqual((yield* record).delivered, endedAt)
      assert.strictEqual((yield* history).at(-1)?.ts, endedAt)
      yield* observe("Bounce", 60, { call: call() })
      assert.deepInclude((yield* attempts)[0], { kind: "RecipientRejected", endedAt })
    }))

  it.effect("a bounce after an open is no news, for the message or for the call", () =>
    Effect.gen(function*() {
      const { attempts, observe, record } = yield* start([Fixture.attempt(1, "accepted")])
      yield* observe("Open", 40, { call: call() })
      yield* observe("Bounce", 50, { call: call(), reason: "BOUNCED", error: "no such user" })
      assert.deepInclude(yield* record, { status: "OPENED", reason: undefined, error: undefined })
      assert.deepInclude((yield* attempts)[0], { state: "accepted", kind: null, error: null })
    }))

  it.effect.each(["accepted", "unknown"] as const)(
    "P6: a mail bounces also once its message was opened elsewhere: for the call, not for the message (%s)",
    (state) =>
      Effect.gen(function*() {
        const { attempts, observe, record } = yield* start([
          Fixture.attempt(1, "accepted", { channel: "inbox", provider: "inbox" }),
          Fixture.attempt(2, state)
        ])
        yield* observe("Open", 40, { call: call({ providers: ["inbox"] }) })
        yield* observe("Bounce", 50, { call: call(), reason: "BOUNCED", error: "no such user" })
        assert.deepInclude(yield* record, { status: "OPENED", reason: undefined, error: undefined })
        assert.deepStrictEqual((yield* attempts).map(({ error, kind }) => [kind, error]), [
          [null, null],
          ["RecipientRejected", "no such user"]
        ])
      })
  )
}
