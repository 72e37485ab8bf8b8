import type { Attempt } from "#schemas/Attempt.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Status } from "#schemas/Status.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import type { Plan } from "#src/delivery/attempts/Plan.ts"
import { failing } from "#src/delivery/attempts/Settlement.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import { type Receipt, type ReceiptEvent, Receipts } from "#src/reports/Receipts.ts"
import type { References } from "#src/reports/References.ts"
import * as Receiving from "#src/reports/Receipts.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as ReceiptCounts from "#test/contracts/ReceiptCounts.ts"
import { waiting } from "#test/support/Waiting.ts"
import { assert, layer, type Vitest } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

type Accepted = Effect.Success<ReturnType<typeof Fixture.accepted>>

const names = ["null"]

/** A message in a provider's hands; `settle` writes what its owner hears of the call. */
const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  const journal = yield* Journal
  const log = yield* MessageLog
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  const message = yield* Fixture.accepted(place)
  yield* TestClock.setTime(place.at + 60_000)
  yield* journal.record(
    Fixture.step(message, epoch, { lifecycle: ["Route"], conditional: true, attempt: Fixture.attempt(1, "intent") })
  )
  const settle = (attempt: Attempt) =>
    journal.record(
      Fixture.step(message, epoch, {
        at: place.at + 40,
        attempt,
        lifecycle: attempt.state === "accepted" ? ["Send"] : [],
        dueAt: attempt.state === "accepted" ? null : place.at + 90_000
      })
    )
  /** The owner's next look at what is still open: it ends what has bounced. */
  const look = Effect.gen(function*() {
    const now = place.at + 80_000
    const { rows } = yield* journal.due(Fixture.window({ ...place, at: now }, { limit: 1 }))
    for (const { attempts, dueAt, status } of rows) {
      if (!attempts.some(({ kind }) => kind === "RecipientRejected")) continue
      const lifecycle = failing({ message: { status }, routed: true, handedOver: false })
      const more = { at: now, lifecycle, dueAt: null }
      yield* journal.record(Fixture.step({ ...message, dueAt }, epoch, more))
    }
  })
  return {
    place,
    message,
    settle,
    look,
    receipts: yield* Receipts,
    attempts: log.attempts(place.scope, message.id),
    record: log.get(place.scope, message.id),
    history: Effect.map(log.history(place.scope, message.id), (events) => events.slice(1))
  }
})

const of = (message: Accepted, event: ReceiptEvent, more: Partial<Receipt> = {}): Receipt => ({
  id: `e-${event}`,
  event,
  messageId: message.id,
  attempt: 1,
  reference: "ref-1",
  at: message.enqueuedAt + { Deliver: 1_000, Open: 2_000, Click: 3_000, Bounce: 4_000 }[event],
  detail: undefined,
  ...more
})

const accepted = Fixture.attempt(1, "accepted", { reference: "ref-1" })
const unknown = Fixture.attempt(1, "unknown", { kind: "Unknown", error: "no answer" })

const plan: Plan = { _tag: "Candidate", channel: "email", provider: "null", timeout: undefined }
const situation = { deadline: Infinity, waits: [5_000, 10_000], unknownWait: 0, openUntil: () => undefined }

/** Where receipts of these kinds lead, in whatever order they come. */
const outcome = (events: ReadonlyArray<ReceiptEvent>, otherwise: Status): Status => {
  if (events.includes("Bounce")) return "UNDELIVERABLE"
  if (events.includes("Click")) return "CLICKED"
  if (events.includes("Open")) return "OPENED"
  return events.includes("Deliver") ? "DELIVERED" : otherwise
}

/** Each receipt by its event, or the owner's settle: the order is the order in which they reach the store. */
const Arrival = Schema.Literals(["Deliver", "Open", "Click", "settle"])
const Returned = Schema.Literals(["Deliver", "Bounce", "settle"])

