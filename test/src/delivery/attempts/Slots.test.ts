import { RateLimited } from "#schemas/DeliveryError.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import type { NewMessage, Step } from "#src/delivery/Journal.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import { TestClock } from "effect/testing"

const second = 1_000

/** A provider with so many connections whose calls take so long, and what it and the journal saw. */
const world = Effect.fnUntraced(function*({ ahead, answer = () => Effect.void, connections, hasOther = false, takes }: {
  readonly connections: number
  readonly ahead: number
  /** In ms. */
  readonly takes: number
  /** A provider without limits is next to it. */
  readonly hasOther?: boolean
  readonly answer?: (call: number) => Effect.Effect<void, RateLimited>
}) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const seen = { calls: Array.empty<string>(), by: Array.empty<string>(), under: 0, most: 0, intents: 0 }
  /** As a node has it: each has connections of its own. */
  const vendor = (node: string, slots = Slots.make(connections, ahead)): Vendor => ({
    _tag: "Vendor",
    key: "mail",
    channel: "email",
    reaches: () => true,
    slots: () => slots,
    send: ({ messageId }) =>
      Effect.suspend(() => {
        seen.by.push(node)
        const call = seen.calls.push(messageId)
        seen.most = Math.max(seen.most, ++seen.under)
        return Effect.sleep(takes).pipe(
          Effect.andThen(answer(call)),
          Effect.as({ reference: undefined }),
          Effect.ensuring(Effect.sync(() => seen.under--))
        )
      })
  })
  const cut = ({ attempt }: Step) => {
    if (attempt?.state === "intent") seen.intents++
    return undefined
  }
  const other: Vendor = {
    _tag: "Vendor",
    key: "other",
    channel: "email",
    reaches: () => true,
    send: () => Effect.succeed({ reference: undefined })
  }
  const otherShard = place.shard + 64
  const start = (name: string, shards = [place.shard]) =>
    cluster.start({
      shards,
      vendors: () => hasOther ? [vendor(name), other] : [vendor(name)],
      cut
    })
  const node = yield* start("first", [place.shard, otherShard])
  const send = Effect.fnUntraced(function*(times: number, more: Partial<NewMessage> = {}) {
    const messages = Array.makeBy(times, () => {
      const id = Fixture.id(place.at)
      return Fixture.message(place, {
        id,
        requestId: id,
        recipientKey: `${place.scope}:email:${id}@example.com`,
        recipient: { email: `${id}@example.com` },
        ...more
      })
    })
    yield* Effect.forEach(messages, node.accept)
    yield* cluster.settle
    return messages.map(({ id }) => id)
  })
  const pass = Effect.fnUntraced(function*(seconds: number) {
    for (let n = 0; n < seconds; n++) {
      yield* TestClock.adjust(second)
      yield* cluster.settle
    }
  })
  const attempts = (id: NewMessage["id"]) => MessageLog.use((log) => log.attempts(place.scope, id))
  const statusOf = (id: NewMessage["id"]) =>
    MessageLog.use((log) => log.get(place.scope, id)).pipe(Effect.map(({ status }) => status))
  return { place, otherShard, cluster, node, seen, start, send, pass, attempts, statusOf }
})

