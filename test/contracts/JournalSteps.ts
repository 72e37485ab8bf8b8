import type { HistoryEvent } from "#schemas/History.ts"
import type { Status } from "#schemas/Status.ts"
import { Journal, type NewMessage, type Step } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Array, Effect } from "effect"

/** A message with an owner, whose steps can be recorded and whose traces can be read. */
export const owned = Effect.fnUntraced(function*(more: Partial<NewMessage> = {}) {
  const place = yield* Fixture.world
  const journal = yield* Journal
  const log = yield* MessageLog
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  const message = yield* Fixture.accepted(place, more)
  const record = (step: Partial<Step>) => journal.record(Fixture.step(message, epoch, step))
  const traces = Effect.all({
    record: log.get(place.scope, message.id),
    attempts: log.attempts(place.scope, message.id),
    history: log.history(place.scope, message.id),
    due: Effect.map(
      journal.due({
        shards: [{ shard: place.shard, takenAtSeq: 0 }],
        now: Number.MAX_SAFE_INTEGER,
        held: [],
        fullMailboxes: [],
        fullTurns: [],
        limit: 100,
        bytes: 1_000_000
      }),
      ({ rows }) => rows.map(({ dueAt, tries }) => ({ dueAt, tries }))
    )
  })
  return { place, journal, log, epoch, message, record, traces }
})

export const delivering = (ts: number): HistoryEvent => ({
  type: "DELIVERING",
  ts,
  channel: "email",
  provider: "null",
  attempt: 1
})
export const sent = (ts: number): HistoryEvent => ({
  type: "SENT",
  ts,
  channel: "email",
  provider: "null",
  attempt: 1,
  reference: "r"
})

export const accepted = Fixture.attempt(1, "accepted", { endedAt: 3_000, reference: "r" })

export const intent: Partial<Step> = {
  lifecycle: ["Route"],
  conditional: true,
  attempt: Fixture.attempt(1, "intent"),
  events: [delivering(1)]
}
export const settle: Partial<Step> = { lifecycle: ["Send"], attempt: accepted, dueAt: null, events: [sent(2)] }