const properties = (it: Vitest.MethodsNonLive<Journal | MessageLog | Receipts>) => {
  for (const [what, arrivals] of [["engagement", Arrival], ["a bounce", Returned]] as const) {
    it.effect.prop(
      `P6: ${what}: shuffled, repeated and early receipts lead to one and the same status, and no second call`,
      {
        order: Schema.Array(arrivals).check(Schema.isMaxLength(8)),
        batch: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
        answered: Schema.Boolean
      },
      ({ answered, batch, order }) =>
        Effect.gen(function*() {
          const { attempts, history, look, message, place, receipts, record, settle } = yield* start
          const grown = yield* ReceiptCounts.grown("null")
          const settled = order.includes("settle") ? order : [...order, "settle" as const]
          const came = settled.filter((arrival) => arrival !== "settle")
          const last = settled.lastIndexOf("settle")
          const send = (part: ReadonlyArray<ReceiptEvent>) =>
            Effect.forEach(
              part.flatMap((_, index) => index % batch === 0 ? [part.slice(index, index + batch)] : []),
              (events) => receipts.apply(place.scope, names, events.map((event) => of(message, event))),
              { discard: true }
            )
          yield* send(settled.slice(0, last).filter((arrival) => arrival !== "settle"))
          yield* settle(answered ? accepted : unknown)
          yield* send(settled.slice(last).filter((arrival) => arrival !== "settle"))
          yield* look

          assert.strictEqual((yield* record).status, outcome(came, answered ? "SENT" : "ROUTED"))
          const [attempt] = yield* attempts
          assert.strictEqual(attempt?.state, answered || came.length > 0 ? "accepted" : "unknown")
          const next = position(plan, yield* attempts, { ...situation, id: message.id, now: attempt?.startedAt ?? 0 })
          const proved = attempt?.kind === "RecipientRejected" ? "Failed" : "Succeeded"
          assert.strictEqual(next._tag, attempt?.state === "accepted" ? proved : "Next")
          const told = ["DELIVERED", "OPENED", "CLICKED", "UNDELIVERABLE"]
          const lines = (yield* history).filter(({ type }) => told.includes(type))
          assert.lengthOf(lines, new Set(came).size)
          assert.deepStrictEqual(yield* grown, ReceiptCounts.once(came))
        }),
      { arbitrary: { runs: 40 } }
    )
  }
}

/** A whole second, as many providers tell it, or nothing. */
const When = Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })))

const batches = (it: Vitest.MethodsNonLive<Journal | MessageLog | Receipts>) => {
  it.effect.prop(
    "P6: a batch with bounces and opens, named by our id or the provider's, leads to one status in any order",
    {
      batch: Schema.Array(
        Schema.Struct({
          event: Schema.Literals(["Deliver", "Open", "Click", "Bounce"]),
          at: When,
          byUs: Schema.Boolean
        })
      ).check(Schema.isMinLength(2), Schema.isMaxLength(6)),
      turn: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))
    },
    ({ batch, turn }) =>
      Effect.gen(function*() {
        const outcomes: Array<unknown> = []
        const turned = [...batch.slice(turn % batch.length), ...batch.slice(0, turn % batch.length)]
        for (const order of [batch, turned, batch.toReversed()]) {
          const { message, place, receipts, record, settle } = yield* start
          yield* settle({ ...accepted, reference: `ref ${message.id}` })
          yield* receipts.apply(
            place.scope,
            names,
            order.map(({ at, byUs, event }) =>
              of(message, event, {
                id: `${event} ${at}`,
                at: at === undefined ? undefined : message.enqueuedAt + at * 1_000,
                reference: `ref ${message.id}`,
                ...(byUs ? {} : { messageId: undefined, attempt: undefined })
              })
            )
          )
          const { error, reason, status } = yield* record
          outcomes.push({ error, reason, status })
        }
        assert.deepStrictEqual(outcomes[1], outcomes[0])
        assert.deepStrictEqual(outcomes[2], outcomes[0])
      }),
    { arbitrary: { runs: 60 } }
  )

  it.effect("an open and a bounce of the same second, or one that tells no time: the open proves that the message had come", () =>
    Effect.gen(function*() {
      for (const order of [["Open", "Bounce"], ["Bounce", "Open"]] as const) {
        for (const bounced of [1_000, undefined]) {
          const { message, place, receipts, record, settle } = yield* start
          yield* settle(accepted)
          const at = { Open: place.at + 1_000, Bounce: bounced === undefined ? undefined : place.at + bounced }
          yield* receipts.apply(place.scope, names, order.map((event) => of(message, event, { at: at[event] })))
          assert.strictEqual((yield* record).status, "OPENED")
        }
      }
    }))
}

