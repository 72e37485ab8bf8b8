import type { Ticket } from "#src/delivery/Provider.ts"
import type { Journal } from "#src/delivery/Journal.ts"
import { UserId } from "#schemas/Profile.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { firstAsked, lease, type PendingTickets, PushTickets } from "#src/reports/PushTickets.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const ticket = (id: string, address = `ExponentPushToken[${id}]`): Ticket => ({ id, service: "expo", address })

/** A message of a place whose shard has an owner, and nothing else to ask about. */
const start = Effect.gen(function*() {
  const { epoch, journal, message, place } = yield* Fixture.owned
  const pending = yield* PushTickets
  const at = Math.max(place.at, yield* Clock.currentTimeMillis)
  yield* TestClock.setTime(at)
  // What other tests left, now and when this one's time has come.
  yield* TestClock.setTime(at + 10 * firstAsked)
  yield* pending.keep((yield* pending.take(1_000)).map((row) => ({ ...row, dueAt: undefined })))
  yield* TestClock.setTime(at)
  const accepted = Fixture.attempt(1, "accepted", { channel: "push", provider: "expo", reference: "one" })
  const settled = (tickets: ReadonlyArray<Ticket> | undefined, more: { at?: number; epoch?: number } = {}) =>
    Fixture.step(message, more.epoch ?? epoch, {
      at: more.at ?? at,
      lifecycle: ["Route", "Send"],
      attempt: accepted,
      dueAt: null,
      tickets
    })
  const row = (tickets: ReadonlyArray<Ticket>, more: Partial<PendingTickets> = {}): PendingTickets => ({
    scope: place.scope,
    messageId: message.id,
    attempt: 1,
    provider: "expo",
    tickets,
    reached: false,
    sentAt: at,
    ...more
  })
  const takenAfter = (ms: number) => Effect.andThen(TestClock.setTime(at + ms), pending.take(1_000))
  return { at, epoch, journal, message, pending, place, row, settled, takenAfter }
})

