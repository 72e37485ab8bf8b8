import { Scope } from "#schemas/Scope.ts"
import { eachAlone, Journal, type Observed } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { entries } from "#test/contracts/JournalObserve.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** An event of one of three messages, of one that nobody knows (3), or of the first one in another environment (4). */
const Told = Schema.Struct({
  of: Schema.Literals([0, 1, 2, 3, 4]),
  event: Schema.Literals(["Cancel", "Deliver", "Open", "Click", "Bounce"]),
  eventId: Schema.UndefinedOr(Schema.Literals(["a", "b"])),
  number: Schema.UndefinedOr(Schema.Literals([1, 2])),
  after: Schema.Literals([50, 60])
})
type Told = typeof Told.Type

/** Three messages, in whose calls one has no outcome and one was taken, and what they are once these events are told. */
const told = Effect.fnUntraced(function*(
  events: ReadonlyArray<Told>,
  tell: (journal: Journal["Service"]) => Journal["Service"]["observeAll"]
) {
  const place = yield* Fixture.world
  const journal = yield* Journal
  const log = yield* MessageLog
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  const messages = [yield* Fixture.accepted(place), yield* Fixture.accepted(place), yield* Fixture.accepted(place)]
  for (const [n, state] of [[0, "intent"], [1, "accepted"]] as const) {
    const message = messages[n]
    assert.isDefined(message)
    const attempt = Fixture.attempt(1, state)
    yield* journal.record(Fixture.step(message, epoch, { lifecycle: ["Route"], attempt, dueAt: place.at + 9_000 }))
  }
  const unknown = Fixture.id(place.at)
  yield* tell(journal)(events.map(({ after, event, eventId, number, of }): Observed => ({
    scope: of === 4 ? Scope.make(place.scope + 500_000) : place.scope,
    id: (of === 4 ? messages[0] : messages[of])?.id ?? unknown,
    event,
    history: { type: entries[event], ts: place.at + after },
    reason: event === "Bounce" ? "BOUNCED" : undefined,
    eventId,
    call: number === undefined ? undefined : { providers: ["null"], number }
  })))
  const { rows } = yield* journal.due(Fixture.window({ ...place, at: place.at + 3_600_000 }))
  const since = (value: unknown): unknown => typeof value === "number" && value >= place.at ? value - place.at : value
  const seen = yield* Effect.forEach(messages, ({ id }) =>
    Effect.gen(function*() {
      const { id: _, requestId: __, ...record } = yield* log.get(place.scope, id)
      const due = rows.filter((row) => row.id === id).map(({ dueAt }) => dueAt)
      return [record, yield* log.history(place.scope, id), yield* log.attempts(place.scope, id), due]
    }))
  return JSON.parse(JSON.stringify(seen, (_, value) => since(value)))
})

/** Events of the second door that are told together. */
export const together = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect.prop(
    "P6: events that are told together leave what each leaves that is told alone",
    { events: Schema.Array(Told).check(Schema.isMaxLength(10)) },
    ({ events }) =>
      Effect.gen(function*() {
        const alone = yield* told(events, ({ observe }) => eachAlone(observe))
        assert.deepStrictEqual(yield* told(events, ({ observeAll }) => observeAll), alone)
      }),
    { arbitrary: { runs: 25 } }
  )
}
