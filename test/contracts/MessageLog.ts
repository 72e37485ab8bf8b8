import type { Recipient } from "#schemas/Recipient.ts"
import { Journal, type NewMessage } from "#src/delivery/Journal.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { MessageLog, type MessageQuery } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { outputs } from "#test/contracts/MessageLogOutputs.ts"
import { pages } from "#test/contracts/MessageLogPages.ts"
import { snapshots } from "#test/contracts/MessageLogSnapshots.ts"
import { assert, describe, layer, type Vitest } from "@effect/vitest"
import { Effect, type Layer } from "effect"

/** The names of the messages that a query finds; the name is the event, unless the test is about events. */
const found = (place: Fixture.World, more: Partial<MessageQuery>, name: "event" | "template" = "event") =>
  Effect.map(
    MessageLog.use((log) => log.list(place.scope, { ...Fixture.anything, ...more })),
    (page) => page.items.map((item) => item[name]).toSorted()
  )

const fill = Effect.fnUntraced(function*(all: Record<string, Partial<NewMessage>>) {
  const place = yield* Fixture.world
  yield* Effect.forEach(Object.entries(all), ([event, more]) => Fixture.accepted(place, { event, ...more }))
  return place
})

const filters = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect("P10: an environment lists its own messages only", () =>
    Effect.gen(function*() {
      const place = yield* fill({ a: {}, b: {} })
      yield* fill({ c: {} })
      assert.deepStrictEqual(yield* found(place, {}), ["a", "b"])
    }))

  it.effect("event", () =>
    Effect.gen(function*() {
      const place = yield* fill({ a: {}, b: {}, A: {} })
      assert.deepStrictEqual(yield* found(place, { event: "a" }), ["a"])
      assert.deepStrictEqual(yield* found(place, { event: "%" }), [])
    }))

  it.effect("notification", () =>
    Effect.gen(function*() {
      const place = yield* fill({ a: { template: "welcome" }, b: { template: "welcomes" }, c: {} })
      assert.deepStrictEqual(yield* found(place, { notification: "welcome" }), ["a"])
    }))

  it.effect("recipient", () =>
    Effect.gen(function*() {
      const place = yield* fill({
        a: { recipientName: "ada" },
        b: { recipientName: "bob" },
        c: { recipientName: "ada " }
      })
      assert.deepStrictEqual(yield* found(place, { recipient: "ada" }), ["a"])
    }))

  it.effect("user: not an address that is written alike", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const log = yield* MessageLog
      const name = "ada@example.com"
      const to = (recipient: Recipient, event: string) => {
        const identity = Recipients.identify(place.scope, recipient)
        assert.isDefined(identity)
        return Fixture.accepted(place, { event, recipientKey: identity.key, recipientName: identity.name })
      }
      const own = yield* to({ user_id: name }, "a")
      const address = yield* to({ email: name }, "b")
      assert.deepStrictEqual(yield* found(place, { recipient: name }), ["a", "b"])
      assert.deepStrictEqual(yield* found(place, { userId: name }), ["a"])
      assert.strictEqual((yield* log.get(place.scope, own.id)).userId, name)
      assert.isUndefined((yield* log.get(place.scope, address.id)).userId)
      const { cursor } = yield* log.list(place.scope, { ...Fixture.anything, recipient: name, limit: 1 })
      const refused = yield* Effect.flip(log.list(place.scope, { ...Fixture.anything, userId: name, cursor }))
      assert.strictEqual(refused._tag, "InvalidCursor")
    }))

  it.effect("messageId", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const own = Fixture.id(place.at)
      yield* Fixture.accepted(place, { id: own, event: "a" })
      yield* Fixture.accepted(place, { event: "b" })
      assert.deepStrictEqual(yield* found(place, { messageId: own }), ["a"])
      assert.deepStrictEqual(yield* found(place, { messageId: "no id at all" }), [])
    }))

  it.effect("statuses are alternatives; an unknown one matches nothing", () =>
    Effect.gen(function*() {
      const place = yield* fill({ a: {}, b: { status: "DELAYED", dueAt: 9e12 }, c: { status: "SENT" } })
      assert.deepStrictEqual(yield* found(place, { statuses: ["ENQUEUED", "SENT"] }), ["a", "c"])
      assert.deepStrictEqual(yield* found(place, { statuses: ["sent", "LOST", "\""] }), [])
    }))

  it.effect("tags are alternatives", () =>
    Effect.gen(function*() {
      const place = yield* fill({ a: { tags: ["x", "y"] }, b: { tags: ["y"] }, c: { tags: ["x,y"] }, d: {} })
      assert.deepStrictEqual(yield* found(place, { tags: ["x", "z"] }), ["a"])
      assert.deepStrictEqual(yield* found(place, { tags: ["y", "x,y"] }), ["a", "b", "c"])
    }))

  it.effect("tenant", () =>
    Effect.gen(function*() {
      const place = yield* fill({ a: { tenantId: "t" }, b: { tenantId: "u" }, c: {} })
      assert.deepStrictEqual(yield* found(place, { tenantId: "t" }), ["a"])
    }))

  it.effect("trace: the caller's own id, or a request's", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const [request, single] = [Fixture.id(place.at), Fixture.id(place.at)]
      yield* Fixture.accepted(place, { event: "a", traceId: "trace" })
      yield* Fixture.accepted(place, { event: "b", requestId: request })
      yield* Fixture.accepted(place, { event: "c", requestId: request, traceId: "other" })
      yield* Fixture.accepted(place, { event: "d", id: single })
      assert.deepStrictEqual(yield* found(place, { traceId: "trace" }), ["a"])
      assert.deepStrictEqual(yield* found(place, { traceId: request }), ["b", "c"])
      assert.deepStrictEqual(yield* found(place, { traceId: single }), ["d"])
    }))

  it.effect("enqueuedAfter leaves out what came before it, so that a poller who asks from the last that it saw misses nothing", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      yield* Effect.forEach(
        [0, 999, 1_000, 86_400_000],
        (after) => Fixture.accepted(place, { event: `${after}`, enqueuedAt: place.at + after })
      )
      assert.deepStrictEqual(yield* found(place, { enqueuedAfter: place.at + 999 }), ["1000", "86400000", "999"])
      assert.deepStrictEqual(yield* found(place, { enqueuedAfter: place.at + 1_000 }), ["1000", "86400000"])
      assert.deepStrictEqual(yield* found(place, { enqueuedAfter: place.at + 86_400_001 }), [])
      assert.deepStrictEqual(yield* found(place, { enqueuedAfter: -1 }), ["0", "1000", "86400000", "999"])
    }))

  it.effect("providers are alternatives: those that were tried", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      const tried = Effect.fnUntraced(function*(event: string, providers: ReadonlyArray<string>) {
        const message = yield* Fixture.accepted(place, { event })
        yield* Effect.forEach(providers, (provider, n) =>
          journal.record(
            Fixture.step(message, epoch, {
              at: place.at + n,
              attempt: Fixture.attempt(n + 1, "rejected", { provider })
            })
          ))
      })
      yield* tried("a", ["smtp", "ses", "smtp"])
      yield* tried("b", ["ses"])
      yield* tried("c", [])
      assert.deepStrictEqual(yield* found(place, { providers: ["smtp", "none"] }), ["a"])
      assert.deepStrictEqual(yield* found(place, { providers: ["ses"] }), ["a", "b"])
    }))

  it.effect("list: also of one that was sent to its recipient alone", () =>
    Effect.gen(function*() {
      const place = yield* fill({ a: { listId: "l" }, b: { listId: "m" }, c: {}, d: { listId: "l" } })
      assert.deepStrictEqual(yield* found(place, { list: "l" }), ["a", "d"])
    }))

  it.effect("list: a message that came from no list is in none", () =>
    Effect.gen(function*() {
      const place = yield* fill({ a: {} })
      assert.deepStrictEqual(yield* found(place, { list: "a" }), [])
    }))

  it.effect("list: a message to one user as a list's, also beside others and sent again, is in it", () =>
    Effect.gen(function*() {
      const place = yield* fill({
        a: { listId: "everyone" },
        b: {},
        c: { listId: "others" },
        d: { listId: "everyone" }
      })
      assert.deepStrictEqual(yield* found(place, { list: "everyone" }), ["a", "d"])
      const journal = yield* Journal
      const together = ["e", "f"].map((event) => Fixture.message(place, { event, listId: event }))
      yield* journal.accept(Fixture.acceptance(place, together, { key: Fixture.key(place) }))
      assert.deepStrictEqual(yield* found(place, { list: "e" }), ["e"])
    }))

  it.effect("all filters given must hold", () =>
    Effect.gen(function*() {
      const place = yield* fill({
        a: { tags: ["x"], tenantId: "t" },
        b: { tags: ["x"], tenantId: "u" },
        c: { tenantId: "t" }
      })
      assert.deepStrictEqual(yield* found(place, { tags: ["x"], tenantId: "t" }), ["a"])
    }))

  it.effect("values are data, never SQL", () =>
    Effect.gen(function*() {
      const hostile = "'; drop table messages; -- {\"},%_\\"
      const place = yield* fill({ a: { tags: [hostile], tenantId: hostile, recipientName: hostile }, b: {} })
      assert.deepStrictEqual(yield* found(place, { tags: [hostile], tenantId: hostile, recipient: hostile }), ["a"])
    }))
}