describe("The connections of a provider", () => {
  layer(memory.shared)((it) => {
    it.effect("P4: what waits for one has no intent, but for some that are ahead; all are sent, and no more at once", () =>
      Effect.gen(function*() {
        const { pass, seen, send, statusOf } = yield* world({ connections: 2, ahead: 3, takes: second })
        const ids = yield* send(20)
        assert.deepStrictEqual([seen.calls.length, seen.intents], [2, 5])
        yield* pass(1)
        assert.deepStrictEqual([seen.calls.length, seen.intents], [4, 7])
        yield* pass(10)
        assert.deepStrictEqual(yield* Effect.forEach(ids, statusOf), ids.map(() => "SENT"))
        assert.deepStrictEqual([seen.calls.length, seen.most], [20, 2])
      }).pipe(Effect.scoped))

    it.effect("an attempt begins when its wait is over, and its lines say so", () =>
      Effect.gen(function*() {
        const { attempts, pass, place, send } = yield* world({ connections: 1, ahead: 0, takes: 10 * second })
        const [, id = Fixture.id(0)] = yield* send(2)
        yield* pass(30)
        assert.deepStrictEqual((yield* attempts(id)).map(({ startedAt }) => startedAt - place.at), [10 * second])
        const history = yield* MessageLog.use((log) => log.history(place.scope, id))
        const told = history.flatMap(({ ts, type }) =>
          type === "RENDERED" || type === "DELIVERING" ? [[type, ts - place.at]] : []
        )
        assert.deepStrictEqual(told, [["RENDERED", 10 * second], ["DELIVERING", 10 * second]])
      }).pipe(Effect.scoped))

    it.effect("what found none for 10 s goes back to the store, and is sent when there is one", () =>
      Effect.gen(function*() {
        const { pass, place, seen, send, statusOf } = yield* world({ connections: 1, ahead: 0, takes: 15 * second })
        const ids = yield* send(2)
        const given = Effect.gen(function*() {
          const log = yield* MessageLog
          const lines = (yield* Effect.forEach(ids, (id) => log.history(place.scope, id))).flat()
          return lines.filter(({ type }) => type === "RETRYING").map(({ error, ts }) => [ts - place.at, error])
        })
        yield* pass(9)
        assert.deepStrictEqual(yield* given, [])
        yield* pass(3)
        assert.deepStrictEqual(yield* given, [[10 * second, "All of the provider's connections are in use"]])
        yield* pass(60)
        assert.deepStrictEqual(yield* Effect.forEach(ids, statusOf), ["SENT", "SENT"])
        assert.lengthOf(seen.calls, 2)
      }).pipe(Effect.scoped))

    it.effect("P4: a node that stops begins no call that waited, says of none that it calls, and loses none", () =>
      Effect.gen(function*() {
        const { attempts, node, pass, seen, send, start, statusOf } = yield* world({
          connections: 1,
          ahead: 1,
          takes: 3 * second
        })
        const ids = yield* send(4)
        assert.deepStrictEqual([seen.calls.length, seen.intents], [1, 2])
        yield* Effect.forkChild(node.stop)
        yield* pass(8)
        assert.deepStrictEqual([seen.calls.length, seen.intents], [1, 2])
        yield* start("second")
        yield* pass(60)
        assert.deepStrictEqual(yield* Effect.forEach(ids, statusOf), ids.map(() => "SENT"))
        const states = (yield* Effect.forEach(ids, attempts)).flat().map(({ state }) => state)
        assert.notInclude(states, "unknown")
        assert.lengthOf(seen.calls, 4)
      }).pipe(Effect.scoped))

    it.effect("P1: a call that a node did not make since it stopped is made by the next one at once, whatever its timeout", () =>
      Effect.gen(function*() {
        const { attempts, node, pass, seen, send, start, statusOf } = yield* world({
          connections: 1,
          ahead: 1,
          takes: 3 * second
        })
        yield* send(1)
        const [id = Fixture.id(0)] = yield* send(1, {
          instructions: { content: { title: "Hello", body: "World" }, timeout: { provider: { mail: 2 * second } } }
        })
        assert.deepStrictEqual([seen.calls.length, seen.intents], [1, 2])
        yield* Effect.forkChild(node.stop)
        yield* pass(4)
        yield* start("second")
        yield* pass(1)
        assert.deepStrictEqual([seen.by, seen.calls[1]], [["first", "second"], id])
        yield* pass(5)
        assert.strictEqual(yield* statusOf(id), "SENT")
        assert.deepStrictEqual((yield* attempts(id)).map(({ kind, state }) => [state, kind]), [
          ["rejected", null],
          ["accepted", null]
        ])
      }).pipe(Effect.scoped))

    it.effect("a message whose deadline passes while it waits is not sent any more", () =>
      Effect.gen(function*() {
        const { attempts, pass, seen, send, statusOf } = yield* world({ connections: 1, ahead: 0, takes: 10 * second })
        yield* send(1)
        const [late = Fixture.id(0)] = yield* send(1, {
          instructions: { content: { title: "Hello", body: "World" }, timeout: { message: 5 * second } }
        })
        yield* pass(30)
        assert.strictEqual(yield* statusOf(late), "UNDELIVERABLE")
        assert.deepStrictEqual(yield* attempts(late), [])
        assert.lengthOf(seen.calls, 1)
      }).pipe(Effect.scoped))

    for (const hasOther of [false, true]) {
      const next = hasOther ? "the next provider is, at once" : "it is when it may be again"
      it.effect(`of a provider that is left alone meanwhile, none is called; ${next}, with what it was shown`, () =>
        Effect.gen(function*() {
          const refused = new RateLimited({ detail: "slow down", retryAfter: 60 * second })
          const { pass, seen, send, statusOf, place } = yield* world({
            connections: 1,
            ahead: 0,
            takes: second,
            answer: (call) => call === 1 ? Effect.fail(refused) : Effect.void,
            hasOther
          })
          const ids = yield* send(5)
          yield* pass(30)
          assert.lengthOf(seen.calls, 1)
          assert.strictEqual(yield* statusOf(ids[1] ?? Fixture.id(0)), hasOther ? "SENT" : "ENQUEUED")
          yield* pass(120)
          assert.deepStrictEqual(yield* Effect.forEach(ids, statusOf), ids.map(() => "SENT"))
          const histories = yield* MessageLog.use((log) => Effect.forEach(ids, (id) => log.history(place.scope, id)))
          for (const history of histories) assert.lengthOf(history.filter(({ type }) => type === "RENDERED"), 1)
        }).pipe(Effect.scoped))
    }

    it.effect("P2: an intent that has waited for longer than 2 s is proved anew: a fenced owner's is not called", () =>
      Effect.gen(function*() {
        const { cluster, node, pass, seen, send, start, statusOf } = yield* world({
          connections: 1,
          ahead: 3,
          takes: 5 * second
        })
        const ids = yield* send(3)
        assert.deepStrictEqual([seen.calls.length, seen.intents], [1, 3])
        yield* start("second")
        yield* cluster.settle
        // Its own call has ended by then, and it has not taken the shard again.
        yield* pass(8)
        assert.lengthOf(seen.by.filter((by) => by === "first"), 1)
        node.die()
        yield* pass(60)
        assert.deepStrictEqual(yield* Effect.forEach(ids, statusOf), ids.map(() => "SENT"))
      }).pipe(Effect.scoped))

    it.effect("P2: nor is it where the call that it waited for was in a shard that the owner still has", () =>
      Effect.gen(function*() {
        const { cluster, otherShard, pass, seen, send, start, statusOf } = yield* world({
          connections: 1,
          ahead: 1,
          takes: 5 * second
        })
        const [theirs = Fixture.id(0)] = yield* send(1, { shard: otherShard })
        const [id = Fixture.id(0)] = yield* send(1)
        assert.deepStrictEqual([seen.calls, seen.intents], [[theirs], 2])
        yield* start("second")
        yield* cluster.settle
        yield* pass(60)
        assert.deepStrictEqual(seen.by.filter((_, n) => seen.calls[n] === id), ["second"])
        assert.deepStrictEqual(yield* Effect.forEach([theirs, id], statusOf), ["SENT", "SENT"])
      }).pipe(Effect.scoped))

    it.effect("who waits is served by turns: one tenant's bulk does not hold up another's password", () =>
      Effect.gen(function*() {
        const { pass, seen, send } = yield* world({ connections: 1, ahead: 0, takes: second })
        yield* send(20, { lane: "bulk", tenantId: "many" })
        const [password] = yield* send(1)
        yield* pass(2)
        assert.include(seen.calls, password)
        assert.isAtMost(seen.calls.length, 3)
      }).pipe(Effect.scoped))

    it.effect("a password waits for one call of bulk, however many tenants' bulk waits", () =>
      Effect.gen(function*() {
        const { pass, seen, send } = yield* world({ connections: 1, ahead: 0, takes: second })
        for (let n = 0; n < 20; n++) yield* send(1, { lane: "bulk", tenantId: `t${n}` })
        const [password] = yield* send(1)
        yield* pass(2)
        assert.include(seen.calls, password)
        assert.isAtMost(seen.calls.length, 3)
      }).pipe(Effect.scoped))
  })
})
