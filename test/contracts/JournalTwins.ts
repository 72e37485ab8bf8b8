import type { HistoryEvent } from "#schemas/History.ts"
import { Scope } from "#schemas/Scope.ts"
import { Journal, type NewMessage, type Step } from "#src/delivery/Journal.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"

const output = (ts: number, title: string): HistoryEvent => ({
  type: "RENDERED",
  ts,
  channel: "email",
  output: Fixture.rendered(title)
})

/** Environments that have nothing in common but the ids of their messages, the shard's owner and the time. */
const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  const journal = yield* Journal
  const log = yield* MessageLog
  const inbox = yield* Inbox
  const id = Fixture.id(place.at)
  const { epoch } = yield* journal.take(place.shard, "node", place.at)

  /** The environment of this number, with its message of the id. */
  const environment = Effect.fnUntraced(function*(number: number, more: Partial<NewMessage> = {}) {
    const own = { ...place, scope: Scope.make(place.scope + number * 500_000) }
    const message = yield* Fixture.accepted(own, { id, ...more })
    const record = (after: number, more: Partial<Step>) =>
      journal.record(Fixture.step(message, epoch, { at: place.at + after, ...more }))
    const called = (number: number, more: Parameters<typeof Fixture.attempt>[2], title: string) =>
      Effect.andThen(
        record(number * 10, {
          conditional: true,
          lifecycle: ["Route"],
          attempt: Fixture.attempt(number, "intent", more),
          events: [output(place.at + number * 10, title)]
        }),
        record(number * 10 + 5, {
          attempt: Fixture.attempt(number, "rejected", { ...more, kind: "Unavailable" }),
          dueAt: place.at + number * 10
        })
      )
    const told = (event: "Open" | "Click" | "Deliver", after: number) =>
      journal.observe({
        scope: own.scope,
        id,
        event,
        eventId: "the provider's",
        history: {
          type: event === "Open" ? "OPENED" : event === "Click" ? "CLICKED" : "DELIVERED",
          ts: place.at + after
        },
        call: { providers: ["one", "two"] }
      })
    /** All that can be read of the environment's messages. */
    const seen = Effect.gen(function*() {
      const { items } = yield* log.list(own.scope, { ...Fixture.anything, traceId: id, archived: true })
      const { rows } = yield* journal.due(Fixture.window(place, { now: place.at + 1_000 }))
      return {
        listed: items,
        record: yield* log.get(own.scope, id),
        attempts: yield* log.attempts(own.scope, id),
        history: yield* log.history(own.scope, id),
        inbox: yield* inbox.list(own.scope, Fixture.user, { limit: 10, cursor: undefined }),
        due: rows.flatMap(({ scope, ...row }) => scope === own.scope ? [row] : [])
      }
    })
    return { own, message, record, called, told, seen }
  })

  /** A message that is tried twice and waits for its third call, while its receipts come in. */
  const one = Effect.fnUntraced(function*(number: number) {
    const { called, record, seen, told } = yield* environment(number)
    yield* called(1, { provider: "one" }, "first")
    yield* called(2, { provider: "one" }, "second")
    yield* record(40, {
      conditional: true,
      attempt: Fixture.attempt(3, "intent", { provider: "one" }),
      inbox: {
        userId: Fixture.user,
        tenantId: undefined,
        rendered: Fixture.rendered("first"),
        createdAt: place.at,
        expiresAt: undefined
      }
    })
    yield* record(45, { attempt: Fixture.attempt(3, "unknown", { provider: "one", kind: "Unknown" }) })
    yield* told("Deliver", 50)
    return seen
  })

  /** Its namesake, which another provider takes at once, and which is read and put away. */
  const another = Effect.fnUntraced(function*(number: number) {
    const { called, own, record, seen, told } = yield* environment(number, { tags: ["other"], event: "other" })
    yield* called(1, { provider: "two" }, "second")
    yield* record(30, {
      lifecycle: ["Send"],
      attempt: Fixture.attempt(2, "accepted", { provider: "two" }),
      dueAt: null
    })
    yield* told("Open", 60)
    yield* told("Click", 70)
    yield* log.archive(own.scope, id)
    return seen
  })

  return { place, journal, id, epoch, environment, one, another }
})

/** Messages of one id in several environments (P10). An id names its message in its own environment only. */
export const twins = (it: Vitest.MethodsNonLive<Journal | MessageLog | Inbox>) => {
  it.effect("P10: what befalls a message is what befell it alone, whatever becomes of another environment's of its id", () =>
    Effect.gen(function*() {
      const { another, one } = yield* start
      const first = yield* one(1)
      const alone = yield* first
      const second = yield* another(2)
      const theirs = yield* second
      const third = yield* one(3)
      assert.deepStrictEqual(yield* third, alone)
      assert.deepStrictEqual(yield* first, alone)
      assert.deepStrictEqual(yield* second, theirs)
    }))

  it.effect("P6, P10: an intent for a cancelled message is refused, though another environment's of its id has that very call", () =>
    Effect.gen(function*() {
      const { environment, id, journal, place } = yield* start
      const [mine, theirs] = [yield* environment(1), yield* environment(2)]
      const intent: Partial<Step> = { conditional: true, lifecycle: ["Route"], attempt: Fixture.attempt(1, "intent") }
      assert.deepInclude(yield* theirs.record(10, intent), { _tag: "Written" })
      yield* journal.observe({
        scope: mine.own.scope,
        id,
        event: "Cancel",
        history: { type: "CANCELED", ts: place.at + 5 }
      })
      assert.deepStrictEqual(yield* mine.record(10, intent), { _tag: "Refused" })
    }))
}
