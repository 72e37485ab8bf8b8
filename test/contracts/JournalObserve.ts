import type { HistoryEvent } from "#schemas/History.ts"
import { Scope } from "#schemas/Scope.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { bounces } from "#test/contracts/JournalBounces.ts"
import { evidence } from "#test/contracts/JournalEvidence.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** The line that each event leaves in a timeline. */
export const entries = {
  Cancel: "CANCELED",
  Deliver: "DELIVERED",
  Open: "OPENED",
  Click: "CLICKED",
  Bounce: "UNDELIVERABLE"
} as const
type Observed = keyof typeof entries

const start = Effect.fnUntraced(function*(path: ReadonlyArray<Lifecycle.Event> = []) {
  const place = yield* Fixture.world
  const journal = yield* Journal
  const log = yield* MessageLog
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  const message = yield* Fixture.accepted(place)
  // What was sent is over, unless it goes another way too.
  const over = path.includes("Send") ? { dueAt: null } : {}
  if (path.length > 0) yield* journal.record(Fixture.step(message, epoch, { lifecycle: path, ...over }))
  const observe = (event: Observed, after: number) => {
    const history: HistoryEvent = { type: entries[event], ts: place.at + after }
    return journal.observe({ scope: place.scope, id: message.id, event, history })
  }
  const due = Effect.map(
    journal.due(Fixture.window(place)),
    ({ rows }) => rows.length
  )
  const record = log.get(place.scope, message.id)
  const history = Effect.map(log.history(place.scope, message.id), (events) => events.slice(1))
  return { place, journal, epoch, message, observe, due, record, history }
})

const receipts = Schema.Array(Schema.Literals(["Deliver", "Open", "Click"])).check(Schema.isMaxLength(8))