const examples = (it: Vitest.MethodsNonLive<Journal | MessageLog | Receipts>) => {
  it.effect("a late bounce takes back a delivery, with its reason", () =>
    Effect.gen(function*() {
      const { message, place, receipts, record, settle } = yield* start
      yield* settle(accepted)
      yield* receipts.apply(place.scope, names, [of(message, "Deliver")])
      assert.strictEqual((yield* record).status, "DELIVERED")
      yield* receipts.apply(place.scope, names, [of(message, "Bounce", { detail: "5.2.1 mailbox closed" })])
      assert.deepInclude(yield* record, { status: "UNDELIVERABLE", reason: "BOUNCED", error: "5.2.1 mailbox closed" })
    }))

  it.effect("a bounce does not take back an open", () =>
    Effect.gen(function*() {
      const { message, place, receipts, record, settle } = yield* start
      yield* settle(accepted)
      yield* receipts.apply(place.scope, names, [of(message, "Open")])
      yield* receipts.apply(place.scope, names, [of(message, "Bounce")])
      assert.deepInclude(yield* record, { status: "OPENED", reason: undefined })
    }))

  it.effect("a receipt without our id finds its message by the provider's reference", () =>
    Effect.gen(function*() {
      const { message, place, receipts, record, settle } = yield* start
      const reference = `ref ${message.id}`
      const nameless = of(message, "Deliver", { messageId: undefined, attempt: undefined, reference })
      yield* waiting(receipts.apply(place.scope, names, [nameless]))
      assert.strictEqual((yield* record).status, "ROUTED")
      yield* settle({ ...accepted, reference })
      yield* waiting(receipts.apply(place.scope, ["other"], [nameless]))
      assert.strictEqual((yield* record).status, "SENT")
      yield* receipts.apply(place.scope, names, [nameless])
      assert.strictEqual((yield* record).status, "DELIVERED")
    }))

  it.effect("a reference of any length or characters is looked for as it was stored", () =>
    Effect.gen(function*() {
      for (const text of ["r".repeat(200), "r".repeat(501), "r".repeat(600), "r\u0000\ud800".repeat(100)]) {
        const { message, place, receipts, record, settle } = yield* start
        const reference = `${message.id}${text}`
        yield* settle(Outcome.accepted(Fixture.attempt(1, "intent"), place.at + 20, reference))
        yield* receipts.apply(place.scope, names, [
          of(message, "Deliver", { messageId: undefined, attempt: undefined, reference })
        ])
        assert.strictEqual((yield* record).status, "DELIVERED", `${reference.length} characters`)
      }
    }))

  it.effect("P10: a receipt for an unknown message, or one of another scope, has no effect", () =>
    Effect.gen(function*() {
      const { history, message, place, receipts, record, settle } = yield* start
      yield* settle(accepted)
      const [before, lines] = [yield* record, yield* history]
      const apply = (scope: Scope, some: ReadonlyArray<Receipt>) => waiting(receipts.apply(scope, names, some))
      const nameless = of(message, "Deliver", { messageId: undefined })
      yield* apply(Scope.make(place.scope + 500_000), [of(message, "Deliver"), nameless])
      yield* apply(place.scope, [
        of(message, "Deliver", { messageId: Fixture.id(place.at) }),
        { ...nameless, reference: "never seen" },
        { ...nameless, reference: undefined }
      ])
      assert.deepStrictEqual([yield* record, yield* history], [before, lines])
    }))

  it.effect("P7: a provider's clock does not date a receipt before its message or after now", () =>
    Effect.gen(function*() {
      for (const [at, shown] of [[0, 0], [60_000 + 5_000, 60_000], [undefined, 60_000], [1_500, 1_500]] as const) {
        const { message, place, receipts, record } = yield* start
        yield* receipts.apply(place.scope, names, [
          of(message, "Deliver", { at: at === undefined ? undefined : at === 0 ? 0 : place.at + at })
        ])
        assert.strictEqual((yield* record).delivered, place.at + shown)
      }
    }))

  it.effect("P7: nor before it in the second of its acceptance, which is all that many providers tell, where its call is not known", () =>
    Effect.gen(function*() {
      const { message, place, receipts, record, settle } = yield* start
      yield* settle({ ...Fixture.attempt(1, "rejected"), kind: "Unavailable" })
      yield* receipts.apply(place.scope, names, [of(message, "Deliver", { at: place.at - 639, attempt: 7 })])
      assert.strictEqual((yield* record).delivered, place.at)
    }))

  it.effect("P9: the address in a bounce's words stays out of the timeline; what no column takes is left out", () =>
    Effect.gen(function*() {
      const { attempts, message, place, receipts } = yield* start
      const detail = "550 <ada@example.com>: user\u0000 unknown, call +4915112345678 or 01511234567"
      yield* receipts.apply(place.scope, names, [
        of(message, "Bounce", { detail, id: "e\u0000\ud800", reference: "r\u0000" })
      ])
      const error = "550 <(address)>: user unknown, call (number) or (number)"
      assert.deepInclude((yield* attempts)[0], { error, reference: "r" })
    }))
}

/** What receipts do to messages, over any stores. */
export const receiptsContract = <E>(name: string, stores: Layer.Layer<Journal | MessageLog | References, E>) =>
  layer(Receiving.layer.pipe(Layer.provideMerge(stores)))(`Receipts: ${name}`, (it) => {
    properties(it)
    batches(it)
    examples(it)
  })
