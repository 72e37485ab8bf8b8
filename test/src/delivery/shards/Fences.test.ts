import { Unavailable } from "#schemas/DeliveryError.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import { Journal, type Step, type Window } from "#src/delivery/Journal.ts"
import type { Delivery, Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Latch, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"

/** In ms; longer than a hand-over waits for a step (15 s) and its owner then waits for its next epoch (5 s). */
const long = 40_000

/** Whatever can go on has gone on. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

const pass = (seconds: number) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), settled), { times: seconds - 1 })

/** Another node takes the shard, does with it what it can, and dies. */
interface Robber {
  readonly cut?: EngineNode.Cut
  readonly answers: Effect.Effect<void, Unavailable>
}

const idle: Robber = { cut: () => "before", answers: Effect.void }

/**
 * A node whose step for ada takes long, by its provider's call or by the store's answer to its settle, and a second
 * message for ada behind it. After a second it is robbed of the shard, of which a message for bob tells it. Where this
 * leaves off it has the shard again, and the step ends in a second.
 */
const outlived = Effect.fnUntraced(function*(slow: "call" | "answer", { answers, cut }: Robber) {
  const place = yield* EngineNode.place
  const names = new Map<MessageId, string>()
  const looks = yield* Latch.make(true)
  const cluster = yield* EngineNode.make(
    Layer.effect(
      Journal,
      Effect.map(Journal, (journal) => ({
        ...journal,
        // Answered once the latch is open, as things were when it was asked.
        due: (window: Window) => Effect.tap(journal.due(window), looks.await),
        record: (step: Step) => {
          const isSlow = slow === "answer" && names.get(step.message.id) === "first" &&
            step.attempt?.state === "accepted"
          return isSlow ? Effect.tap(journal.record(step), Effect.sleep(long)) : journal.record(step)
        }
      }))
    ).pipe(Layer.provideMerge(memory.node))
  )
  const calls: Array<string> = []
  const vendor = (answer: (delivery: Delivery) => Effect.Effect<void, Unavailable>): Vendor => ({
    _tag: "Vendor",
    key: "vendor",
    channel: "email",
    reaches: () => true,
    send: (delivery) =>
      Clock.currentTimeMillis.pipe(
        Effect.map((at) => {
          const { attempt, messageId } = delivery
          calls.push(`${(at - place.at) / 1_000} s: ${names.get(messageId)} #${attempt}`)
        }),
        Effect.andThen(answer(delivery)),
        Effect.as({ reference: undefined })
      )
  })
  const isSlow = ({ attempt, messageId }: Delivery) =>
    slow === "call" && names.get(messageId) === "first" && attempt === 1
  const shards = [place.shard]
  const node = yield* cluster.start({
    shards,
    vendors: () => [vendor((delivery) => isSlow(delivery) ? Effect.sleep(long) : Effect.void)]
  })
  const send = Effect.fnUntraced(function*(name: string, recipientKey = "ada") {
    const at = yield* Clock.currentTimeMillis
    const message = Fixture.message({ ...place, at }, { recipientKey, recipient: { email: recipientKey } })
    names.set(message.id, name)
    yield* node.accept(message)
    yield* settled
  })
  const rob = Effect.gen(function*() {
    const robber = yield* cluster.start({
      shards,
      vendors: () => [vendor(() => answers)],
      ...(cut === undefined ? {} : { cut })
    })
    yield* settled
    robber.die()
  })

  yield* settled
  yield* send("first")
  yield* send("second")
  yield* pass(1)
  yield* rob
  yield* send("bob's", "bob")
  yield* pass(38)
  return { calls, ids: () => [...names.keys()], looks, node, rob, scope: place.scope, send }
})

describe("What waits behind a step that outlives its owner's epoch", () => {
  it.effect("P2, P4: is read again before it begins, and at once, since another owner may have begun it", () =>
    Effect.gen(function*() {
      const { calls } = yield* outlived("call", { answers: Effect.fail(new Unavailable({ detail: "away" })) })
      yield* pass(1)
      // Which of the two is due first is the jitter's, which is a message's own.
      assert.deepStrictEqual(calls.toSorted(), [
        "0 s: first #1",
        "1 s: second #1",
        "21 s: bob's #1",
        "40 s: first #2",
        "40 s: second #2"
      ])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("begins at once also where that step itself was settled before the shard was lost", () =>
    Effect.gen(function*() {
      const { calls } = yield* outlived("answer", idle)
      yield* pass(1)
      assert.deepStrictEqual(calls, ["0 s: first #1", "21 s: bob's #1", "40 s: second #1"])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("P3: is not passed by what a look finds of its recipient that could not see it", () =>
    Effect.gen(function*() {
      const { calls, looks, node, send } = yield* outlived("call", idle)
      yield* send("third")
      looks.closeUnsafe()
      yield* node.wake
      yield* pass(2)
      assert.deepStrictEqual(calls, ["0 s: first #1", "21 s: bob's #1"])
      looks.openUnsafe()
      yield* settled
      assert.deepStrictEqual(calls.slice(2), ["41 s: second #1", "41 s: third #1"])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})

describe("An owner that was fenced", () => {
  it.effect("and has no step under way, takes the shard 5 s later", () =>
    Effect.gen(function*() {
      const { calls, rob, send } = yield* outlived("call", idle)
      yield* pass(11)
      yield* rob
      yield* send("cyd's", "cyd")
      yield* pass(5)
      assert.deepStrictEqual(calls.at(-1), "55 s: cyd's #1")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("P4: leaves it to its successor to count the outcome that it could not write", () =>
    Effect.gen(function*() {
      const count = (outcome: string) =>
        Effect.map(
          Metric.value(Metrics.attempts({ provider: "vendor", channel: "email", outcome })),
          ({ count }) => Number(count)
        )
      const outcomes = ["accepted", "Unknown"]
      const before = yield* Effect.forEach(outcomes, count)
      const { ids, scope } = yield* outlived("call", idle)
      yield* pass(20)
      const log = yield* MessageLog
      const attempts = (yield* Effect.forEach(ids(), (id) => log.attempts(scope, id))).flat()
      const after = yield* Effect.forEach(outcomes, count)
      assert.deepStrictEqual(
        after.map((counted, n) => counted - (before[n] ?? 0)),
        outcomes.map((outcome) => attempts.filter(({ kind, state }) => (kind ?? state) === outcome).length)
      )
      assert.deepStrictEqual(attempts.map(({ kind, state }) => kind ?? state).toSorted(), [
        "Unknown",
        "accepted",
        "accepted",
        "accepted"
      ])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
