import * as LegacyPreferencesMemory from "#layers/memory/LegacyPreferences.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { PreferenceEntry } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** A receipt for the mail of this message. */
const told = (
  message: { readonly scope: Scope; readonly id: MessageId },
  event: "Bounce" | "Deliver" | "Open",
  history: HistoryEvent
) =>
  Journal.use((journal) => journal.observe({ ...message, event, history, call: { providers: ["mail"] } })).pipe(
    Effect.provide(memory.node.pipe(Layer.provide(Handover.layer)))
  )

/** What becomes of a mailed message that nobody can be reached with any more when its text's turn has come. */
const run = Effect.fnUntraced(function*(event: "Bounce" | "Deliver") {
  const place = yield* EngineNode.place
  const { at, scope } = place
  const cluster = yield* EngineNode.make(memory.node)
  let isReachable = true
  const reaches = () => isReachable
  const mail = yield* Fake.make({ key: "mail", channel: "email", reaches })
  const text = yield* Fake.make({ key: "text", channel: "sms", reaches })
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [mail.vendor, text.vendor] })
  const id = Fixture.id(at)
  const instructions = {
    content: { title: "t", body: "b" },
    routing: { method: "single" as const, channels: ["email", "sms"] },
    timeout: { criteria: "viewed" as const, escalation: 60_000 }
  }
  yield* node.accept(Fixture.message(place, { id, requestId: id, recipient: { email: "a@example.com" }, instructions }))
  yield* cluster.settle
  isReachable = false
  const log = yield* MessageLog
  yield* told({ scope, id }, event, { type: event === "Bounce" ? "UNDELIVERABLE" : "DELIVERED", ts: at + 1_000 })
  yield* TestClock.setTime(at + 120_000)
  yield* cluster.settle
  const { reason, status, willRetry } = yield* log.get(scope, id)
  return { reason, status, willRetry, last: (yield* log.history(scope, id)).at(-1)?.type }
}, Effect.scoped)

/**
 * The lines of a mail whose recipient, before its text's turn comes, wants no more of it or no texts; `isRead`: the mail
 * has been opened by then; `isTextable`: texts can still reach them.
 */
const optOut = Effect.fnUntraced(function*(
  entry: PreferenceEntry | undefined,
  { isRead = false, isTextable = true }: { readonly isRead?: boolean; readonly isTextable?: boolean } = {}
) {
  const place = yield* EngineNode.place
  const { at, scope } = place
  const cluster = yield* EngineNode.make(memory.node)
  let reaches = true
  const mail = yield* Fake.make({ key: "mail", channel: "email" })
  const text = yield* Fake.make({ key: "text", channel: "sms", reaches: () => reaches })
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [mail.vendor, text.vendor] })
  const id = Fixture.id(at)
  const instructions = {
    content: { title: "t", body: "b" },
    preferences: { subscription_topic_id: "orders" },
    routing: { method: "single" as const, channels: ["email", "sms"] },
    timeout: { criteria: "viewed" as const, escalation: 60_000 }
  }
  yield* node.accept(Fixture.message(place, { id, requestId: id, instructions }))
  yield* cluster.settle
  if (entry !== undefined) {
    yield* LegacyPreferences.use((legacy) => legacy.replace(scope, Fixture.user, { notifications: { orders: entry } }))
  }
  reaches = isTextable
  if (isRead) yield* told({ scope, id }, "Open", { type: "OPENED", ts: at + 1_000 })
  yield* TestClock.setTime(at + 120_000)
  yield* cluster.settle
  const history = yield* MessageLog.use((log) => log.history(scope, id))
  return history.slice(-2).map(({ channel, decision, type }) => [type, channel ?? decision?.outcome].join(" "))
}, Effect.scoped)

describe("A message that its recipient opts out of before its next channel's turn has come", () => {
  it.effect("goes no further, and its timeline says so", () =>
    Effect.gen(function*() {
      const told = (outcome: string) => ["SENT email", `PREFERENCES_RESOLVED ${outcome}`]
      assert.deepStrictEqual(yield* optOut({ status: "OPTED_OUT" }), told("DROPPED"))
      assert.deepStrictEqual(
        yield* optOut({ status: "OPTED_IN", channel_preferences: [{ channel: "email" }] }),
        told("KEPT")
      )
      assert.deepStrictEqual(yield* optOut(undefined), ["DELIVERING sms", "SENT sms"])
    }).pipe(Effect.provide(LegacyPreferencesMemory.layer.pipe(Layer.provideMerge(memory.shared)))))

  it.effect("hears nothing of it, if that is not why it goes no further", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* optOut({ status: "OPTED_IN" }, { isTextable: false }), [
        "DELIVERING email",
        "SENT email"
      ])
      assert.deepStrictEqual(yield* optOut({ status: "OPTED_OUT" }, { isRead: true }), ["SENT email", "OPENED email"])
    }).pipe(Effect.provide(LegacyPreferencesMemory.layer.pipe(Layer.provideMerge(memory.shared)))))
})

describe("A message of which no more may be tried when its next channel's turn has come", () => {
  it.effect("P6: is undeliverable if what was sent of it has bounced", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* run("Bounce"), {
        reason: "BOUNCED",
        status: "UNDELIVERABLE",
        willRetry: false,
        last: "UNDELIVERABLE"
      })
    }).pipe(Effect.provide(memory.shared)))

  it.effect("P6: is what its recipient made of it otherwise", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* run("Deliver"), {
        reason: undefined,
        status: "DELIVERED",
        willRetry: false,
        last: "UNDELIVERABLE"
      })
    }).pipe(Effect.provide(memory.shared)))
})
