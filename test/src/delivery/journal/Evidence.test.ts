import { Scope } from "#schemas/Scope.ts"
import { type Call, type Stored, weigh } from "#src/delivery/journal/Evidence.ts"
import type { Observed } from "#src/delivery/Journal.ts"
import { id } from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

const now = 10_000

const call = (number: number, state: Call["state"], more: Partial<Call> = {}): Call => ({
  number,
  channel: "email",
  provider: "one",
  state,
  kind: null,
  startedAt: 1_000 * number,
  endedAt: state === "intent" ? null : 1_000 * number + 500,
  reference: null,
  ...more
})

const stored = (calls: ReadonlyArray<Call>, more: Partial<Stored> = {}): Stored => ({
  status: "SENT",
  calls,
  repeated: false,
  dueAt: undefined,
  ...more
})

const types = {
  Deliver: "DELIVERED",
  Open: "OPENED",
  Click: "CLICKED",
  Bounce: "UNDELIVERABLE",
  Cancel: "CANCELED"
} as const

const observed = (event: keyof typeof types, named?: Observed["call"], error?: string): Observed => ({
  scope: Scope.make(1),
  id,
  event,
  history: { type: types[event], ts: 5_000, ...(error === undefined ? {} : { error }) },
  call: named
})

const one = { providers: ["one"] }

