import * as Link from "#layers/cluster/Link.ts"
import { decode } from "#layers/cluster/Protocol.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const both = ["transactional", "bulk"] as const

/** A worker that says nothing by itself, and what it was told: the ids of messages, or the request. */
const linked = Effect.map(Fixture.world, (place) => {
  const told: Array<string | ReadonlyArray<string>> = []
  let characters = 0
  const link = Link.make((said) => {
    if (typeof said === "string") return void told.push(said)
    characters += said.handed.length
    told.push(decode(said.handed).map(({ id }) => id))
  })
  const message = (): OpenMessage => Fixture.message(place)
  return {
    link,
    told,
    message,
    /** One whose text is so many characters long. */
    long: (size: number): OpenMessage => ({ ...message(), instructions: { content: { body: "x".repeat(size) } } }),
    arrive: () => {
      link.heard({ arrived: characters })
      characters = 0
    }
  }
})

describe("A server's link to its worker", () => {
  it.effect("P3: a worker that is the only node is handed all messages, whatever it last said that it owns", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver }, message, told } = yield* linked
      heard({ shards: [7], direct: both })
      assert.deepStrictEqual([7, 8].map(receiver.owns), [true, false])
      const [one, two] = [message(), message()]
      yield* receiver.offer([one, two])
      yield* receiver.offer([])
      heard({ shards: [], direct: both })
      assert.isFalse(receiver.owns(7))
      yield* receiver.offer([one])
      assert.deepStrictEqual(told, [[one.id, two.id], [one.id]])
    }))

  it.effect("P3: one that is not the only node, or has said nothing yet, is told to read the store", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver }, message, told } = yield* linked
      yield* receiver.offer([message()])
      heard({ shards: [1], direct: [] })
      yield* receiver.offer([message()])
      yield* receiver.stir
      yield* receiver.behind
      assert.deepStrictEqual(told, ["behind", "behind", "stir", "behind"])
    }))

  it.effect("P3: of a lane with a backlog it is told that there is something, before what is for the other lane", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver }, message, told } = yield* linked
      const bulk = (): OpenMessage => ({ ...message(), lane: "bulk" })
      const one = message()
      heard({ shards: [1], direct: ["transactional"] })
      yield* receiver.offer([bulk(), one, bulk()])
      yield* receiver.offer([bulk()])
      heard({ shards: [1], direct: both })
      const two = bulk()
      yield* receiver.offer([two])
      assert.deepStrictEqual(told, ["behind", [one.id], "behind", [two.id]])
    }))

  it.effect("P7: of messages that wait for their time it is told the first of each lane, and all that are ready", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver }, message, told } = yield* linked
      const timed = (dueAt: number, more: Partial<OpenMessage> = {}) => ({ ...message(), dueAt, ...more })
      heard({ shards: [timed(1).shard], direct: both })
      const [late, first, bulk, elsewhere] = [timed(9), timed(3), timed(8, { lane: "bulk" }), timed(1, { shard: 7 })]
      const ready = message()
      yield* receiver.offer([late, first, ready, bulk, timed(4), elsewhere, timed(9, { lane: "bulk" })])
      assert.deepStrictEqual(told, [[ready.id, first.id, bulk.id, elsewhere.id]])
    }))

  it.effect("a flush waits until a busy worker has come to what it brought, 100 ms at most", () =>
    Effect.gen(function*() {
      const { arrive, link: { heard, receiver }, long } = yield* linked
      heard({ shards: [1], direct: both })
      const offered = Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(receiver.offer([long(40_000)]), { startImmediately: true })
        return () => fiber.pollUnsafe() !== undefined
      })
      const first = yield* offered
      assert.isTrue(first())
      const second = yield* offered
      const third = yield* offered
      yield* TestClock.adjust("99 millis")
      assert.deepStrictEqual([second(), third()], [false, false])
      arrive()
      yield* Effect.yieldNow
      assert.deepStrictEqual([second(), third()], [true, true])
      const late = yield* Effect.forkChild(receiver.offer([long(80_000)]), { startImmediately: true })
      yield* TestClock.adjust("99 millis")
      assert.isUndefined(late.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(late)
    }))

  it.effect("what is on its way is bounded: a worker that has not come to 8 MB reads the rest from the store", () =>
    Effect.gen(function*() {
      const { arrive, link: { heard, receiver }, long, told } = yield* linked
      heard({ shards: [1], direct: both })
      const offer = Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(receiver.offer([long(5_000_000)]), { startImmediately: true })
        yield* TestClock.adjust("100 millis")
        yield* Fiber.join(fiber)
        return typeof told.at(-1)
      })
      assert.deepStrictEqual([yield* offer, yield* offer, yield* offer], ["object", "object", "string"])
      arrive()
      assert.strictEqual(yield* offer, "object")
    }))
})
