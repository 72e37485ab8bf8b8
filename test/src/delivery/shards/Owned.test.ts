import * as Chances from "#layers/testing/Chance.ts"
import * as Loops from "#layers/testing/Loop.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"

const unused = Effect.die("nothing but claims is asked for")

interface Stop {
  readonly at: number
  readonly for: number
}

/**
 * A node that is to own a shard, stops in the middle of its claims or of its wait after a fence, and goes on when the store is there. Answers
 * how often it claimed the shard from then on.
 */
const live = (story: { readonly stop: Stop; readonly fencedAt?: number; readonly disownedAfter: number }): number => {
  const { disownedAfter, fencedAt, stop } = story
  const loop = Loops.make(Chances.make(1), 0)
  const node = loop.process("node")
  const claims: Array<number> = []
  const away = new StoreUnavailable({ cause: "away" })
  const isAway = () => fencedAt === undefined && loop.now() < stop.at + stop.for
  const journal = Journal.of({
    accept: () => unused,
    record: () => unused,
    observe: () => unused,
    observeAll: () => unused,
    due: () => unused,
    take: (shard) =>
      Effect.suspend(() => {
        claims.push(loop.now())
        return isAway() ? Effect.fail(away) : Effect.succeed({ shard, epoch: 2, seq: 0 })
      })
  })
  const owned = Owned.make(journal)
  const fiber = node.run(owned.own(0, "node", Effect.void))
  if (fencedAt !== undefined) {
    loop.after(fencedAt, () => {
      const owner = owned.find(0)
      if (owner !== undefined) node.run(owned.lost(owner))
    })
  }
  loop.after(stop.at, node.freeze)
  loop.after(stop.at + stop.for, () => {
    node.thaw()
    // What it was told while it stood still comes when it looks.
    loop.after(disownedAfter, () => node.post(() => fiber.interruptUnsafe()))
  })
  loop.run(() => false, stop.at + stop.for + 60_000)
  return claims.filter((at) => at >= stop.at + stop.for).length
}

/** The shards of a node whose store gives out one epoch after the other at once. */
const always = () => {
  let epoch = 0
  return Owned.make(Journal.of({
    accept: () => unused,
    record: () => unused,
    observe: () => unused,
    observeAll: () => unused,
    due: () => unused,
    take: (shard) => Effect.sync(() => ({ shard, epoch: ++epoch, seq: 70 + epoch }))
  }))
}

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40_000 }))