describe("Evidence: what an event says of the calls of its message", () => {
  it("an open or a click that names no call proves the last mail without an outcome, else the last of the others", () => {
    const text = call(1, "unknown", { channel: "sms", provider: "text" })
    const mails = [call(2, "unknown"), call(3, "unknown")]
    for (const event of ["Open", "Click"] as const) {
      assert.strictEqual(weigh(stored([...mails, text]), observed(event), now).proof?.number, 3)
      assert.strictEqual(weigh(stored([text]), observed(event), now).proof?.number, 1)
      const later = { ...text, number: 9 }
      assert.strictEqual(weigh(stored([call(2, "unknown"), later]), observed(event), now).proof?.number, 2)
      const taken = [...mails, call(4, "accepted")]
      assert.isUndefined(weigh(stored(taken), observed(event), now).proof, "what was taken is what was read")
    }
  })

  it("an open or a click in the inbox says nothing of a mail that may not have gone out (P4)", () => {
    const item = call(2, "accepted", { channel: "inbox", provider: "inbox" })
    for (const event of ["Open", "Click"] as const) {
      const asked = observed(event)
      const inside = { ...asked, history: { ...asked.history, channel: "inbox", provider: "inbox" } }
      const { history, proof } = weigh(stored([call(1, "unknown"), item]), inside, now)
      assert.isUndefined(proof)
      assert.deepStrictEqual([history?.channel, history?.provider, history?.attempt], ["inbox", "inbox", 2])
      const alone = weigh(stored([call(1, "unknown")]), inside, now)
      assert.deepStrictEqual([alone.proof, alone.history?.channel], [undefined, "inbox"])
    }
  })

  it("an open or a click that names no call is told of the last mail that was taken, or of what else was", () => {
    const text = call(2, "accepted", { channel: "sms", provider: "text" })
    const mails = [call(1, "accepted"), text, call(3, "unknown")]
    for (const event of ["Open", "Click"] as const) {
      const line = weigh(stored(mails), observed(event), now).history
      assert.deepStrictEqual([line?.channel, line?.provider, line?.attempt], ["email", "one", 1])
      assert.strictEqual(weigh(stored([text]), observed(event), now).history?.provider, "text")
      assert.isUndefined(weigh(stored([call(1, "rejected")]), observed(event), now).history?.provider)
    }
  })

  it("a reference is of the provider's own call first, and of its last that was taken if it names none", () => {
    const calls = [
      call(1, "accepted", { provider: "two", reference: "r" }),
      call(2, "accepted", { reference: "r" }),
      call(3, "accepted", { reference: "s" })
    ]
    const named = weigh(stored(calls), observed("Deliver", { ...one, reference: "r" }), now)
    assert.deepInclude(named.history, { attempt: 2, channel: "email", provider: "one", ts: 5_000 })
    assert.strictEqual(weigh(stored(calls), observed("Deliver", one), now).history?.attempt, 3)
  })

  it("no receipt is of a time before its call, also of one that has no end yet", () => {
    const late = call(7, "intent")
    assert.strictEqual(weigh(stored([late]), observed("Deliver", one), now).history?.ts, 7_000)
  })

  it("a bounce leaves the message to what was taken another way: another provider or another channel", () => {
    for (const other of [{ provider: "two" }, { channel: "sms" }]) {
      const calls = [call(1, "accepted"), call(2, "accepted", other)]
      const verdict = weigh(stored(calls), observed("Bounce", { ...one, number: 1 }, "gone"), now)
      assert.isFalse(verdict.observation.applied)
      assert.deepInclude(verdict.proof, { number: 1, kind: "RecipientRejected", error: "gone" })
      assert.isUndefined(verdict.sentAt, "when it was sent is known")
    }
    const again = [call(1, "accepted"), call(2, "accepted")]
    assert.isTrue(weigh(stored(again), observed("Bounce", { ...one, number: 1 }), now).observation.applied)
  })

  it("a bounce ends the message if all else that was taken has bounced before", () => {
    const before = call(1, "accepted", { provider: "two", kind: "RecipientRejected" })
    const verdict = weigh(stored([before, call(2, "accepted")]), observed("Bounce", { ...one, number: 2 }), now)
    assert.deepInclude(verdict.observation, { applied: true, after: "UNDELIVERABLE" })
  })

  it("a bounce is no news of a call that was refused or has bounced, and a delivery none of one that was taken", () => {
    const bounced = call(1, "accepted", { kind: "RecipientRejected" })
    const refused = call(1, "rejected", { kind: "Unavailable" })
    for (const known of [bounced, refused, call(1, "rejected")]) {
      assert.isUndefined(weigh(stored([known]), observed("Bounce", { ...one, number: 1 }), now).proof)
    }
    assert.isUndefined(weigh(stored([call(1, "accepted")]), observed("Deliver", one), now).proof)
  })

  it("a proof keeps the reference that its call has, and the words of a delivery are no error", () => {
    const known = call(1, "unknown", { reference: "own" })
    const { proof } = weigh(stored([known]), observed("Deliver", { ...one, number: 1, reference: "r" }, "slow"), now)
    assert.deepStrictEqual(proof, { number: 1, kind: null, reference: "own", endedAt: 1_500, error: null })
  })

  it("what is proved wakes its message: at once if it waits, a moment later if it is in hand, not for its owner's own call", () => {
    const dueAt = (state: Call["state"], due: number, event: "Bounce" | "Deliver" = "Deliver") =>
      weigh(stored([call(1, state)], { status: "ROUTED", dueAt: due }), observed(event, one), now).dueAt
    assert.strictEqual(dueAt("unknown", now + 60_000), now)
    assert.strictEqual(dueAt("unknown", now), now + 1)
    assert.strictEqual(dueAt("unknown", 0), now)
    assert.isUndefined(dueAt("intent", 0))
    assert.strictEqual(dueAt("intent", 0, "Bounce"), now)
    assert.strictEqual(dueAt("intent", now + 60_000), now)
  })

  it("P4: whoever read the message learns that something was heard of it, however many events come in a few ms, of nodes whose clocks differ a little", () => {
    const calls = [call(1, "unknown"), call(2, "unknown")]
    const after = (dueAt: number | undefined, at: number) =>
      weigh(stored(calls, { status: "ROUTED", dueAt }), observed("Deliver", one), at).dueAt
    const times = [-2, -1, 0, 1, 2].map((ms) => now + ms)
    for (const first of times) {
      for (const second of times) {
        for (const third of times) {
          const seen = [first, second, third].reduce<ReadonlyArray<number | undefined>>(
            (before, at) => [...before, after(before.at(-1), at)],
            [now]
          )
          assert.notInclude(seen.slice(1), now, `${first} ${second} ${third}`)
        }
      }
    }
  })

  it("a receipt of a provider that was never given the message changes nothing and leaves nothing", () => {
    for (const event of ["Deliver", "Open", "Click", "Bounce"] as const) {
      for (const calls of [[], [call(1, "accepted", { provider: "two" })]]) {
        const canceled = stored(calls, { status: "CANCELED" })
        for (const before of [canceled, stored(calls), stored(calls, { status: "DELAYED", dueAt: now + 60_000 })]) {
          const verdict = weigh(before, observed(event, { ...one, number: 7, reference: "r" }), now)
          assert.deepInclude(verdict.observation, { applied: false, after: before.status })
          const { observation: _, ...rest } = verdict
          assert.isTrue(Object.values(rest).every((value) => value === undefined || value === false), event)
        }
      }
      assert.isDefined(weigh(stored([call(1, "intent")]), observed(event, one), now).history, "its intent is there")
      assert.isDefined(weigh(stored([call(1, "rejected")]), observed(event, one), now).history, "it was given it")
    }
  })

  it("an event that was stored before changes nothing and leaves nothing", () => {
    const verdict = weigh(stored([call(1, "unknown")], { repeated: true }), observed("Deliver", one), now)
    assert.deepStrictEqual(verdict, {
      observation: { before: "SENT", after: "SENT", applied: false, inFlight: false, repeated: true, provider: "one" },
      history: undefined,
      proof: undefined,
      sentAt: undefined,
      dueAt: undefined,
      isReadElsewhere: false
    })
  })

  it("who opens or clicks it elsewhere has read what is in the inbox; who is not there, or has not looked, has not", () => {
    const item = call(1, "accepted", { channel: "inbox", provider: "inbox" })
    const mail = call(2, "accepted")
    const isRead = (calls: ReadonlyArray<Call>, event: keyof typeof types, named?: Observed["call"]) =>
      weigh(stored(calls), observed(event, named), now).isReadElsewhere
    for (const event of ["Open", "Click"] as const) {
      assert.isTrue(isRead([item, mail], event))
      assert.isFalse(isRead([item, mail], event, { providers: ["inbox"] }))
      assert.isFalse(isRead([item], event), "it was opened there")
      assert.isFalse(isRead([mail], event))
      assert.isFalse(isRead([{ ...item, state: "rejected" }, mail], event))
    }
    for (const event of ["Deliver", "Bounce", "Cancel"] as const) assert.isFalse(isRead([item, mail], event, one))
  })
})
