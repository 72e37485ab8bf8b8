import * as LegacyPreferencesMemory from "#layers/memory/LegacyPreferences.ts"
import type { PreferenceStatus } from "#schemas/Preferences.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { Journal, type NewMessage } from "#src/delivery/Journal.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"

const content = { title: "Hello", body: "World" }
const nowhere: Instructions = { routing: { method: "single", channels: [{ channel: "email", if: "false" }] } }

/** The record and the timeline of Ada's message after its first step; `status`: what she says of its topic. */
const told = Effect.fnUntraced(function*(
  more: Instructions,
  { isReachable = true, status, stores = () => memory.node, tenantId }: {
    readonly isReachable?: boolean
    readonly status?: PreferenceStatus
    readonly stores?: (message: NewMessage) => typeof memory.node
    readonly tenantId?: string
  } = {}
) {
  const place = yield* EngineNode.place
  const preferences = { subscription_topic_id: "orders" }
  const recipient = { user_id: Fixture.user, ...(tenantId === undefined ? {} : { tenant_id: tenantId }) }
  const message = Fixture.message(place, { recipient, instructions: { content, preferences, ...more } })
  if (status !== undefined) {
    const said = { notifications: { orders: { status } } }
    yield* LegacyPreferences.use((legacy) => legacy.replace(place.scope, Fixture.user, said))
  }
  const cluster = yield* EngineNode.make(stores(message))
  const vendors = [{ ...Fake.nothing("mail", "email"), reaches: () => isReachable }]
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors })
  yield* node.accept(message)
  yield* cluster.settle
  const log = yield* MessageLog
  const record = yield* log.get(place.scope, message.id)
  const history = yield* log.history(place.scope, message.id)
  const last = history.at(-1)
  return {
    record: [record.status, record.reason, record.error],
    last: [last?.type, last?.reason, last?.error],
    lines: history.map(({ type }) => type),
    unknown: history.flatMap(({ type, unknown }) => unknown === undefined ? [] : [[type, unknown]]),
    outcomes: history.flatMap(({ decision }) => decision?.outcome ?? [])
  }
}, (effect) =>
  effect.pipe(
    Effect.scoped,
    Effect.provide(LegacyPreferencesMemory.layer.pipe(Layer.provideMerge(memory.shared)))
  ))

/** The caller cancels the message while its profile is read. */
const cancelling = ({ id, scope }: NewMessage) =>
  Layer.effect(
    Profiles,
    Effect.gen(function*() {
      const journal = yield* Journal
      const profiles = yield* Profiles
      const cancel = Effect.flatMap(
        Clock.currentTimeMillis,
        (ts) => journal.observe({ scope, id, event: "Cancel", history: { type: "CANCELED", ts } })
      )
      return { ...profiles, person: (...args) => Effect.andThen(Effect.orDie(cancel), profiles.person(...args)) }
    })
  ).pipe(Layer.provideMerge(memory.node))

describe("A message that ends before any call", () => {
  it.effect("says why, alike in its record and at the end of its timeline", () =>
    Effect.gen(function*() {
      const ends = [
        [yield* told({}, { isReachable: false }), "UNROUTABLE", "NO_CHANNELS"],
        [yield* told(nowhere), "FILTERED", "FILTERED"],
        [yield* told({}, { status: "OPTED_OUT" }), "UNDELIVERABLE", "UNSUBSCRIBED"]
      ] as const
      for (const [{ last, record }, status, reason] of ends) {
        assert.deepStrictEqual(record.slice(0, 2), [status, reason])
        assert.deepStrictEqual(last, record)
      }
    }))

  it.effect("stays cancelled, and nothing is told of it after that", () =>
    Effect.gen(function*() {
      for (const more of [{}, nowhere, { delay: { until: "12:00-12:01" } }]) {
        const { lines, record } = yield* told(more, { stores: cancelling })
        assert.strictEqual(record[0], "CANCELED")
        assert.deepStrictEqual(lines, ["ENQUEUED", "CANCELED"])
      }
    }))
})

describe("A message in a tenant that does not exist, of a topic that does not", () => {
  it.effect("is sent as one without them, and its timeline says so, however it ends", () =>
    Effect.gen(function*() {
      const sent = yield* told({}, { tenantId: "none" })
      assert.strictEqual(sent.record[0], "SENT")
      assert.deepStrictEqual(sent.unknown, [["PROFILE_LOADED", { tenant: "none", topic: "orders" }]])
      const lost = yield* told({}, { tenantId: "none", isReachable: false })
      assert.deepStrictEqual(lost.unknown, [["UNROUTABLE", { tenant: "none", topic: "orders" }]])
      const outside = yield* told({})
      assert.deepStrictEqual([outside.lines, outside.unknown], [sent.lines, [["PROFILE_LOADED", { topic: "orders" }]]])
    }))
})

describe("What a recipient's preferences make of a message", () => {
  it.effect("is in its timeline, where they were asked: whether it is dropped, sent, or has no other way", () =>
    Effect.gen(function*() {
      const dropped = yield* told({}, { status: "OPTED_OUT" })
      assert.deepStrictEqual(dropped.lines, ["ENQUEUED", "PREFERENCES_RESOLVED", "UNDELIVERABLE"])
      assert.deepStrictEqual(dropped.outcomes, ["DROPPED"])
      const sent = yield* told({}, { status: "OPTED_IN" })
      assert.deepStrictEqual(sent.lines, [
        "ENQUEUED",
        "MAPPED",
        "PROFILE_LOADED",
        "PREFERENCES_RESOLVED",
        "ROUTED",
        "RENDERED",
        "DELIVERING",
        "SENT"
      ])
      const filtered = yield* told(nowhere, { status: "OPTED_IN" })
      assert.deepStrictEqual(filtered.lines, ["ENQUEUED", "PREFERENCES_RESOLVED", "FILTERED"])
      assert.deepStrictEqual([...sent.outcomes, ...filtered.outcomes], ["KEPT", "KEPT"])
      assert.notInclude((yield* told({})).lines, "PREFERENCES_RESOLVED")
    }))
})
