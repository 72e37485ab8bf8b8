import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import { Journal, type NewMessage, type Step } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { accepted, delivering, intent, owned, sent } from "#test/contracts/JournalSteps.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"

/** What steps leave behind in attempts and timelines, alone and beside others. */
export const timelines = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect("attempts are kept in the order of their numbers", () =>
    Effect.gen(function*() {
      const { record, traces, place } = yield* owned()
      for (const number of [2, 11, 1, 3])
        yield* record({ at: place.at + number, attempt: Fixture.attempt(number, "rejected") })
      assert.deepStrictEqual(
        (yield* traces).attempts.map((attempt) => attempt.number),
        [1, 2, 3, 11]
      )
    }))

  it.effect("steps of one millisecond all leave their entries: the acceptance's, each attempt's, what came of them", () =>
    Effect.gen(function*() {
      const ts = (yield* Fixture.world).at
      const { record, traces } = yield* owned({ events: [{ type: "DELAYED", ts, dueAt: ts + 1 }] })
      const rejected = Fixture.attempt(1, "rejected", { startedAt: ts, endedAt: ts })
      const call = (attempt: Attempt, ...events: ReadonlyArray<HistoryEvent>) =>
        record({ at: ts, lifecycle: [], attempt, events })
      yield* record({ at: ts, lifecycle: ["Due", "Route"], events: [] })
      yield* call({ ...rejected, state: "intent", endedAt: null }, { type: "MAPPED", ts }, delivering(ts))
      yield* call(rejected, { type: "RETRYING", ts, attempt: 1 })
      yield* call({ ...rejected, number: 2, state: "intent", endedAt: null }, { ...delivering(ts), attempt: 2 })
      yield* call({ ...rejected, number: 2 }, { type: "RETRYING", ts, attempt: 2 })
      yield* record({ at: ts, lifecycle: ["Undeliver"], dueAt: null, events: [{ type: "UNDELIVERABLE", ts }] })
      const lines = (yield* traces).history.map(({ attempt, type }) => `${type}${attempt ?? ""}`)
      assert.deepStrictEqual(
        lines,
        ["ENQUEUED", "DELAYED", "MAPPED", "DELIVERING1", "RETRYING1", "DELIVERING2", "RETRYING2", "UNDELIVERABLE"]
      )
    }))

  it.effect("a rendering that shows what its channel's last one did is told once, and another one as well", () =>
    Effect.gen(function*() {
      const { epoch, log, message, place } = yield* owned()
      const journal = yield* Journal
      const shows = (number: number, channel: string, title: string) => {
        const attempt = Fixture.attempt(number, "intent", { channel })
        const output = Fixture.rendered(title)
        const events = [{ type: "RENDERED" as const, ts: place.at + number, channel, attempt: number, output }]
        return journal.record(Fixture.step(message, epoch, { at: place.at + number, attempt, events }))
      }
      const all = [["email", "a"], ["email", "a"], ["sms", "a"], ["email", "b"], ["sms", "a"], ["email", "a"]] as const
      for (const [index, [channel, title]] of all.entries()) yield* shows(index + 1, channel, title)
      yield* shows(6, "email", "a")
      const lines = (yield* log.history(place.scope, message.id)).slice(1)
      assert.deepStrictEqual(lines.map(({ attempt, output }) => [attempt, output?.title]), [
        [1, "a"],
        [3, "a"],
        [4, "b"],
        [6, "a"]
      ])
    }))

  it.effect("what two messages of a request show is kept for one when the other's owner is fenced", () =>
    Effect.gen(function*() {
      const { epoch, log, message, place } = yield* owned()
      const journal = yield* Journal
      const other = yield* Fixture.accepted(place)
      const rendered = Fixture.rendered("shared")
      const step = (to: NewMessage, of: number): Step =>
        Fixture.step(to, of, {
          ...intent,
          events: [{ type: "RENDERED", ts: 1, channel: "email", provider: "null", attempt: 1, output: rendered }]
        })
      // Several at once, so that a flush takes some of them together.
      const results = yield* Effect.all(
        [step(message, epoch - 1), step(message, epoch - 1), step(message, epoch - 1), step(other, epoch)].map(
          journal.record
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.map(({ _tag }) => _tag), ["Fenced", "Fenced", "Fenced", "Written"])
      const lines = yield* log.history(place.scope, other.id)
      assert.deepStrictEqual(lines.find(({ type }) => type === "RENDERED")?.output, rendered)
      assert.deepStrictEqual((yield* log.history(place.scope, message.id)).map(({ type }) => type), ["ENQUEUED"])
    }))

  it.effect.prop(
    "steps of many messages at once are each written whole, and a refused one fails alone",
    {
      count: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 24 })),
      bad: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 }))
    },
    ({ bad, count }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        const log = yield* MessageLog
        const { epoch } = yield* journal.take(place.shard, "node", place.at)
        const messages = globalThis.Array.from({ length: count }, () => Fixture.message(place))
        yield* journal.accept(Fixture.acceptance(place, messages))
        const exits = yield* Effect.forEach(messages, (message, n) =>
          Effect.exit(journal.record(Fixture.step(message, epoch, {
            lifecycle: ["Route", "Send"],
            dueAt: null,
            attempt: n === bad ? { ...accepted, error: "\u0000" } : { ...accepted, reference: `${n}` },
            events: [sent(place.at)]
          }))), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          exits.map(Exit.isSuccess),
          messages.map((_, n) =>
            n !== bad
          )
        )
        yield* Effect.forEach(messages, (message, n) =>
          Effect.gen(function*() {
            const attempts = yield* log.attempts(place.scope, message.id)
            const { status } = yield* log.get(place.scope, message.id)
            assert.strictEqual(status, n === bad ? "ENQUEUED" : "SENT")
            assert.deepStrictEqual(
              attempts.map((attempt) =>
                attempt.reference
              ),
              n === bad ? [] : [`${n}`]
            )
            assert.lengthOf(yield* log.history(place.scope, message.id), n === bad ? 1 : 2)
          }))
      }),
    { arbitrary: { runs: 15 } }
  )
}