/** The second door: cancels and receipts. */
export const observations = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  for (const [status, path] of [["ENQUEUED", []], ["DELAYED", ["Delay"]], ["ROUTED", ["Route"]]] as const) {
    it.effect(`a cancel of what is ${status} closes it`, () =>
      Effect.gen(function*() {
        const { due, history, observe, place, record } = yield* start(path)
        assert.deepInclude(yield* observe("Cancel", 50), {
          before: status,
          after: "CANCELED",
          applied: true,
          inFlight: false
        })
        assert.strictEqual(yield* due, 0)
        assert.deepInclude(yield* record, { status: "CANCELED", canceledAt: place.at + 50, willRetry: false })
        assert.deepStrictEqual(yield* history, [{ type: "CANCELED", ts: place.at + 50 }])
      }))
  }

  it.effect("a cancel of what was sent is not applied and leaves no trace", () =>
    Effect.gen(function*() {
      const { history, observe, record } = yield* start(["Route", "Send"])
      const before = yield* record
      assert.deepInclude(yield* observe("Cancel", 50), {
        before: "SENT",
        after: "SENT",
        applied: false,
        inFlight: false
      })
      assert.deepStrictEqual(yield* record, before)
      assert.deepStrictEqual(yield* history, [])
    }))

  it.effect("a cancel while a provider call is in flight is not applied, and says so", () =>
    Effect.gen(function*() {
      const { epoch, history, journal, message, observe, place, record } = yield* start()
      yield* journal.record(
        Fixture.step(message, epoch, { lifecycle: ["Route"], attempt: Fixture.attempt(1, "intent") })
      )
      assert.deepInclude(yield* observe("Cancel", 50), {
        before: "ROUTED",
        after: "ROUTED",
        applied: false,
        inFlight: true
      })
      assert.deepInclude(yield* record, { status: "ROUTED", canceledAt: undefined })
      assert.deepStrictEqual(yield* history, [])
      yield* journal.record(
        Fixture.step(message, epoch, {
          at: place.at + 60,
          attempt: Fixture.attempt(1, "rejected"),
          dueAt: place.at + 9_000
        })
      )
      assert.deepInclude(yield* observe("Cancel", 70), { after: "CANCELED", applied: true, inFlight: false })
    }))

  it.effect("a cancel of what its provider may have, for all that is known, is not applied", () =>
    Effect.gen(function*() {
      const { epoch, history, journal, message, observe, place, record } = yield* start()
      yield* journal.record(
        Fixture.step(message, epoch, { lifecycle: ["Route"], attempt: Fixture.attempt(1, "intent") })
      )
      yield* journal.record(
        Fixture.step(message, epoch, {
          at: place.at + 40,
          attempt: Fixture.attempt(1, "unknown", { kind: "Unknown" }),
          dueAt: place.at + 9_000
        })
      )
      const before = yield* record
      assert.deepInclude(yield* observe("Cancel", 50), {
        before: "ROUTED",
        after: "ROUTED",
        applied: false,
        inFlight: false
      })
      assert.deepStrictEqual([yield* record, yield* history], [before, []])
      yield* observe("Deliver", 60)
      assert.strictEqual((yield* record).status, "DELIVERED")
    }))

  it.effect("a second cancel finds it cancelled and changes nothing", () =>
    Effect.gen(function*() {
      const { history, observe, place, record } = yield* start()
      yield* observe("Cancel", 50)
      assert.deepInclude(yield* observe("Cancel", 60), {
        before: "CANCELED",
        after: "CANCELED",
        applied: false,
        inFlight: false
      })
      assert.strictEqual((yield* record).canceledAt, place.at + 50)
      assert.lengthOf(yield* history, 1)
    }))

  it.effect("P10: an unknown message, or one of another scope, is not found", () =>
    Effect.gen(function*() {
      const { journal, message, place } = yield* start()
      const observe = (scope: Scope, id: typeof message.id) =>
        Effect.flip(journal.observe({ scope, id, event: "Cancel", history: { type: "CANCELED", ts: place.at } }))
      assert.strictEqual((yield* observe(Scope.make(place.scope + 500_000), message.id))._tag, "MessageNotFound")
      assert.strictEqual((yield* observe(place.scope, Fixture.id(place.at)))._tag, "MessageNotFound")
    }))

  it.effect("a bounce after the delivery gives its reason", () =>
    Effect.gen(function*() {
      const { journal, message, place, record } = yield* start(["Route", "Send", "Deliver"])
      yield* journal.observe({
        scope: place.scope,
        id: message.id,
        event: "Bounce",
        history: { type: "UNDELIVERABLE", ts: place.at + 90 },
        reason: "BOUNCED"
      })
      assert.deepInclude(yield* record, { status: "UNDELIVERABLE", reason: "BOUNCED" })
    }))

  it.effect("P6: a late lower receipt does not lower the status, and still leaves its time and its entry", () =>
    Effect.gen(function*() {
      const { history, observe, place, record } = yield* start(["Route", "Send"])
      yield* observe("Click", 50)
      assert.deepInclude(yield* observe("Open", 60), {
        before: "CLICKED",
        after: "CLICKED",
        applied: false,
        inFlight: false
      })
      assert.deepInclude(yield* record, { status: "CLICKED", clicked: place.at + 50, opened: place.at + 60 })
      assert.deepStrictEqual((yield* history).map((event) => event.type), ["CLICKED", "OPENED"])
    }))

  it.effect("a receipt before the settle of its own attempt counts", () =>
    Effect.gen(function*() {
      const { epoch, journal, message, observe, place, record } = yield* start()
      yield* journal.record(
        Fixture.step(message, epoch, { lifecycle: ["Route"], attempt: Fixture.attempt(1, "intent") })
      )
      assert.deepInclude(yield* observe("Open", 50), {
        before: "ROUTED",
        after: "OPENED",
        applied: true,
        inFlight: true
      })
      assert.deepInclude(yield* record, { status: "OPENED", opened: place.at + 50, sent: place.at + 50 })
    }))

  it.effect.prop(
    "P6: receipts in any order, and again, leave the status of the highest, each first time, and one entry each",
    { order: receipts },
    ({ order }) =>
      Effect.gen(function*() {
        const { history, observe, place, record } = yield* start(["Route", "Send"])
        const at = { Deliver: 100, Open: 200, Click: 300 }
        for (const event of order) {
          yield* observe(event, at[event])
          yield* observe(event, at[event])
        }
        const time = (event: keyof typeof at) => order.includes(event) ? place.at + at[event] : undefined
        const highest = (["Click", "Open", "Deliver"] as const).find((event) => order.includes(event))
        assert.deepInclude(yield* record, {
          status: highest === undefined ? "SENT" : entries[highest],
          delivered: time("Deliver"),
          opened: time("Open"),
          clicked: time("Click")
        })
        assert.deepStrictEqual(
          (yield* history).map((event) => event.type),
          (["Deliver", "Open", "Click"] as const).filter((event) => order.includes(event)).map((event) =>
            entries[event]
          )
        )
      }),
    { arbitrary: { runs: 15 } }
  )

  it.effect.prop(
    "P6: whatever happens, the status is what the table makes of the events, one after the other",
    { events: Schema.Array(Lifecycle.Event).check(Schema.isMaxLength(10)), doors: Schema.Array(Schema.Boolean) },
    ({ doors, events }) =>
      Effect.gen(function*() {
        const { epoch, journal, message, place, record } = yield* start()
        let status = message.status
        for (const [index, event] of events.entries()) {
          const before = status
          const isSecondDoor = doors[index] === true
          // What is still open may be sent another way: its bounce is for the owner to weigh.
          const isApplied = Lifecycle.allows(before, event) && !(isSecondDoor && event === "Bounce")
          if (isApplied) status = Lifecycle.next(status, event)
          const at = place.at + index
          if (isSecondDoor) {
            const seen = yield* journal.observe({
              scope: place.scope,
              id: message.id,
              event,
              history: { type: "MAPPED", ts: at }
            })
            assert.deepInclude(seen, {
              before,
              after: status,
              applied: isApplied,
              inFlight: false
            })
          } else {
            const result = yield* journal.record(Fixture.step(message, epoch, { at, lifecycle: [event] }))
            assert.deepInclude(result, { _tag: "Written", status })
          }
        }
        assert.strictEqual((yield* record).status, status)
      }),
    { arbitrary: { runs: 25 } }
  )

  it.effect.prop(
    "P6: a run of events moves the status whole or not at all",
    { runs: Schema.Array(Schema.Array(Lifecycle.Event).check(Schema.isMaxLength(3))).check(Schema.isMaxLength(6)) },
    ({ runs }) =>
      Effect.gen(function*() {
        const { epoch, journal, message, place } = yield* start()
        let status = message.status
        for (const [index, lifecycle] of runs.entries()) {
          if (Lifecycle.sources(lifecycle).includes(status)) status = lifecycle.reduce(Lifecycle.next, status)
          const result = yield* journal.record(Fixture.step(message, epoch, { at: place.at + index, lifecycle }))
          assert.deepInclude(result, { _tag: "Written", status })
        }
      }),
    { arbitrary: { runs: 25 } }
  )

  evidence(it)
  bounces(it)
}
