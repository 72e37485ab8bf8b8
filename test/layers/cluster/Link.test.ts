import * as Link from "#layers/cluster/Link.ts"
import { decode } from "#layers/cluster/Protocol.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** A worker that says nothing by itself, and what it was told: the ids of messages, or the request. */
const linked = Effect.map(Fixture.world, (place) => {
  const told: Array<string | ReadonlyArray<string>> = []
  const shard = Fixture.message(place).shard
  let characters = 0
  const link = Link.make((said) => {
    if (typeof said === "string") return void told.push(said)
    if ("behind" in said) return void told.push(`behind ${said.behind.join(" ")}`)
    characters += said.handed.length
    told.push(decode(said.handed).map(({ id }) => id))
  })
  const message = (): OpenMessage => Fixture.message(place)
  return {
    link,
    told,
    shard,
    message,
    /** One whose text is so many characters long. */
    long: (size: number): OpenMessage => ({ ...message(), instructions: { content: { body: "x".repeat(size) } } }),
    arrive: () => {
      link.heard({ arrived: characters })
      characters = 0
    }
  }
})

/** What a worker takes that is the only node and owns these shards. */
const alone = (...shards: ReadonlyArray<number>) => ({ shards, alone: true, backlogged: [] })

describe("A server's link to its worker", () => {
  it.effect("P3: a worker that is the only node is handed all messages, whatever it last said that it owns", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver }, message, told } = yield* linked
      heard(alone(7))
      assert.deepStrictEqual([7, 8].map(receiver.owns), [true, false])
      const [one, two] = [message(), message()]
      yield* receiver.offer([one, two])
      yield* receiver.offer([])
      heard(alone())
      assert.isFalse(receiver.owns(7))
      yield* receiver.offer([one])
      assert.deepStrictEqual(told, [[one.id, two.id], [one.id]])
    }))

  it.effect("P3: one beside others is told to read the store for what is in its own shards, and of nothing else", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver }, message, shard, told } = yield* linked
      yield* receiver.offer([message()])
      heard({ ...alone(shard), alone: false })
      yield* receiver.offer([message()])
      yield* receiver.offer([message(), { ...message(), lane: "bulk" }, message()])
      yield* receiver.offer([{ ...message(), shard: shard + 1 }])
      yield* receiver.stir
      yield* receiver.behind(["bulk"])
      assert.deepStrictEqual(told, ["behind transactional", "behind transactional bulk", "stir", "behind bulk"])
    }))

  it.effect("P3: of a lane with a backlog it is told that there is something, before what is for the other lane", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver }, message, told } = yield* linked
      const bulk = (): OpenMessage => ({ ...message(), lane: "bulk" })
      const one = message()
      heard({ ...alone(), backlogged: ["bulk"] })
      yield* receiver.offer([bulk(), one, bulk()])
      yield* receiver.offer([bulk()])
      heard(alone())
      const two = bulk()
      yield* receiver.offer([two])
      assert.deepStrictEqual(told, ["behind bulk", [one.id], "behind bulk", [two.id]])
    }))

  it.effect("P3: one that has stopped answering owns nothing, and hears in one word what it missed, before all else", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver, silent }, message, shard, told } = yield* linked
      heard(alone(shard))
      silent(false)
      silent(true)
      assert.isFalse(receiver.owns(shard))
      for (let n = 0; n < 3; n++) yield* receiver.offer([message()])
      silent(true)
      yield* receiver.offer([{ ...message(), lane: "bulk" }])
      yield* receiver.behind(["bulk"])
      yield* receiver.stir
      assert.deepStrictEqual(told, [])
      silent(false)
      silent(false)
      assert.isTrue(receiver.owns(shard))
      const last = message()
      yield* receiver.offer([last])
      assert.deepStrictEqual(told, ["behind transactional bulk", "stir", [last.id]])
    }))

  it.effect("P7: of messages that wait for their time it is told the first of each lane that are its own, and all that are ready", () =>
    Effect.gen(function*() {
      const { link: { heard, receiver }, message, shard, told } = yield* linked
      const timed = (dueAt: number, more: Partial<OpenMessage> = {}) => ({ ...message(), dueAt, ...more })
      heard(alone(shard))
      const [late, first, bulk, elsewhere] = [timed(9), timed(3), timed(8, { lane: "bulk" }), timed(1, { shard: -1 })]
      const ready = { ...message(), shard: -1 }
      yield* receiver.offer([late, first, ready, bulk, timed(4), elsewhere, timed(9, { lane: "bulk" })])
      yield* receiver.offer([elsewhere])
      assert.deepStrictEqual(told, [[ready.id, first.id, bulk.id]])
    }))

  it.effect("a flush waits until a busy worker has come to what was accepted before, 100 ms at most", () =>
    Effect.gen(function*() {
      const { arrive, link: { heard, receiver }, long } = yield* linked
      heard(alone())
      const waiting = Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(receiver.room, { startImmediately: true })
        return () => fiber.pollUnsafe() === undefined
      })
      yield* receiver.offer([long(40_000)])
      assert.isFalse((yield* waiting)())
      yield* receiver.offer([long(40_000)])
      const [one, two] = [yield* waiting, yield* waiting]
      yield* TestClock.adjust("99 millis")
      assert.deepStrictEqual([one(), two()], [true, true])
      arrive()
      yield* Effect.yieldNow
      assert.deepStrictEqual([one(), two()], [false, false])
      yield* receiver.offer([long(80_000)])
      const late = yield* waiting
      yield* TestClock.adjust("99 millis")
      assert.isTrue(late())
      yield* TestClock.adjust("1 millis")
      assert.isFalse(late())
    }))

  it.effect("what is on its way is bounded: a worker that has not come to 8 MB reads the rest from the store", () =>
    Effect.gen(function*() {
      const { arrive, link: { heard, receiver }, long, told } = yield* linked
      heard(alone())
      const offer = Effect.map(receiver.offer([long(5_000_000)]), () => typeof told.at(-1))
      assert.deepStrictEqual([yield* offer, yield* offer, yield* offer], ["object", "object", "string"])
      arrive()
      assert.strictEqual(yield* offer, "object")
    }))
})