const archives = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect("an archived request's messages are hidden, unless asked for, and still there", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const log = yield* MessageLog
      const request = Fixture.id(place.at)
      const hidden = yield* Fixture.accepted(place, { event: "a", requestId: request })
      yield* Fixture.accepted(place, { event: "b", requestId: request })
      const single = yield* Fixture.accepted(place, { event: "c" })
      yield* Fixture.accepted(place, { event: "d" })
      yield* log.archive(place.scope, request)
      assert.deepStrictEqual(yield* found(place, {}), ["c", "d"])
      yield* log.archive(place.scope, single.requestId)
      yield* log.archive(place.scope, single.requestId)
      assert.deepStrictEqual(yield* found(place, {}), ["d"])
      assert.deepStrictEqual(yield* found(place, { archived: true }), ["a", "b", "c", "d"])
      assert.isTrue((yield* log.get(place.scope, hidden.id)).archived)
    }))

  it.effect("P10: a request of another scope cannot be archived", () =>
    Effect.gen(function*() {
      const [place, elsewhere] = [yield* fill({ a: {} }), yield* Fixture.world]
      const log = yield* MessageLog
      const message = yield* Fixture.accepted(place, { event: "b" })
      assert.strictEqual((yield* Effect.flip(log.archive(elsewhere.scope, message.requestId)))._tag, "RequestNotFound")
      assert.strictEqual((yield* Effect.flip(log.archive(place.scope, Fixture.id(place.at))))._tag, "RequestNotFound")
      assert.deepStrictEqual(yield* found(place, {}), ["a", "b"])
    }))
}

