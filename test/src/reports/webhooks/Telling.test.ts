import { Journal } from "#src/delivery/Journal.ts"
import { Outbound, OutboundNotSent, type OutboundRequest, OutboundUnknown } from "#src/delivery/Outbound.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { MessageLog, type Snapshots } from "#src/reports/MessageLog.ts"
import { Webhooks } from "#src/reports/Webhooks.ts"
import { Outbox } from "#src/reports/webhooks/Outbox.ts"
import { Telling } from "#src/reports/webhooks/Telling.ts"
import * as TellingLayer from "#src/reports/webhooks/Telling.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { said } from "#test/contracts/OutboxFixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, type Duration, Effect, Exit, Layer, Logger, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"

const url = "https://hooks.example.com/a-secret-path?token=a-secret-token"
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

type Answer = Effect.Effect<
  { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
  OutboundNotSent | OutboundUnknown
>
const ok: Answer = Effect.succeed({ status: 200 })
const away: Answer = Effect.fail(new OutboundNotSent({ stage: "connect", detail: "hooks.example.com: ECONNREFUSED" }))

interface Heard {
  readonly id: string
  readonly status: string
  readonly messageId: string
  /** Seconds since the start. */
  readonly after: number
}

/** A receiver that answers as the test says, over stores in memory, and `nodes` that tell. */
const start = Effect.fnUntraced(function*(options: { readonly nodes?: number } = {}) {
  const place = yield* Fixture.world
  yield* TestClock.setTime(place.at)
  const heard: Array<Heard> = []
  const logs: Array<unknown> = []
  let answer: (heard: Heard) => Answer = () => ok
  const request = Effect.fnUntraced(function*({ body = "", headers }: OutboundRequest) {
    const { data: { id, status } } = JSON.parse(body)
    const now = yield* Clock.currentTimeMillis
    const one = { id: headers["webhook-id"] ?? "", messageId: id, status, after: Math.floor((now - place.at) / 1_000) }
    heard.push(one)
    const { headers: answered = {}, status: code } = yield* answer(one)
    return { status: code, headers: answered, body: "", truncated: false }
  })
  const stores = yield* Layer.build(Layer.fresh(Stores.layer))
  const log = Context.get(stores, MessageLog)
  let read = log.snapshots
  const reading = MessageLog.of({ ...log, snapshots: (...asked) => Effect.suspend(() => read(...asked)) })
  const node = Layer.fresh(TellingLayer.layer).pipe(
    Layer.provide([Layer.succeed(Outbound, { request }), Layer.succeed(MessageLog, reading)]),
    Layer.provide(Layer.succeedContext(stores)),
    Layer.provide(Logger.layer([Logger.make(({ message }) => void logs.push(message))]))
  )
  const scope = yield* Scope.make()
  const nodes = yield* Effect.forEach(
    Array.from({ length: options.nodes ?? 1 }),
    () => Effect.map(Layer.buildWithScope(node, scope), (built) => Context.get(built, Telling))
  )
  yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
  const webhooks = Context.get(stores, Webhooks)
  const journal = Context.get(stores, Journal)
  const { id } = yield* webhooks.create(
    place.scope,
    { url, types: undefined, description: undefined, state: "ENABLED" },
    Redacted.make(secret)
  )
  const wake = Effect.forEach(nodes, (each) => each.wake, { discard: true })
  return {
    /** Seconds after the start at which a message's event came, each time. */
    times: (messageId: string) => heard.filter((one) => one.messageId === messageId).map(({ after }) => after),
    answering: (next: typeof answer) => Effect.sync(() => (answer = next)),
    heard,
    journal,
    logs,
    outbox: Context.get(stores, Outbox),
    place,
    /** What reads of messages answer from now on, given what is stored. */
    reading: (change: (stored: Snapshots) => Effect.Effect<Snapshots, StoreUnavailable>) =>
      Effect.sync(() => {
        read = (...asked) => Effect.flatMap(log.snapshots(...asked), change)
      }),
    record: webhooks.get(place.scope, id),
    /** Accepts so many messages, now. */
    send: Effect.fnUntraced(function*(count = 1) {
      const at = yield* Clock.currentTimeMillis
      const messages = Array.from({ length: count }, () => Fixture.message({ ...place, at }))
      yield* journal.accept({ ...Fixture.acceptance(place, messages), at })
      yield* wake
      return messages.map((message) => message.id)
    }),
    stop: Scope.close(scope, Exit.void),
    webhooks,
    wake,
    wait: (time: Duration.Input) => TestClock.adjust(time)
  }
})

describe("Telling", () => {
  it.effect("P1: what happens is told, signed, and once where all goes well, however many nodes tell", () =>
    Effect.gen(function*() {
      const { heard, record, send, wait } = yield* start({ nodes: 3 })
      const ids = yield* send(500)
      yield* wait("1 second")
      assert.deepStrictEqual(heard.map(({ messageId }) => messageId).toSorted(), ids.toSorted())
      assert.deepInclude(yield* record, { failing: undefined, lost: 0 })
    }))

  it.effect("W1: an event of a receiver that is away is tried after 5, 15, 35, 75 … seconds, for 24 hours, and is lost then", () =>
    Effect.gen(function*() {
      const { answering, place, record, send, times, wait } = yield* start()
      yield* answering(() => away)
      const [id = ""] = yield* send()
      yield* wait("26 hours")
      const at = times(id)
      assert.deepStrictEqual(at.slice(0, 9), [0, 5, 15, 35, 75, 155, 315, 635, 1_275])
      assert.closeTo((at.at(-1) ?? 0) / 3_600, 24, 0.25)
      const { failing, lost } = yield* record
      assert.strictEqual(lost, 1)
      assert.deepStrictEqual(failing?.error, "hooks.example.com: ECONNREFUSED")
      assert.closeTo(failing?.since ?? 0, place.at, 1_000)
    }))

  it.effect("one that is away is asked ever more rarely; once it is back, all that it missed is told at once", () =>
    Effect.gen(function*() {
      const { answering, heard, record, send, wait } = yield* start()
      yield* answering(() => away)
      const ids = yield* send(1_000)
      yield* wait("6 hours")
      assert.isBelow(heard.length, 100)
      yield* answering(() => ok)
      heard.length = 0
      yield* wait("16 minutes")
      assert.deepStrictEqual(heard.map(({ messageId }) => messageId).toSorted(), ids.toSorted())
      assert.deepInclude(yield* record, { failing: undefined, lost: 0 })
    }))

  it.effect("W1: one that is away for five days is given up, and hears nothing more until it is enabled again", () =>
    Effect.gen(function*() {
      const { answering, heard, logs, outbox, record, send, wait } = yield* start()
      yield* answering(() => away)
      yield* send(10)
      for (let day = 0; day < 6; day++) {
        yield* wait("1 day")
        yield* send(10)
      }
      assert.isAtLeast(yield* outbox.sweep(1_000), 20)
      const given = yield* record
      assert.strictEqual(given.state, "DISABLED")
      assert.isDefined(given.gaveUpAt)
      assert.isAtLeast(given.lost, 20)
      const calls = heard.length
      yield* wait("1 day")
      assert.strictEqual(heard.length, calls)
      assert.include(JSON.stringify(logs), "a webhook is given up")
    }))

  it.effect("one that answers 410 is given up at once", () =>
    Effect.gen(function*() {
      const { answering, heard, record, send, wait } = yield* start()
      yield* answering(() => Effect.succeed({ status: 410 }))
      yield* send()
      yield* wait("1 hour")
      assert.strictEqual(heard.length, 1)
      assert.deepInclude(yield* record, { state: "DISABLED", lost: 0 })
    }))

  it.effect("an event that it cannot take holds up no other", () =>
    Effect.gen(function*() {
      const { answering, send, times, wait } = yield* start()
      const [bad = ""] = yield* send()
      yield* answering(({ messageId }) => messageId === bad ? Effect.succeed({ status: 500 }) : ok)
      for (let n = 0; n < 60; n++) {
        yield* wait("1 second")
        const [good = ""] = yield* send()
        yield* wait("20 millis")
        assert.strictEqual(times(good).length, 1)
      }
      assert.deepStrictEqual(times(bad), [0, 5, 15, 35])
    }))

  it.effect("P1: while messages cannot be read nothing is told or lost, and no try is used up", () =>
    Effect.gen(function*() {
      const { heard, logs, reading, record, send, wait } = yield* start()
      for (const answer of [Effect.fail(new StoreUnavailable({ cause: "planted" })), Effect.die("a bug")]) {
        yield* reading(() => answer)
        const ids = yield* send(3)
        yield* wait("1 minute")
        assert.strictEqual(heard.length, 0)
        assert.isBelow(logs.length, 30)
        yield* reading(Effect.succeed)
        yield* wait("6 seconds")
        assert.sameMembers(heard.map(({ messageId }) => messageId), [...ids])
        assert.deepInclude(yield* record, { failing: undefined, lost: 0 })
        heard.length = 0
      }
    }))

  it.effect("what another version wrote is kept for its nodes as long as anything is, and the others are told", () =>
    Effect.gen(function*() {
      const { heard, reading, record, send, wait } = yield* start()
      const ids = yield* send(3)
      const [bad = ""] = ids
      yield* reading(({ snapshots }) =>
        Effect.succeed({
          snapshots: snapshots.filter(({ record: { id } }) => id !== bad),
          unreadable: snapshots.flatMap(({ record: { id } }) => id === bad ? [id] : [])
        })
      )
      yield* wait("1 hour")
      assert.sameMembers(heard.map(({ messageId }) => messageId), ids.slice(1))
      yield* reading(Effect.succeed)
      yield* wait("1 hour")
      assert.sameMembers(heard.map(({ messageId }) => messageId), [...ids])
      assert.deepInclude(yield* record, { failing: undefined, lost: 0 })
    }))

  it.effect("a receiver that hangs does not keep other environments' webhooks waiting", () =>
    Effect.gen(function*() {
      const { answering, heard, journal, place, send, wait, webhooks } = yield* start()
      const draft = { url, types: undefined, description: undefined, state: "ENABLED" } as const
      for (let n = 0; n < 9; n++) yield* webhooks.create(place.scope, draft, Redacted.make(secret))
      const other = yield* Fixture.world
      yield* webhooks.create(other.scope, draft, Redacted.make(secret))
      const message = Fixture.message({ ...other, at: place.at })
      yield* answering(({ messageId }) => messageId === message.id ? ok : Effect.never)
      yield* send(40)
      yield* wait("1 second")
      yield* journal.accept({ ...Fixture.acceptance(other, [message]), at: place.at })
      yield* wait("1 second")
      assert.include(heard.map(({ messageId }) => messageId), message.id)
    }))

  it.effect("429 and 503 with `Retry-After` get the time that they ask for", () =>
    Effect.gen(function*() {
      const { answering, send, times, wait } = yield* start()
      yield* answering(() => Effect.succeed({ status: 429, headers: { "retry-after": "120" } }))
      const [id = ""] = yield* send()
      yield* wait("1 second")
      yield* answering(() => ok)
      const [other = ""] = yield* send()
      yield* wait("3 minutes")
      assert.deepStrictEqual(times(id), [0, 120])
      assert.deepStrictEqual(times(other), [120])
    }))

  it.effect("a 2xx counts, also if the rest of the answer did not come; without a status it is told again", () =>
    Effect.gen(function*() {
      const { answering, send, times, wait } = yield* start()
      const broken = (status?: number) =>
        Effect.fail(
          new OutboundUnknown({ reason: "disconnected", detail: "cut", ...(status === undefined ? {} : { status }) })
        )
      yield* answering(() => broken(204))
      const [one = ""] = yield* send()
      yield* wait("1 second")
      yield* answering(() => broken())
      const [two = ""] = yield* send()
      yield* wait("10 seconds")
      assert.deepStrictEqual(times(one), [0])
      assert.deepStrictEqual(times(two), [1, 6])
    }))

  it.effect("a stop writes what was told, and leaves the rest to whoever comes next at once", () =>
    Effect.gen(function*() {
      const { answering, heard, outbox, record, send, stop, wait } = yield* start()
      yield* answering(({ messageId }) => messageId === ids[0] ? Effect.never : ok)
      const ids: ReadonlyArray<string> = yield* send(3)
      yield* wait("1 second")
      assert.strictEqual(heard.length, 3)
      yield* stop
      assert.isDefined((yield* record).reachedAt)
      const next = yield* outbox.claim(10)
      assert.deepStrictEqual(next?.events.map(({ happened }) => said(happened)), [`${ids[0]} ENQUEUED`])
    }))

  it.effect("P9: no log has the secret, or path and query of the URL", () =>
    Effect.gen(function*() {
      const { answering, logs, send, wait } = yield* start()
      yield* answering(() => away)
      yield* send(30)
      yield* wait("1 hour")
      yield* answering(() => ok)
      yield* wait("1 hour")
      const text = JSON.stringify(logs)
      assert.include(text, "a webhook cannot be reached")
      assert.include(text, "a webhook is reached again")
      for (const hidden of ["a-secret-path", "a-secret-token", secret.slice(6)]) assert.notInclude(text, hidden)
    }))
})
