import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { Journal, type Observed } from "#src/delivery/Journal.ts"
import * as Receipts from "#src/reports/Receipts.ts"
import { References } from "#src/reports/References.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

const at = 1_800_000_000_000
const message = MessageId.make(`1-${Math.floor(at / 1_000).toString(16)}-${"0".repeat(24)}`)
const events = ["Deliver", "Open", "Click", "Bounce"] as const

/**
 * The events of one batch, in the order in which the journal hears of them. What a reference means is known to the store after so many looks, if at
 * all.
 */
const heard = Effect.fnUntraced(function*(receipts: ReadonlyArray<Receipts.Receipt>, unknown = 0) {
  const seen: Array<Observed> = []
  const journal = Layer.mock(Journal, {
    observeAll: (events) =>
      Effect.sync(() => {
        seen.push(...events)
        return []
      })
  })
  let looks = 0
  const references = Layer.mock(References, {
    find: (_, __, wanted) =>
      Effect.sync(() => new Map(looks++ < unknown ? [] : wanted.map((reference) => [reference, message])))
  })
  yield* TestClock.setTime(at + 60_000)
  const applying = yield* Receipts.Receipts.use((_) => _.apply(Scope.make(1), ["mail"], receipts)).pipe(
    Effect.provide(Layer.fresh(Receipts.layer).pipe(Layer.provide([journal, references]))),
    Effect.forkChild({ startImmediately: true })
  )
  yield* TestClock.adjust("3 seconds")
  yield* applying.pollUnsafe() ?? Effect.die("whoever calls back is answered within three seconds")
  return seen
})

const receipt = (id: string, event: Receipts.ReceiptEvent, seconds: number): Receipts.Receipt => ({
  id,
  event,
  messageId: message,
  attempt: undefined,
  reference: undefined,
  at: at + seconds * 1_000,
  detail: undefined
})

const Some = Schema.Array(Schema.Struct({
  id: Schema.Literals(["a", "b", "c", "d", "e", "f"]),
  event: Schema.Literals(events),
  seconds: Schema.Literals([1, 2])
})).check(Schema.isMaxLength(6))

describe("The receipts of one callback", () => {
  it.effect.prop(
    "are heard in the order of what they tell, however they are written",
    { some: Some },
    ({ some }) =>
      Effect.gen(function*() {
        const receipts = some.map(({ event, id, seconds }) => receipt(id, event, seconds))
        const order = (
          { event, eventId = "", history: { ts } }: Observed
        ) => [ts, events.findIndex((one) => one === event), eventId]
        const seen = (yield* heard(receipts)).map(order)
        assert.deepStrictEqual((yield* heard(receipts.toReversed())).map(order), seen)
        for (const [n, [ts, rank = "", id = ""]] of seen.entries()) {
          const [before, rankBefore = "", idBefore = ""] = seen[n - 1] ?? []
          if (before === undefined || ts === undefined) continue
          assert.isTrue(
            before < ts || (before === ts && (rankBefore < rank || (rankBefore === rank && idBefore <= id)))
          )
        }
      })
  )

  it.effect("end a message for the reason for which an address that is suppressed here would have ended it", () =>
    Effect.gen(function*() {
      const bounce = receipt("a", "Bounce", 1)
      for (const [isUnwanted, reason] of [[false, "BOUNCED"], [true, "UNSUBSCRIBED"]] as const) {
        const [seen] = yield* heard([{ ...bounce, isUnwanted }])
        assert.deepStrictEqual([seen?.reason, seen?.history.reason], [reason, reason])
      }
    }))

  it.effect("wait a moment for a message that they name by its provider's reference, whose call may not be stored yet, and hold up no others", () =>
    Effect.gen(function*() {
      const late = { ...receipt("a", "Deliver", 1), messageId: undefined, reference: "r" }
      const own = receipt("b", "Open", 2)
      for (const [unknown, expected] of [[0, "a b"], [1, "b a"], [2, "b a"], [3, "b"]] as const) {
        const seen = yield* heard([own, late], unknown)
        assert.strictEqual(seen.map(({ eventId }) => eventId).join(" "), expected, `found after ${unknown} looks`)
      }
      assert.deepStrictEqual(yield* heard([{ ...late, reference: undefined }]), [])
    }))

  it.effect("P9: hold no addresses, and of the provider's words the first that fit", () =>
    Effect.gen(function*() {
      const detail = `550 <ada@example.com> +4930901820 ${"x ".repeat(400)}`
      const [bounce] = yield* heard([{ ...receipt("a", "Bounce", 1), detail }])
      assert.deepInclude(bounce, { reason: "BOUNCED", event: "Bounce" })
      assert.strictEqual(bounce?.history.reason, "BOUNCED")
      assert.match(bounce?.history.error ?? "", /^550 <\(address\)> \(number\) x x/)
      assert.isAtMost(bounce?.history.error?.length ?? 0, 200)
      const [opened, named] = yield* heard([receipt("a", "Open", 1), { ...receipt("b", "Click", 1), reference: "r" }])
      assert.isUndefined(opened?.reason)
      assert.deepStrictEqual(opened?.history, { type: "OPENED", ts: at + 1_000 })
      assert.deepStrictEqual(named?.history, { type: "CLICKED", ts: at + 1_000, reference: "r" })
    }))
})
