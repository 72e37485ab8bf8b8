import { RateLimited } from "#schemas/DeliveryError.ts"
import { MessageId } from "#schemas/MessageId.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import type { Step } from "#src/delivery/Journal.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const messages = 300
const many = 64
const eachSecond = 5

/** Waits are jittered by the id: the same ones in each run, or one in thirty would last ten seconds longer. */
const idOf = (n: number) => MessageId.make(`1-6b49d200-${n.toString(16).padStart(24, "0")}`)

/** A provider that takes so many messages in each second of the clock, and what it saw. */
const limited = (
  { allowed = eachSecond, connections = many, key = "mail", retryAfter }: {
    readonly allowed?: number
    readonly connections?: number
    readonly key?: string
    readonly retryAfter?: number | undefined
  } = {}
) => {
  const seen = { taken: 0, refused: 0, order: Array.empty<number>() }
  const slots = Slots.make(connections)
  let second = 0
  let used = 0
  const vendor: Vendor = {
    _tag: "Vendor",
    key,
    channel: "email",
    reaches: () => true,
    slots: () => slots,
    send: Effect.fnUntraced(function*({ profile }) {
      yield* Effect.sleep(200)
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      if (now !== second) used = 0
      second = now
      if (used++ >= allowed) {
        seen.refused++
        return yield* new RateLimited({ detail: "too many", retryAfter })
      }
      seen.taken++
      seen.order.push(Number.parseInt(String(profile["email"])))
      return { reference: undefined }
    })
  }
  return { seen, vendor }
}

/** One that takes all, and how many it took. */
const unlimited = (channel: string) => {
  const seen = { taken: 0 }
  const vendor: Vendor = {
    _tag: "Vendor",
    key: "other",
    channel,
    reaches: () => true,
    send: () => Effect.sync(() => ({ reference: `${seen.taken++}` }))
  }
  return { seen, vendor }
}

/**
 * A node with these providers and so many messages accepted at once, of so many tenants; by default all, or none where
 * so many arrive in each second. `told`: of each step.
 */
const start = Effect.fnUntraced(function*(
  vendors: ReadonlyArray<Vendor>,
  { arriving = 0, atOnce = arriving === 0 ? messages : 0, channels = ["email"], tenants = 1, told = () => undefined }: {
    readonly arriving?: number
    readonly atOnce?: number
    readonly channels?: ReadonlyArray<string>
    readonly tenants?: number
    readonly told?: (step: Step) => undefined
  } = {}
) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors, cut: told })
  let accepted = 0
  const accept = Effect.flatMap(Clock.currentTimeMillis, (enqueuedAt) => {
    const n = accepted++
    const email = `${n}@x.test`
    return node.accept(
      Fixture.message(place, {
        id: idOf(n),
        enqueuedAt,
        recipientKey: `${place.scope}:email:${email}`,
        recipient: { email },
        instructions: { content: { title: "Hi", body: "Hello" }, routing: { method: "single", channels } },
        tenantId: `${n % tenants}`
      })
    )
  })
  yield* Effect.replicateEffect(accept, atOnce)
  /** Lets a second pass in small steps, for each of which all that can be done is done. */
  return Effect.gen(function*() {
    yield* Effect.replicateEffect(accept, arriving)
    for (let time = 0; time < 1_000; time += 50) {
      yield* TestClock.adjust(50)
      yield* cluster.settle
    }
  })
})

describe("A provider that takes so many messages a second", () => {
  for (const [named, retryAfter] of [["names no wait", undefined], ["names a second", 1_000]] as const) {
    it.effect(
      `is given nearly as many, and refuses hardly any but those under way at its first refusal, where it ${named}`,
      () =>
        Effect.gen(function*() {
          const { seen, vendor } = limited({ retryAfter })
          const second = yield* start([vendor])
          const least = messages / eachSecond
          let seconds = 0
          for (; seconds < 5 * least && seen.taken < messages; seconds++) yield* second
          assert.strictEqual(seen.taken, messages)
          assert.isBelow(seconds, 1.5 * least)
          assert.isAtMost(seen.refused, 2 * many + 0.05 * messages)
        }).pipe(Effect.scoped, Effect.provide(memory.shared)),
      60_000
    )
  }

  it.effect("while it is crowded, the next provider of the channel takes what would wait for it", () =>
    Effect.gen(function*() {
      const { seen, vendor } = limited()
      const other = unlimited("email")
      const second = yield* start([vendor, other.vendor])
      let seconds = 0
      for (; seconds < messages / eachSecond && seen.taken + other.seen.taken < messages; seconds++) yield* second
      assert.strictEqual(seen.taken + other.seen.taken, messages)
      assert.isBelow(seconds, 0.5 * messages / eachSecond)
      assert.isAtLeast(seen.taken, 2 * eachSecond)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("and takes as much of it as comes, though all of the first one's connections have somebody who waits", () =>
    Effect.gen(function*() {
      const { seen, vendor } = limited({ allowed: 25, connections: 8 })
      const other = unlimited("email")
      const second = yield* start([vendor, other.vendor], { arriving: 50 })
      yield* Effect.repeat(second, { times: 29 })
      assert.isAtLeast(seen.taken + other.seen.taken, 30 * 50 - 25 * 2)
      assert.isAtLeast(seen.taken, 15 * 25)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("while messages wait for it, the older ones go first, those that it has refused too", () =>
    Effect.gen(function*() {
      const { seen, vendor } = limited()
      const older = messages / 2
      const second = yield* start([vendor], { atOnce: older, arriving: eachSecond })
      for (let seconds = 0; seconds < 100 && seen.order.length < messages; seconds++) yield* second
      assert.isAbove(seen.refused, 0.2 * older)
      const first = seen.order.slice(0, 1.2 * older)
      assert.isAtLeast(first.filter((n) => n < older).length, 0.95 * older)
      assert.includeMembers(seen.order, Array.range(0, older - 1))
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("two that are crowded share the messages, and what neither has a place for comes back", () =>
    Effect.gen(function*() {
      const [one, other] = [limited(), limited({ key: "post" })]
      let held = 0
      let begun: number | undefined
      const dueAt = new Map<string, number>()
      const told = (step: Step) => {
        const { at, message } = step
        begun ??= at
        held = Math.max(held, at - (dueAt.get(message.id) ?? begun))
        dueAt.set(message.id, Math.max(at, step.dueAt ?? 0))
        return undefined
      }
      const second = yield* start([one.vendor, other.vendor], { tenants: 5, told })
      let seconds = 0
      for (; seconds < messages / eachSecond && one.seen.taken + other.seen.taken < messages; seconds++) yield* second
      assert.strictEqual(one.seen.taken + other.seen.taken, messages)
      assert.isBelow(seconds, 0.8 * messages / eachSecond)
      // Who had its turn at one is called there, though the other would take it back by then.
      assert.isAtLeast(other.seen.taken, 0.4 * messages)
      // 10 s for a connection and 10 s at the gate. Nobody goes from one to the other and back: that holds up others.
      assert.isAtMost(held, 20_500)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("while it is crowded, its messages do not go out over another channel, which may cost more", () =>
    Effect.gen(function*() {
      const { seen, vendor } = limited()
      const other = unlimited("sms")
      const second = yield* start([vendor, other.vendor], { channels: ["email", "sms"] })
      yield* Effect.repeat(second, { times: 20 })
      assert.isAbove(seen.taken, 10 * eachSecond)
      assert.strictEqual(other.seen.taken, 0)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