const histories = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect("ENQUEUED comes first, then the entries by time, whatever the order in which they were written", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const log = yield* MessageLog
      const message = yield* Fixture.accepted(place, { events: [{ type: "MAPPED", ts: place.at }] })
      for (
        const [type, event, after] of [["CLICKED", "Click", 30], ["DELIVERED", "Deliver", 10], [
          "OPENED",
          "Open",
          20
        ]] as const
      ) {
        yield* journal.observe({ scope: place.scope, id: message.id, event, history: { type, ts: place.at + after } })
      }
      const history = yield* log.history(place.scope, message.id)
      assert.deepStrictEqual(history.map(({ ts, type }) => [type, ts - place.at]), [
        ["ENQUEUED", 0],
        ["MAPPED", 0],
        ["DELIVERED", 10],
        ["OPENED", 20],
        ["CLICKED", 30]
      ])
    }))

  it.effect("entries keep what they say, to the last character", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const events = [{
        type: "RENDERED" as const,
        ts: place.at,
        channel: "email",
        error: "\u0000\ud800",
        output: { ...Fixture.rendered("\u0000"), html: "1e200000" }
      }]
      const message = yield* Fixture.accepted(place, { events })
      const history = yield* (yield* MessageLog).history(place.scope, message.id)
      assert.deepStrictEqual(history, [{ type: "ENQUEUED", ts: place.at }, ...events])
    }))

  it.effect("P10: another scope's message has no history here", () =>
    Effect.gen(function*() {
      const [place, elsewhere] = [yield* Fixture.world, yield* Fixture.world]
      const message = yield* Fixture.accepted(place)
      const refused = yield* Effect.flip((yield* MessageLog).history(elsewhere.scope, message.id))
      assert.strictEqual(refused._tag, "MessageNotFound")
    }))
}

/** What every message log promises of what the journal wrote. */
export const messageLogContract = <E>(name: string, stores: Layer.Layer<Journal | MessageLog, E>) =>
  layer(stores)(`MessageLog: ${name}`, (it) => {
    describe("filters", () => filters(it))
    describe("pages", () => pages(it))
    describe("snapshots", () => snapshots(it))
    describe("archive", () => archives(it))
    describe("history", () => histories(it))
    describe("output", () => outputs(it))
  })