describe("Owned", () => {
  it.effect.prop(
    "P4: a hand-over ends with the last step that runs, after 15 s at most, and no step begins in it",
    { handedOverAt: Millis, steps: Schema.Array(Schema.Struct({ from: Millis, length: Millis })) },
    ({ handedOverAt, steps }) =>
      Effect.gen(function*() {
        const owned = always()
        const fiber = yield* Effect.forkScoped(owned.own(3, "node", Effect.void), { startImmediately: true })
        const began = yield* Clock.currentTimeMillis
        const owner = owned.find(3)
        for (const { from, length } of steps) {
          const step = Effect.suspend(() => {
            const entered = owned.enter(owner)
            return entered === undefined
              ? Effect.void
              : Effect.delay(Effect.sync(() => owned.leave(entered)), length)
          })
          yield* Effect.forkScoped(Effect.delay(step, from))
        }
        assert.deepStrictEqual([owned.has(3), owned.window()], [true, [{ shard: 3, takenAtSeq: 71 }]])
        yield* TestClock.adjust(handedOverAt)
        let ended: number | undefined
        yield* Effect.forkScoped(
          Effect.andThen(
            Fiber.interrupt(fiber),
            Effect.map(Clock.currentTimeMillis, (at) => {
              ended = at - began - handedOverAt
            })
          ),
          { startImmediately: true }
        )
        assert.deepStrictEqual([owned.has(3), owned.window(), owned.enter(owner)], [false, [], undefined])
        yield* TestClock.adjust("1 minute")
        const left = Math.max(
          0,
          ...steps.map(({ from, length }) => from <= handedOverAt ? from + length - handedOverAt : 0)
        )
        assert.deepStrictEqual([ended, owned.find(3)], [Math.min(left, 15_000), undefined])
        assert.isUndefined(owned.enter(owner), "nor after it")
      }).pipe(Effect.scoped)
  )

  it.effect("P4: when a node stops, no step begins in any shard, and each waits for its steps from then on", () =>
    Effect.gen(function*() {
      const owned = always()
      const own = (shard: number) =>
        Effect.forkScoped(owned.own(shard, "node", Effect.void), { startImmediately: true })
      const released: Array<readonly [shard: number, at: number]> = []
      const release = (shard: number, fiber: Fiber.Fiber<never>) =>
        Effect.forkScoped(
          Effect.andThen(
            Fiber.interrupt(fiber),
            Effect.map(Clock.currentTimeMillis, (at) => void released.push([shard, at - began]))
          ),
          { startImmediately: true }
        )
      const [three, four] = [yield* own(3), yield* own(4)]
      for (const shard of [3, 4]) assert.isDefined(owned.enter(owned.find(shard)))
      const began = yield* Clock.currentTimeMillis
      yield* owned.stop
      assert.deepStrictEqual([owned.has(3), owned.has(4), owned.window()], [false, false, []])
      assert.isUndefined(owned.enter(owned.find(3)))
      yield* TestClock.adjust("10 seconds")
      yield* release(3, three)
      yield* TestClock.adjust("10 seconds")
      yield* release(4, four)
      assert.deepStrictEqual(released, [[3, 15_000], [4, 20_000]])
      yield* own(5)
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(owned.find(5), "none is taken any more")
    }).pipe(Effect.scoped))

  it.effect("a stop tells once of the steps that had no end in time, in all shards, and of none that had", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logged = Logger.layer([Logger.make(({ message }) => lines.push(message))])
      const stopped = Effect.fnUntraced(function*(endsAfter: number) {
        const owned = always()
        const owning = yield* Effect.forEach(
          [3, 4, 5],
          (shard) => Effect.forkScoped(owned.own(shard, "node", Effect.void), { startImmediately: true })
        )
        for (const shard of [3, 4, 4]) {
          const entered = owned.enter(owned.find(shard))
          if (entered !== undefined)
            yield* Effect.forkScoped(Effect.delay(Effect.sync(() => owned.leave(entered)), endsAfter))
        }
        yield* owned.stop
        yield* Effect.forkScoped(Fiber.interruptAll(owning), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
      }, Effect.provide(logged))
      yield* stopped(14_000)
      assert.deepStrictEqual(lines, [])
      yield* stopped(16_000)
      assert.deepStrictEqual(lines, [[
        "steps without an answer are cut off after 15 s; who owns their shards next takes them up",
        { steps: 3 }
      ]])
    }).pipe(Effect.scoped))

  it.effect("P2: a shard that is given back while it is handed over is its new epoch's, and no step of the old one's begins", () =>
    Effect.gen(function*() {
      const owned = always()
      const first = yield* Effect.forkScoped(owned.own(3, "node", Effect.void), { startImmediately: true })
      const old = owned.find(3)
      owned.enter(old)
      yield* Effect.forkScoped(Fiber.interrupt(first), { startImmediately: true })
      yield* Effect.forkScoped(owned.own(3, "node", Effect.void), { startImmediately: true })
      const next = owned.find(3)
      assert.deepStrictEqual([old?.epoch, next?.epoch], [1, 2])
      assert.isUndefined(owned.enter(old), "its message may have moved on since it was read")
      yield* TestClock.adjust("16 seconds")
      assert.strictEqual(owned.find(3), next)
      const entered = owned.enter(next)
      if (entered !== undefined) owned.leave(entered)
      assert.strictEqual(entered, next)
    }).pipe(Effect.scoped))

  it.effect("P1: what a predecessor accepted for itself until it learnt of its end is looked for 10 s later", () =>
    Effect.gen(function*() {
      const owned = always()
      const looks: Array<number> = []
      const began = yield* Clock.currentTimeMillis
      const look = Effect.map(Clock.currentTimeMillis, (at) => void looks.push(at - began))
      yield* Effect.forkScoped(owned.own(3, "node", look), { startImmediately: true })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(looks, [0, 10_000])
    }).pipe(Effect.scoped))

  it.effect("P2: a shard is not handed over while it is being taken: an epoch after the successor's would fence that one", () =>
    Effect.gen(function*() {
      let epochs = 0
      const owned = Owned.make(Journal.of({
        accept: () => unused,
        record: () => unused,
        observe: () => unused,
        observeAll: () => unused,
        due: () => unused,
        take: (shard) => Effect.map(Effect.sleep("1 second"), () => ({ shard, epoch: ++epochs, seq: 0 }))
      }))
      const owning = yield* Effect.forkScoped(owned.own(3, "node", Effect.void), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      const handingOver = yield* Effect.forkScoped(Fiber.interrupt(owning), { startImmediately: true })
      yield* TestClock.adjust("499 millis")
      assert.isUndefined(handingOver.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual([handingOver.pollUnsafe()?._tag, epochs], ["Success", 1])
    }).pipe(Effect.scoped))

  it.effect("P4: no step begins in a shard whose claim is answered after its node has begun to stop", () =>
    Effect.gen(function*() {
      const owned = Owned.make(Journal.of({
        accept: () => unused,
        record: () => unused,
        observe: () => unused,
        observeAll: () => unused,
        due: () => unused,
        take: (shard) => Effect.as(Effect.sleep("1 second"), { shard, epoch: 1, seq: 0 })
      }))
      yield* Effect.forkScoped(owned.own(3, "node", Effect.void), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      yield* owned.stop
      yield* TestClock.adjust("500 millis")
      const owner = owned.find(3)
      assert.isDefined(owner, "it has the shard until that is placed elsewhere")
      assert.deepStrictEqual([owned.has(3), owned.window()], [false, []])
      assert.isUndefined(owned.enter(owner))
    }).pipe(Effect.scoped))

  it("P2: who stood still while it claimed a shard hears first that it is another's", () => {
    assert.strictEqual(live({ stop: { at: 3_000, for: 30_000 }, disownedAfter: 2_000 }), 0)
  })

  it("who stood still and is still to own the shard takes it", () => {
    assert.strictEqual(live({ stop: { at: 3_000, for: 30_000 }, disownedAfter: 20_000 }), 1)
  })

  it("P2: who stood still after a fence hears first that the shard is another's (seed 86179)", () => {
    assert.strictEqual(live({ fencedAt: 1_000, stop: { at: 3_000, for: 30_000 }, disownedAfter: 2_000 }), 0)
  })

  it("who was fenced, stood still and is still to own the shard takes it", () => {
    assert.strictEqual(live({ fencedAt: 1_000, stop: { at: 3_000, for: 30_000 }, disownedAfter: 20_000 }), 1)
  })
})
