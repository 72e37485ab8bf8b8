import { type DeliveryError, RecipientRejected, Unavailable } from "#schemas/DeliveryError.ts"
import type { NewMessage } from "#src/delivery/Journal.ts"
import type { Acceptance } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { postgres } from "./EngineStores.ts"

/** What becomes of one message whose provider answers so, and how often it was called. */
const lived = (answer: Effect.Effect<Acceptance, DeliveryError>, more: Partial<NewMessage> = {}) =>
  Effect.gen(function*() {
    const place = yield* EngineNode.place
    const shards = [place.shard]
    const cluster = yield* EngineNode.make(postgres.node)
    let calls = 0
    const node = yield* cluster.start({
      shards,
      vendors: () => [{
        _tag: "Vendor",
        key: "vendor",
        channel: "email",
        reaches: () => true,
        send: () =>
          Effect.suspend(() => {
            calls++
            return answer
          })
      }]
    })
    yield* cluster.settle
    const message = Fixture.message(place, { recipient: { email: "a@example.com" }, ...more })
    yield* node.accept(message)
    for (let turns = 0; turns < 300; turns++) {
      yield* cluster.settle
      const { next, open } = yield* cluster.due(shards)
      if (open > 0) continue
      if (next === undefined) break
      yield* TestClock.setTime(next)
    }
    const { error, reason, status } = yield* Effect.flatMap(MessageLog, (log) => log.get(place.scope, message.id))
    return { calls, error, reason, status }
  }).pipe(Effect.scoped)

/** As `slice` and some vendors leave it: the first half of a character. */
const half = "\ud83d"

layer(postgres.shared, { timeout: 60_000 })("words that a database refuses: Postgres", (it) => {
  it.effect("P4: a refusal whose words end within a character is stored as the refusal it is", () =>
    Effect.gen(function*() {
      const { calls, ...end } = yield* lived(
        Effect.fail(new RecipientRejected({ detail: `${"x".repeat(1_999)}😀`, invalidates: false }))
      )
      assert.strictEqual(calls, 1)
      assert.deepInclude(end, { status: "UNDELIVERABLE", reason: "BOUNCED" })
    }))

  it.effect("P4: a message that was taken is not sent again because of its reference", () =>
    Effect.gen(function*() {
      // The second is longer than an index takes, and nothing makes it shorter.
      const long = Array.from({ length: 4_000 }, (_, n) => String.fromCodePoint(0x4e00 + n * 7_919 % 20_000)).join("")
      for (const reference of [`id-${half}`, long]) {
        const { calls, status } = yield* lived(Effect.succeed({ reference }))
        assert.deepStrictEqual({ calls, status }, { calls: 1, status: "SENT" })
      }
    }))

  it.effect("P4: an unavailable vendor whose words end within a character is tried again as the schedule says", () =>
    Effect.gen(function*() {
      const { calls, error, reason } = yield* lived(Effect.fail(new Unavailable({ detail: half })), {
        instructions: { content: { title: "t", body: "b" }, timeout: { message: 600_000 } }
      })
      assert.isAbove(calls, 5)
      assert.deepStrictEqual({ error, reason }, { error: "\ufffd", reason: "FAILED" })
    }))

  for (const text of ["\u0000", half]) {
    it.effect(`P6: what a caller wrote into a refusal is told (${JSON.stringify(text)})`, () =>
      Effect.gen(function*() {
        const { calls, error, status } = yield* lived(Effect.succeed({ reference: undefined }), {
          instructions: { content: { title: "t", body: "b" }, delay: { until: `never${text}` } }
        })
        assert.deepStrictEqual({ calls, status }, { calls: 0, status: "UNDELIVERABLE" })
        assert.match(error ?? "", /neither a date nor opening hours: never/)
      }))
  }
})
