import { Unavailable } from "#schemas/DeliveryError.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { Journal, type Step } from "#src/delivery/Journal.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const hour = 3_600_000

const ada = { email: "ada@example.com" }

/** A Saturday, far behind the time of the world. */
const saturday = Date.UTC(2050, 10, 19, 12)

/** What becomes of a message to this recipient with this delay, sent on that Saturday at noon; times from then on, in hours. */
const run = Effect.fnUntraced(function*(
  recipient: Recipient,
  delay: Instructions["delay"],
  fault: ReadonlyArray<Fake.Cue> = [],
  /** Where its user says to live, one after the other: each time that the message has waited, at the next place. */
  places: ReadonlyArray<string> = []
) {
  yield* TestClock.setTime(Math.max(saturday, yield* Clock.currentTimeMillis))
  const at = yield* Clock.currentTimeMillis
  const place = { ...(yield* Fixture.world), at }
  const cluster = yield* EngineNode.make(memory.node)
  const provider = yield* Fake.make({ key: "mail", channel: "email", script: fault })
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [provider.vendor] })
  const id = Fixture.id(at)
  const instructions = { content: { title: "t", body: "b" }, delay }
  const log = yield* MessageLog
  const moves = [...places]
  const move = Effect.suspend(() => {
    const zoneinfo = moves.shift()
    return zoneinfo === undefined ?
      Effect.void :
      Profiles.use((profiles) => profiles.replace(place.scope, Fixture.user, { ...ada, zoneinfo })).pipe(
        Effect.provide(memory.node.pipe(Layer.provide(Handover.layer)))
      )
  })
  yield* move
  yield* node.accept(Fixture.message(place, { id, requestId: id, recipient, instructions }))
  yield* cluster.settle
  const first = yield* log.get(place.scope, id)
  for (let turns = 0; turns < 100; turns++) {
    yield* cluster.settle
    const { next } = yield* cluster.due([place.shard])
    if (next === undefined) break
    yield* move
    yield* TestClock.setTime(next)
  }
  const { error, sent, status } = yield* log.get(place.scope, id)
  const history = yield* log.history(place.scope, id)
  return {
    first: first.status,
    status,
    error,
    sent: sent === undefined ? undefined : Math.floor((sent - at) / hour),
    types: history.map(({ type }) => type)
  }
}, Effect.scoped)

describe("Delays until the recipient's time (api.md 26.6)", () => {
  it.effect("a message waits for opening hours, a row until then, and goes out as they begin", () =>
    Effect.gen(function*() {
      const waited = yield* run({ ...ada, zoneinfo: "UTC+1" }, { until: "Mo-Fr 09:00-17:00" })
      assert.deepInclude(waited, { first: "DELAYED", status: "SENT", sent: 44 })
      assert.deepStrictEqual(waited.types.slice(0, 4), ["ENQUEUED", "DELAYED", "MAPPED", "PROFILE_LOADED"])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("a recipient who lives elsewhere by then is waited for once more", () =>
    Effect.gen(function*() {
      const until = "Mo-Fr 09:00-17:00"
      const waited = yield* run({ user_id: "ada" }, { until }, [], ["UTC+1", "UTC-5"])
      assert.deepInclude(waited, { first: "DELAYED", status: "SENT", sent: 50 })
      assert.deepStrictEqual(waited.types.slice(0, 4), ["ENQUEUED", "DELAYED", "DELAYED", "MAPPED"])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("while it is open, and for a time that has passed, nothing is waited for", () =>
    Effect.gen(function*() {
      for (const until of ["24/7", "2050-01-01T00:00:00"]) {
        const { sent, types } = yield* run(ada, { until })
        assert.strictEqual(sent, 0)
        assert.notInclude(types, "DELAYED")
      }
    }).pipe(Effect.provide(memory.shared)))

  it.effect("the message's days count from its opening, and what was begun is not held back again", () =>
    Effect.gen(function*() {
      const fault = { _tag: "Fail" as const, error: new Unavailable({ detail: "down" }) }
      // The fifth of these is tried again when it is closed.
      const faults = Array.from({ length: 5 }, () => fault)
      const { sent, status } = yield* run(ada, { until: "We 09:00-09:01" }, faults)
      // More than the 72 hours that a message has from its start on.
      assert.deepStrictEqual([status, sent], ["SENT", 93])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("A5: a message goes out at its time although the answer was lost when it was written that it waits", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Math.max(saturday, yield* Clock.currentTimeMillis))
      const place = { ...(yield* Fixture.world), at: yield* Clock.currentTimeMillis }
      let lost = 0
      const cluster = yield* EngineNode.make(
        Layer.effect(
          Journal,
          Effect.map(Journal, (journal) => ({
            ...journal,
            record: (step: Step) =>
              step.lifecycle.includes("Delay") && lost++ === 0
                ? Effect.andThen(journal.record(step), Effect.fail(new StoreUnavailable({ cause: "cut off" })))
                : journal.record(step)
          }))
        ).pipe(Layer.provideMerge(memory.node))
      )
      const provider = yield* Fake.make({ key: "mail", channel: "email", script: [] })
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => [provider.vendor] })
      yield* cluster.settle
      yield* TestClock.adjust("20 seconds")
      // Sooner than the next sweep.
      const at = (yield* Clock.currentTimeMillis) + 5_000
      const until = new Date(at).toISOString().slice(0, 19)
      const instructions = { content: { title: "t", body: "b" }, delay: { until } }
      yield* node.accept(Fixture.message(place, { recipient: { ...ada, zoneinfo: "UTC" }, instructions }))
      for (const time of [at - 4_000, at]) {
        yield* cluster.settle
        yield* TestClock.setTime(time)
      }
      yield* cluster.settle
      assert.strictEqual(lost, 2)
      assert.deepStrictEqual((yield* provider.calls).length, 1)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("hours that do not come end the message with one sentence", () =>
    Effect.gen(function*() {
      const { error, status } = yield* run(ada, { until: "Jul" })
      assert.deepStrictEqual([status, error], ["UNDELIVERABLE", "delay.until does not come within 90 days: Jul"])
    }).pipe(Effect.provide(memory.shared)))
})
