import { Unavailable } from "#schemas/DeliveryError.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const outage = 3_600_000

/** How long the vendor takes to answer, in ms: nothing, a moment, and longer than one looks. */
const callTimes = [0, 200, 8_000]

/** Ids of 40 messages: whose waits end apart, as most do, or in one and the same ms. */
const idsOf: Readonly<Record<string, (at: number) => ReadonlyArray<MessageId>>> = {
  "one after the other": (at) => Array.from({ length: 40 }, () => Fixture.id(at)),
  "at once": (at) => {
    const ids: Array<MessageId> = []
    while (ids.length < 40) {
      const id = Fixture.id(at)
      if (RetryPolicy.apart(id) === 2_500) ids.push(id)
    }
    return ids
  }
}

describe("A circuit that is half open", () => {
  for (
    const [callTime, [order, make]] of callTimes.flatMap((time) =>
      Object.entries(idsOf).map((one) => [time, one] as const)
    )
  ) {
    it.effect(
      `P1: one message at a time asks a vendor that was down, for ${callTime} ms; the others lose no try, and follow within seconds: they come ${order}`,
      () =>
        Effect.gen(function*() {
          const place = yield* EngineNode.place
          const { at } = place
          const calls: Array<number> = []
          const cluster = yield* EngineNode.make(memory.node)
          const node = yield* cluster.start({
            shards: [place.shard],
            // Between the look at the circuit and the call the intent is written.
            lag: () => 4,
            vendors: () => [{
              _tag: "Vendor",
              key: "vendor",
              channel: "email",
              reaches: () => true,
              send: Effect.fnUntraced(function*() {
                yield* Effect.sleep(callTime)
                const now = yield* Clock.currentTimeMillis
                calls.push(now)
                if (now < at + outage) return yield* new Unavailable({ detail: "down" })
                return { reference: undefined }
              })
            }]
          })
          const ids = make(at)
          for (const id of ids) {
            const recipientKey = `${place.scope}:email:${id}@example.com`
            const recipient = { email: `${id}@example.com` }
            yield* node.accept(Fixture.message(place, { id, requestId: id, recipientKey, recipient }))
          }
          const log = yield* MessageLog
          for (let now = at; now < at + 2 * outage; now = yield* Clock.currentTimeMillis) {
            yield* cluster.settle
            const { next = Infinity } = yield* cluster.due([place.shard])
            const isDone = (yield* Effect.forEach(ids, (id) => log.get(place.scope, id))).every(({ status }) =>
              status === "SENT" || status === "UNDELIVERABLE"
            )
            if (isDone) break
            yield* TestClock.setTime(next > now ? Math.min(next, now + 1_000) : now + 1_000)
          }
          const tried = yield* Effect.forEach(ids, (id) => log.attempts(place.scope, id))
          assert.strictEqual(tried.flat().length, calls.length, "an attempt is a call")
          assert.isTrue(tried.every((attempts) => attempts.at(-1)?.state === "accepted"))
          const lines = yield* Effect.forEach(ids, (id) => log.history(place.scope, id))
          const told = (type: string) => lines.map((line) => line.filter((event) => event.type === type).length)
          assert.deepStrictEqual([...new Set(told("MAPPED"))], [1], "a wait without a call repeats nothing")
          assert.isAbove(Math.min(...told("RETRYING")), 0, "and says what is waited for")
          const waits = lines.map((line) => line.filter((event) => event.type === "RETRYING" && !event.attempt))
          assert.deepStrictEqual([...new Set(waits.map(({ length }) => length > 1))], [false], "once")
          // Who asked for the others has a schedule of its own by then.
          const others = tried.filter((attempts) => attempts.length <= 2)
          assert.isAtLeast(others.length, ids.length - 5)
          const sent = others.map((attempts) => attempts.at(-1)?.endedAt ?? 0)
          const well = Math.min(...calls.filter((now) => now >= at + outage))
          assert.isBelow(Math.max(...sent) - well, callTime + 12_000)
        }).pipe(Effect.scoped, Effect.provide(memory.shared)),
      60_000
    )
  }

  it.effect("is closed once its vendor is well again, though another one has taken all meanwhile", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const { at } = place
      const cluster = yield* EngineNode.make(memory.node)
      const calls: Array<{ readonly key: string; readonly at: number }> = []
      const vendor = (key: string, isDown: (now: number) => boolean): Vendor => ({
        _tag: "Vendor",
        key,
        channel: "email",
        reaches: () => true,
        send: Effect.fnUntraced(function*() {
          const now = yield* Clock.currentTimeMillis
          calls.push({ key, at: now })
          if (isDown(now)) return yield* new Unavailable({ detail: "down" })
          return { reference: undefined }
        })
      })
      const vendors = [vendor("first", (now) => now < at + outage), vendor("second", () => false)]
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors })
      for (let now = at; now < at + 2 * outage; now += 60_000) {
        yield* TestClock.setTime(now)
        const id = Fixture.id(now)
        const recipient = { email: `${id}@example.com` }
        const recipientKey = `${place.scope}:email:${recipient.email}`
        yield* node.accept(Fixture.message(place, { id, requestId: id, recipientKey, recipient, enqueuedAt: now }))
        yield* cluster.settle
      }
      const asked = calls.filter(({ key }) => key === "first")
      // Five to open it, three while it is open for longer and longer, and then one in five minutes.
      assert.isAtMost(asked.filter(({ at: asked }) => asked < at + outage).length, 5 + 3 + outage / 300_000 + 1)
      const late = calls.filter(({ at: called }) => called > at + outage + 390_000)
      assert.deepStrictEqual([...new Set(late.map(({ key }) => key))], ["first"])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