/** What every store promises of the tickets of pushes. */
export const pushTicketsContract = <E>(name: string, stores: Layer.Layer<Journal | Profiles | PushTickets, E>) =>
  layer(stores)(`PushTickets: ${name}`, (it) => {
    it.effect("P1: are stored with the outcome of their attempt, taken after a quarter of an hour, and by one only", () =>
      Effect.gen(function*() {
        const { journal, row, settled, takenAfter } = yield* start
        const tickets = [ticket("one"), ticket("two", "it's \"\u0000\ud800\" é"), ticket("__proto__")]
        yield* journal.record(settled(tickets))
        assert.deepStrictEqual(yield* takenAfter(firstAsked - 1), [])
        assert.deepStrictEqual(yield* takenAfter(firstAsked), [row(tickets)])
        assert.deepStrictEqual(yield* takenAfter(firstAsked), [])
      }))

    it.effect("two who take at once share no tickets", () =>
      Effect.gen(function*() {
        const { at, epoch, journal, pending, place } = yield* start
        const tickets = Array.from({ length: 40 }, (_, n) => ticket(`${n}`))
        yield* Effect.forEach(tickets, (one) =>
          Effect.flatMap(Fixture.accepted(place), (message) => {
            const attempt = Fixture.attempt(1, "accepted", { provider: "expo" })
            return journal.record(Fixture.step(message, epoch, { at, attempt, dueAt: null, tickets: [one] }))
          }))
        yield* TestClock.setTime(at + firstAsked)
        const taken = yield* Effect.all([pending.take(30), pending.take(30), pending.take(30)], { concurrency: 3 })
        assert.sameMembers(taken.flat().flatMap((row) => row.tickets.map(({ id }) => id)), tickets.map(({ id }) => id))
      }))

    it.effect("P1: whoever took them and died has lost none: after a while another one takes them", () =>
      Effect.gen(function*() {
        const { journal, row, settled, takenAfter } = yield* start
        yield* journal.record(settled([ticket("one")]))
        yield* takenAfter(firstAsked)
        assert.deepStrictEqual(yield* takenAfter(firstAsked + lease - 1), [])
        assert.deepStrictEqual(yield* takenAfter(firstAsked + lease), [row([ticket("one")])])
      }))

    it.effect("P4: an outcome that is written again leaves them once, and as they were", () =>
      Effect.gen(function*() {
        const { journal, row, settled, takenAfter } = yield* start
        yield* journal.record(settled([ticket("one")]))
        yield* journal.record(settled([ticket("one")]))
        yield* journal.record(settled([ticket("other")]))
        assert.deepStrictEqual(yield* takenAfter(firstAsked), [row([ticket("one")])])
      }))

    it.effect("P2: a stale owner stores none, and a step without any stores none", () =>
      Effect.gen(function*() {
        const { at, journal, place, settled, takenAfter } = yield* start
        yield* journal.take(place.shard, "other", at)
        assert.strictEqual((yield* journal.record(settled([ticket("one")])))._tag, "Fenced")
        const { epoch } = yield* journal.take(place.shard, "another", at)
        yield* journal.record(settled(undefined, { epoch }))
        assert.deepStrictEqual(yield* takenAfter(firstAsked), [])
      }))

    it.effect("what is left is asked about at its time, and what is over never again", () =>
      Effect.gen(function*() {
        const { at, journal, pending, row, settled, takenAfter } = yield* start
        yield* journal.record(settled([ticket("one"), ticket("two")]))
        yield* takenAfter(firstAsked)
        const left = row([ticket("two")], { reached: true })
        yield* pending.keep([{ ...left, dueAt: at + 3 * firstAsked }])
        assert.deepStrictEqual(yield* takenAfter(3 * firstAsked - 1), [])
        assert.deepStrictEqual(yield* takenAfter(3 * firstAsked), [left])
        yield* pending.keep([{ ...left, dueAt: undefined }])
        assert.deepStrictEqual(yield* takenAfter(9 * firstAsked), [])
        // Another one was done with them meanwhile: they do not come back.
        yield* pending.keep([{ ...left, dueAt: at }])
        assert.deepStrictEqual(yield* takenAfter(9 * firstAsked), [])
      }))

    it.effect("a user's tickets, which hold tokens, go with the profile, and nobody else's", () =>
      Effect.gen(function*() {
        const { at, epoch, journal, pending, place } = yield* start
        const attempt = Fixture.attempt(1, "accepted", { channel: "push", provider: "expo" })
        const profiles = yield* Profiles
        const of = Effect.fnUntraced(function*(name: string, kind: "user" | "email", id = name) {
          const recipientKey = `${place.scope}:${kind}:${name}`
          const message = yield* Fixture.accepted(place, { recipientName: name, recipientKey })
          yield* journal.record(Fixture.step(message, epoch, { at, attempt, dueAt: null, tickets: [ticket(id)] }))
        })
        yield* Effect.all([
          of("ada", "user"),
          of("ada", "user", "again"),
          of("bob", "user"),
          of("ada", "email", "place")
        ])
        yield* TestClock.setTime(at + firstAsked)
        const [taken] = yield* pending.take(1)
        yield* profiles.remove(place.scope, UserId.make("ada"))
        const kept = yield* pending.take(1_000)
        // What a node has in hand meanwhile does not come back.
        yield* pending.keep([...taken === undefined ? [] : [taken], ...kept].map((row) => ({ ...row, dueAt: at })))
        const rows = yield* pending.take(1_000)
        assert.deepStrictEqual(rows.flatMap(({ tickets }) => tickets.map(({ id }) => id)).toSorted(), ["bob", "place"])
      }))

    it.effect("the longest due come first, no more than are asked for", () =>
      Effect.gen(function*() {
        const { at, epoch, journal, pending, place } = yield* start
        const accepted = Fixture.attempt(1, "accepted", { channel: "push", provider: "expo" })
        for (const late of [2, 0, 1]) {
          const message = yield* Fixture.accepted(place)
          const more = { at: at + late, attempt: accepted, dueAt: null, tickets: [ticket(`${late}`)] }
          yield* journal.record(Fixture.step(message, epoch, more))
        }
        yield* TestClock.setTime(at + firstAsked + 10)
        const taken = (limit: number) =>
          Effect.map(
            pending.take(limit),
            (rows) => rows.flatMap(({ tickets }) => tickets.map(({ id }) => id)).toSorted()
          )
        assert.deepStrictEqual(yield* taken(2), ["0", "1"])
        assert.deepStrictEqual(yield* taken(2), ["2"])
      }))

    it.effect("written at once with others, each has its own", () =>
      Effect.gen(function*() {
        const { at, epoch, journal, pending, place } = yield* start
        const steps = yield* Effect.forEach(Array.from({ length: 12 }, (_, n) => n), (n) =>
          Effect.map(Fixture.accepted(place), (message) =>
            Fixture.step(message, epoch, {
              at,
              attempt: Fixture.attempt(1, "accepted", { provider: "expo" }),
              dueAt: null,
              events: [{ type: "SENT", ts: at, output: Fixture.rendered(`${n % 3}`), channel: "push" }],
              tickets: n % 2 === 0 ? undefined : [ticket(message.id)]
            })))
        yield* Effect.forEach(steps, (step) =>
          journal.record(step), { concurrency: "unbounded" })
        yield* TestClock.setTime(at + firstAsked)
        const rows = yield* pending.take(1_000)
        assert.sameDeepMembers(
          rows.map(({ messageId, tickets }) => [
            messageId,
            tickets.map(({ id }) =>
              id
            )
          ]),
          steps.flatMap(({ message: { id }, tickets }) => tickets === undefined ? [] : [[id, [id]]])
        )
      }))
  })
