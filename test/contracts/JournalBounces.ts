import type { Journal } from "#src/delivery/Journal.ts"
import type { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { call, start } from "#test/contracts/JournalEvidence.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"

/** What a bounce ends, and what it does not (P6). */
export const bounces = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  for (const goesOn of [0, 9_000] as const) {
    it.effect(`P6: a bounce of what was sent does not end a message that goes another way in ${goesOn} ms`, () =>
      Effect.gen(function*() {
        const { attempts, observe, record } = yield* start([Fixture.attempt(1, "accepted")], goesOn)
        assert.deepInclude(yield* observe("Bounce", 50, { call: call(), reason: "BOUNCED" }), {
          after: "SENT",
          applied: false
        })
        assert.deepInclude(yield* record, { status: "SENT", reason: undefined })
        assert.deepInclude((yield* attempts)[0], { state: "accepted", kind: "RecipientRejected" })
      }))
  }

  it.effect("P6: a bounce of a call without outcome, or of a refused one, does not end a message that is to be tried again", () =>
    Effect.gen(function*() {
      for (const attempt of [Fixture.attempt(1, "unknown"), Fixture.attempt(1, "rejected", { kind: "Unavailable" })]) {
        const { history, observe, record } = yield* start([attempt])
        assert.deepInclude(yield* observe("Bounce", 50, { call: call({ number: 1 }), reason: "BOUNCED" }), {
          after: "ROUTED",
          applied: false
        })
        assert.deepInclude(yield* record, { status: "ROUTED", reason: undefined })
        assert.deepInclude((yield* history).at(-1), { type: "UNDELIVERABLE", attempt: 1 })
      }
    }))

  it.effect("P6: a bounce while its call is in flight is its owner's to weigh: the message stays open, whatever the call comes to", () =>
    Effect.gen(function*() {
      for (const state of ["accepted", "unknown"] as const) {
        const { attempts, due, epoch, journal, message, observe, place, record } = yield* start([
          Fixture.attempt(1, "intent")
        ])
        assert.deepInclude(yield* observe("Bounce", 50, { call: call(), reason: "BOUNCED", error: "no such user" }), {
          after: "ROUTED",
          applied: false
        })
        const [stirred] = yield* due
        assert.isAbove(stirred?.dueAt ?? 0, 0)
        const settled = yield* journal.record(Fixture.step(message, epoch, {
          at: place.at + 60,
          attempt: Fixture.attempt(1, state),
          lifecycle: state === "accepted" ? ["Send"] : [],
          dueAt: state === "accepted" ? null : place.at + 9_000
        }))
        const status = state === "accepted" ? "SENT" as const : "ROUTED" as const
        assert.deepInclude(settled, { _tag: "Written", status, stirred: stirred?.dueAt })
        assert.deepStrictEqual((yield* due).map(({ dueAt }) => dueAt), [stirred?.dueAt])
        assert.deepInclude((yield* attempts)[0], { state: "accepted", kind: "RecipientRejected" })
        assert.strictEqual((yield* record).status, status)
        // Who has seen it closes it.
        yield* journal.record(Fixture.step({ ...message, ...stirred }, epoch, { at: place.at + 70, dueAt: null }))
        assert.deepStrictEqual(yield* due, [])
      }
    }))

  it.effect("P6: a bounce, and the proof of a call without outcome, bring the next step of a waiting message forward", () =>
    Effect.gen(function*() {
      for (const event of ["Bounce", "Deliver"] as const) {
        for (const state of ["accepted", "unknown"] as const) {
          const { due, observe, place } = yield* start([Fixture.attempt(1, state)], 9_000)
          yield* observe(event, 50, { call: call() })
          const [row] = yield* due
          const isNews = event === "Bounce" || state === "unknown"
          assert.strictEqual((row?.dueAt ?? Infinity) < place.at + 9_000, isNews)
        }
      }
    }))

  it.effect("P6: of a message that was set aside in the middle of a call, the bounce of what had been sent is the end", () =>
    Effect.gen(function*() {
      const { epoch, journal, message, observe, place, record } = yield* start([
        Fixture.attempt(1, "accepted", { channel: "email", provider: "mail" }),
        Fixture.attempt(2, "intent", { channel: "sms", provider: "text" })
      ])
      yield* journal.record(Fixture.step(message, epoch, { at: place.at + 40, dueAt: null }))
      yield* observe("Bounce", 50, { call: { providers: ["mail"] }, reason: "BOUNCED" })
      assert.deepInclude(yield* record, { status: "UNDELIVERABLE", reason: "BOUNCED" })
    }))

  it.effect("P6: a bounce of a provider that made no call of the message does not end it", () =>
    Effect.gen(function*() {
      const { attempts, observe, record } = yield* start([Fixture.attempt(1, "accepted")])
      const bounce = { call: call({ providers: ["another"], number: 7, reference: "r-7" }), reason: "BOUNCED" as const }
      assert.deepInclude(yield* observe("Bounce", 50, bounce), { after: "SENT", applied: false })
      assert.strictEqual((yield* record).status, "SENT")
      assert.deepInclude((yield* attempts)[0], { kind: null })
    }))

  it.effect("P6: a bounce of a call ends its message also where its provider has been called otherwise since", () =>
    Effect.gen(function*() {
      const { attempts, observe, record } = yield* start([Fixture.attempt(1, "accepted", { reference: "r-1" })])
      const bounce = { call: call({ providers: ["alias-of-today"], reference: "r-1" }), reason: "BOUNCED" as const }
      assert.deepInclude(yield* observe("Bounce", 50, bounce), { after: "UNDELIVERABLE", applied: true })
      assert.strictEqual((yield* record).reason, "BOUNCED")
      assert.deepInclude((yield* attempts)[0], { kind: "RecipientRejected" })
    }))

  it.effect("P6: of a message sent two ways, one bounce is not the end, the other is", () =>
    Effect.gen(function*() {
      const { observe, record } = yield* start([
        Fixture.attempt(1, "accepted", { channel: "email", provider: "mail" }),
        Fixture.attempt(2, "accepted", { channel: "sms", provider: "text" })
      ])
      const bounce = (provider: string, after: number) =>
        observe("Bounce", after, { call: { providers: [provider] }, reason: "BOUNCED" })
      assert.deepInclude(yield* bounce("mail", 50), { after: "SENT", applied: false })
      assert.deepInclude(yield* bounce("mail", 55), { after: "SENT", applied: false })
      assert.deepInclude(yield* bounce("text", 60), { after: "UNDELIVERABLE", applied: true })
      assert.strictEqual((yield* record).reason, "BOUNCED")
    }))
}