/** What an owner writes: begin, intent, settle. */
export const steps = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect("P4: an intent is stored before its outcome, and the settle gives it the outcome", () =>
    Effect.gen(function*() {
      const { message, place, record, traces } = yield* owned()
      const intent = yield* record({
        at: place.at + 10,
        lifecycle: ["Route"],
        conditional: true,
        attempt: Fixture.attempt(1, "intent"),
        events: [{ type: "ROUTED", ts: place.at + 10 }, delivering(place.at + 10)]
      })
      assert.deepInclude(intent, { _tag: "Written", status: "ROUTED" })
      assert.deepStrictEqual((yield* traces).attempts, [Fixture.attempt(1, "intent")])
      const settle = yield* record({
        at: place.at + 20,
        lifecycle: ["Send"],
        attempt: accepted,
        dueAt: null,
        events: [sent(place.at + 20)]
      })
      assert.deepInclude(settle, { _tag: "Written", status: "SENT" })
      const { attempts, due, history, record: stored } = yield* traces
      assert.deepStrictEqual(attempts, [accepted])
      assert.deepStrictEqual(due, [])
      assert.deepInclude(stored, { id: message.id, status: "SENT", sent: place.at + 20, delivered: undefined })
      assert.deepStrictEqual(history, [
        { type: "ENQUEUED", ts: place.at },
        { type: "ROUTED", ts: place.at + 10 },
        delivering(place.at + 10),
        sent(place.at + 20)
      ])
    }))

  it.effect("steps of one flush keep what is theirs, whatever they have in common", () =>
    Effect.gen(function*() {
      const attempt = (provider: string) => ({ ...Fixture.attempt(1, "intent"), provider })
      const kinds: ReadonlyArray<readonly [Partial<Step>, status: Status, attempts: ReadonlyArray<unknown>]> = [
        // The first is a flush alone; who comes meanwhile shares the next.
        [{ lifecycle: ["Filter"], dueAt: null }, "FILTERED", []],
        [{ ...intent, attempt: attempt("smtp") }, "ROUTED", [attempt("smtp")]],
        [{ ...intent, attempt: attempt("ses") }, "ROUTED", [attempt("ses")]],
        [{ ...intent, attempt: attempt("smtp"), lifecycle: [] }, "ENQUEUED", [attempt("smtp")]],
        [{ ...intent, attempt: undefined }, "ROUTED", []],
        [{ lifecycle: ["Undeliver"], reason: "FAILED", error: "one", dueAt: null }, "UNDELIVERABLE", []],
        [{ lifecycle: ["Undeliver"], reason: "BOUNCED", error: "two", dueAt: null }, "UNDELIVERABLE", []]
      ]
      const { epoch, journal, log, place } = yield* owned()
      const messages = yield* Effect.forEach(kinds, () => Fixture.accepted(place))
      const steps = Array.zipWith(messages, kinds, (message, [step]) => Fixture.step(message, epoch, step))
      yield* Effect.forEach(steps, journal.record, { concurrency: "unbounded" })
      yield* Effect.forEach(Array.zip(messages, kinds), ([{ id }, [step, status, attempts]]) =>
        Effect.gen(function*() {
          const { error, reason } = step
          assert.deepInclude(yield* log.get(place.scope, id), { status, reason, error })
          assert.deepStrictEqual(yield* log.attempts(place.scope, id), attempts)
        }), { discard: true })
    }))

  it.effect("a begin sets the tries, and a settle may clear them", () =>
    Effect.gen(function*() {
      const { record, traces } = yield* owned()
      assert.strictEqual((yield* record({ conditional: true, tries: 2 }))._tag, "Written")
      assert.deepStrictEqual((yield* traces).due, [{ dueAt: 0, tries: 2 }])
      yield* record({ tries: 0 })
      assert.deepStrictEqual((yield* traces).due, [{ dueAt: 0, tries: 0 }])
    }))

  it.effect("the template that a message's name turns out to mean is shown with it, and finds it", () =>
    Effect.gen(function*() {
      const { epoch, journal, log, message, place } = yield* owned({ template: "welcome", event: "welcome" })
      const found = (notification: string) =>
        Effect.map(log.list(place.scope, { ...Fixture.anything, notification }), ({ items }) => items.length)
      const step = Fixture.step(message, epoch, intent)
      yield* journal.record({ ...step, message: { ...message, templateId: "nt_1" } })
      yield* journal.record(Fixture.step(message, epoch, intent))
      const { event, template } = yield* log.get(place.scope, message.id)
      assert.deepStrictEqual([event, template], ["welcome", "nt_1"])
      assert.deepStrictEqual([yield* found("nt_1"), yield* found("welcome")], [1, 0])
    }))

  it.effect("the tenant that a message turns out to be in is shown with it; one that it has stays", () =>
    Effect.gen(function*() {
      const inTenant = (id: string) => ({ recipient: { user_id: "ada", tenant_id: id } })
      const shown = Effect.fnUntraced(function*(more: Partial<NewMessage>, ...tenants: ReadonlyArray<string>) {
        const { epoch, journal, log, message, place } = yield* owned(more)
        for (const id of tenants) {
          const step = Fixture.step(message, epoch, intent)
          yield* journal.record({ ...step, message: { ...message, ...inTenant(id) } })
        }
        const query = { ...Fixture.anything, tenantId: tenants[0] }
        const { items } = yield* log.list(place.scope, query)
        return [(yield* log.get(place.scope, message.id)).tenantId, items.length]
      })
      assert.deepStrictEqual(yield* shown({}), [undefined, 1])
      assert.deepStrictEqual(yield* shown({}, "acme", "other"), ["acme", 1])
      assert.deepStrictEqual(yield* shown({ tenantId: "own" }, "acme"), ["own", 0])
    }))

  it.effect("a wait is a row with its time; an absent one leaves the time as it was", () =>
    Effect.gen(function*() {
      const { place, record, traces } = yield* owned()
      const rejected = Fixture.attempt(1, "rejected", { kind: "RateLimited", retryAfter: 60_000, error: "429" })
      yield* record({ attempt: rejected, lifecycle: ["Route"], dueAt: place.at + 60_000 })
      yield* record({ at: place.at + 11 })
      const { attempts, due, record: stored } = yield* traces
      assert.deepStrictEqual(due, [{ dueAt: place.at + 60_000, tries: 0 }])
      assert.deepStrictEqual(attempts, [rejected])
      assert.isTrue(stored.willRetry)
    }))

  it.effect("what was sent will be retried if another channel of it is; to be escalated is no retry", () =>
    Effect.gen(function*() {
      const { place, record, traces } = yield* owned()
      const sms = { channel: "sms", provider: "text" }
      const willRetry = Effect.map(traces, ({ record: stored }) => stored.willRetry)
      const dueAt = place.at + 60_000
      yield* record({ lifecycle: ["Route", "Send"], attempt: accepted, dueAt })
      assert.isFalse(yield* willRetry)
      const refused = Fixture.attempt(2, "rejected", { ...sms, kind: "ContentRejected" })
      yield* record({ at: place.at + 11, attempt: refused })
      assert.isFalse(yield* willRetry)
      yield* record({ at: place.at + 12, attempt: Fixture.attempt(3, "rejected", { ...sms, kind: "Unavailable" }) })
      assert.isTrue(yield* willRetry)
      yield* record({ at: place.at + 13, attempt: Fixture.attempt(4, "accepted", sms) })
      assert.isFalse(yield* willRetry)
    }))

  it.effect("what was sent will be retried if another channel of it was begun and not called", () =>
    Effect.gen(function*() {
      const { place, record, traces } = yield* owned()
      const sms = { channel: "sms", provider: "text" }
      const willRetry = Effect.map(traces, ({ record: stored }) => stored.willRetry)
      yield* record({ lifecycle: ["Route", "Send"], attempt: accepted, dueAt: place.at + 60_000 })
      yield* record({ at: place.at + 11, attempt: Fixture.attempt(2, "rejected", { ...sms, retryAfter: 4_000 }) })
      assert.isTrue(yield* willRetry)
      yield* record({ at: place.at + 12, attempt: Fixture.attempt(3, "accepted", sms) })
      assert.isFalse(yield* willRetry)
    }))

  it.effect("a closed message never opens again", () =>
    Effect.gen(function*() {
      const { place, record, traces } = yield* owned()
      yield* record({ lifecycle: ["Undeliver"], reason: "FAILED", error: "gone", dueAt: null })
      yield* record({ at: place.at + 11, dueAt: place.at + 60_000 })
      const { due, record: stored } = yield* traces
      assert.deepStrictEqual(due, [])
      assert.deepInclude(stored, { status: "UNDELIVERABLE", reason: "FAILED", error: "gone", willRetry: false })
    }))

  it.effect("a sent message may have a step to take: its other channels", () =>
    Effect.gen(function*() {
      const { place, record, traces } = yield* owned()
      yield* record({ lifecycle: ["Route", "Send"], attempt: accepted, dueAt: place.at + 5_000 })
      assert.deepStrictEqual((yield* traces).due, [{ dueAt: place.at + 5_000, tries: 0 }])
      assert.deepInclude(yield* record({ conditional: true, attempt: Fixture.attempt(2, "intent") }), {
        _tag: "Written",
        status: "SENT"
      })
    }))

  it.effect("P6: an intent for a message cancelled meanwhile is refused, and nothing of it is written", () =>
    Effect.gen(function*() {
      const { journal, message, place, record, traces } = yield* owned()
      yield* journal.observe({
        scope: place.scope,
        id: message.id,
        event: "Cancel",
        history: { type: "CANCELED", ts: place.at + 5 }
      })
      const before = yield* traces
      const refused = yield* record({
        conditional: true,
        lifecycle: ["Route"],
        attempt: Fixture.attempt(1, "intent"),
        tries: 4,
        dueAt: 0,
        events: [delivering(place.at + 10)]
      })
      assert.deepStrictEqual(refused, { _tag: "Refused" })
      assert.deepStrictEqual(yield* traces, before)
    }))

  it.effect("a begin of a closed message is refused", () =>
    Effect.gen(function*() {
      const { record, traces } = yield* owned()
      yield* record({ lifecycle: ["Filter"], reason: "FILTERED", dueAt: null })
      const before = yield* traces
      assert.deepStrictEqual(yield* record({ conditional: true, tries: 1 }), { _tag: "Refused" })
      assert.deepStrictEqual(yield* traces, before)
    }))

  it.effect("P6: a settle after its own receipt keeps DELIVERED, and still records the attempt and the sent time", () =>
    Effect.gen(function*() {
      const { journal, message, place, record, traces } = yield* owned()
      yield* record({ lifecycle: ["Route"], conditional: true, attempt: Fixture.attempt(1, "intent") })
      yield* journal.observe({
        scope: place.scope,
        id: message.id,
        event: "Deliver",
        history: { type: "DELIVERED", ts: place.at + 15 }
      })
      const settle = yield* record({
        at: place.at + 20,
        lifecycle: ["Send"],
        attempt: accepted,
        dueAt: null,
        events: [sent(place.at + 20)]
      })
      assert.deepInclude(settle, { _tag: "Written", status: "DELIVERED" })
      const { attempts, due, record: stored } = yield* traces
      assert.deepInclude(stored, { status: "DELIVERED", sent: place.at + 20, delivered: place.at + 15 })
      assert.deepStrictEqual([attempts, due], [[accepted], []])
    }))

  it.effect("a settle that also delivers has both times", () =>
    Effect.gen(function*() {
      const { place, record, traces } = yield* owned()
      yield* record({ at: place.at + 7, lifecycle: ["Route", "Send", "Deliver"], attempt: accepted, dueAt: null })
      assert.deepInclude((yield* traces).record, { status: "DELIVERED", sent: place.at + 7, delivered: place.at + 7 })
    }))
}
