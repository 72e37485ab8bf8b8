import type { Attempt } from "#schemas/Attempt.ts"
import type { Step } from "#src/delivery/Journal.ts"
import { details, providers } from "#src/reports/MessageDetails.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Updated from "#src/reports/webhooks/Updated.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** What may happen to a message: its owner's steps, and what comes through the second door. */
const Deed = Schema.Literals([
  "Call",
  "Taken",
  "Refused",
  "Delay",
  "Due",
  "Deliver",
  "Open",
  "Click",
  "Bounce",
  "Cancel"
])
type Deed = typeof Deed.Type

const lines = {
  Deliver: "DELIVERED",
  Open: "OPENED",
  Click: "CLICKED",
  Bounce: "UNDELIVERABLE",
  Cancel: "CANCELED"
} as const

const start = Effect.gen(function*() {
  const { epoch, journal, message, place } = yield* Fixture.owned
  const log = yield* MessageLog
  let calls = 0
  let at = place.at
  const call = (state: Attempt["state"], more: Partial<Attempt> = {}) =>
    Fixture.attempt(calls, state, {
      channel: calls % 2 === 0 ? "email" : "sms",
      startedAt: at,
      endedAt: state === "intent" ? null : at,
      ...more
    })
  const record = (more: Partial<Step>) => journal.record(Fixture.step(message, epoch, { at, ...more }))
  const step = (more: Partial<Step>) => Effect.asVoid(record(more))
  const happen = (deed: Deed): Effect.Effect<void, unknown> => {
    at += 10
    switch (deed) {
      case "Call": {
        const intent = { ...call("intent"), number: calls + 1 }
        const from = ["ENQUEUED", "ROUTED", "SENT"] as const
        return Effect.map(record({ lifecycle: ["Route"], from, attempt: intent, conditional: true }), ({ _tag }) => {
          if (_tag === "Written") calls++
        })
      }
      case "Taken":
        return calls === 0 ? Effect.void : step({ lifecycle: ["Send"], attempt: call("accepted") })
      case "Refused":
        return calls === 0
          ? Effect.void
          : step({ attempt: call("rejected", { kind: "Unavailable", error: "It is away" }), dueAt: at + 10_000 })
      case "Delay":
      case "Due":
        return step({ lifecycle: [deed], conditional: true })
      default: {
        // Nobody has a message of which no call was begun.
        if (calls === 0 && deed !== "Cancel") return Effect.void
        const history = { type: lines[deed], ts: at, channel: "email", provider: "null" }
        return Effect.asVoid(journal.observe({ scope: place.scope, id: message.id, event: deed, history }))
      }
    }
  }
  const snapshot = Effect.flatMap(
    log.snapshots(place.scope, [message.id]),
    ({ snapshots: [found] }) => found === undefined ? Effect.die("the message is gone") : Effect.succeed(found)
  )
  const told = Effect.fnUntraced(function*(update: Parameters<typeof Updated.data>[1]) {
    const found = yield* snapshot
    const timeline = Updated.needsTimeline(found, update) ? yield* log.history(place.scope, message.id) : []
    return JSON.stringify(Updated.data(found, update, timeline))
  })
  return { happen, history: log.history(place.scope, message.id), now: () => at, snapshot, told }
})

/** Lets these happen, and compares what is told of each status, when it comes and in the end. */
const check = Effect.fnUntraced(function*(deeds: ReadonlyArray<Deed>) {
  const { happen, history, now, snapshot, told } = yield* start
  const said: Array<readonly [Parameters<typeof Updated.data>[1], string]> = []
  let { record: { status } } = yield* snapshot
  for (const deed of deeds) {
    yield* happen(deed)
    const { attempts, record } = yield* snapshot
    if (record.status === status) continue
    status = record.status
    const shown = {
      ...details(record),
      providers: providers(record, attempts, yield* history),
      recipientId: record.recipient,
      // A change of the status is never a wait for another try.
      willRetry: false
    }
    const update = { status, storedAt: now() }
    const text = yield* told(update)
    assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(shown)))
    said.push([update, text])
  }
  for (const [update, text] of said) assert.strictEqual(yield* told(update), text)
})

layer(Stores.layer)("Updated", (it) => {
  it.effect.prop(
    "what is told of a status is what GET /messages/:id shows as soon as a message has it, however late it is told",
    { deeds: Schema.Array(Deed).check(Schema.isMaxLength(12)) },
    ({ deeds }) => check(deeds)
  )

  it.effect("what one of two channels tells later is no part of what was told of the other", () =>
    check(["Call", "Call", "Taken", "Open", "Deliver"]))
})
