import * as JsonKeys from "#layers/JsonKeys.ts"
import { type Accepted, Journal, type NewMessage, type RowRefused } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Exit, Option, Schema } from "effect"

// As every server does: keys with escapes come back as they were.
JsonKeys.install()

export const fanOut = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 16 }))
export const few = { arbitrary: { runs: 20 } }

/** Columns that a database keeps as text, each with what no text column takes. */
const poisons: ReadonlyArray<Partial<NewMessage>> = [
  { event: "nul \u0000" },
  { template: "\u0000" },
  { recipientName: "a\u0000" },
  { recipientKey: "a\u0000" },
  { tenantId: "\u0000" },
  { tags: ["fine", "\u0000"] },
  { traceId: "\u0000" },
  { event: "lone \ud800 surrogate" },
  { recipientName: "\udc00" }
]

const refusal = (exit: Exit.Exit<Accepted, RowRefused | StoreUnavailable>) =>
  exit.pipe(Exit.findErrorOption, Option.map((error) => error._tag), Option.getOrUndefined)

export const accepts = (it: Vitest.MethodsNonLive<Journal | MessageLog | Profiles>) => {
  it.effect("P1: a message is readable with every column as soon as it is accepted", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const message = yield* Fixture.accepted(place, {
        event: "welcome",
        template: "tpl",
        tenantId: "acme",
        tags: ["a", "b, c", "{\"", ""],
        traceId: "trace",
        status: "DELAYED",
        dueAt: place.at + 5_000
      })
      const log = yield* MessageLog
      const record = Fixture.record({
        id: message.id,
        requestId: message.id,
        status: "DELAYED",
        event: "welcome",
        template: "tpl",
        userId: undefined,
        tenantId: "acme",
        tags: ["a", "b, c", "{\"", ""],
        traceId: "trace",
        enqueued: place.at
      })
      assert.deepStrictEqual(yield* log.get(place.scope, message.id), record)
    }))

  it.effect("P10: another scope does not see it", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const elsewhere = yield* Fixture.world
      const message = yield* Fixture.accepted(place)
      const log = yield* MessageLog
      assert.strictEqual((yield* Effect.flip(log.get(elsewhere.scope, message.id)))._tag, "MessageNotFound")
      assert.strictEqual((yield* Effect.flip(log.original(elsewhere.scope, message.id)))._tag, "MessageNotFound")
      assert.deepStrictEqual(yield* log.attempts(elsewhere.scope, message.id), [])
    }))

  it.effect("P10: one id may stand in two scopes", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const elsewhere = yield* Fixture.world
      const message = yield* Fixture.accepted(place, { event: "one" })
      yield* Fixture.accepted(elsewhere, { id: message.id, requestId: message.id, event: "two" })
      const log = yield* MessageLog
      assert.strictEqual((yield* log.get(place.scope, message.id)).event, "one")
      assert.strictEqual((yield* log.get(elsewhere.scope, message.id)).event, "two")
    }))

  it.effect("caller payloads come back as they were: NUL, lone surrogates, huge numbers, __proto__", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const data = { ...Fixture.hostile, deep: [Fixture.hostile, Fixture.withProto] }
      const message = Fixture.message(place, {
        recipient: { user_id: "ada", data, more: Fixture.withProto },
        instructions: { content: { title: "\u0000", body: "\udfff" }, data }
      })
      yield* journal.accept(Fixture.acceptance(place, [message], {
        profiles: [{ scope: place.scope, userId: "ada", profile: data }]
      }))
      const original = yield* (yield* MessageLog).original(place.scope, message.id)
      const profile = yield* (yield* Profiles).find(place.scope, Fixture.user)
      assert.strictEqual(JSON.stringify(original.recipient), JSON.stringify(message.recipient))
      assert.strictEqual(JSON.stringify(original.instructions), JSON.stringify(message.instructions))
      assert.strictEqual(JSON.stringify(Option.getOrNull(profile)), JSON.stringify(data))
    }))

  it.effect.prop(
    "any JSON survives as a payload",
    { data: Schema.Record(Schema.String, Schema.Json) },
    ({ data }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const message = yield* Fixture.accepted(place, { instructions: { data } })
        const original = yield* (yield* MessageLog).original(place.scope, message.id)
        assert.strictEqual(JSON.stringify(original.instructions.data), JSON.stringify(data))
      }),
    few
  )

  it.effect("a profile is created only if there is none", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const profiles = yield* Profiles
      const accept = (email: string) =>
        journal.accept(Fixture.acceptance(place, [Fixture.message(place)], {
          profiles: [{ scope: place.scope, userId: Fixture.user, profile: { email } }]
        }))
      yield* accept("first@example.com")
      yield* accept("second@example.com")
      assert.deepStrictEqual(
        yield* profiles.find(place.scope, Fixture.user),
        Option.some({ email: "first@example.com" })
      )
    }))

  it.effect.prop(
    "calls that create the same profile at once all succeed, and one wins",
    { count: fanOut },
    ({ count }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        yield* Effect.forEach(Array.from({ length: count }, (_, n) => n), (n) =>
          journal.accept(Fixture.acceptance(place, [Fixture.message(place)], {
            profiles: [{ scope: place.scope, userId: Fixture.user, profile: { n } }]
          })), { concurrency: "unbounded" })
        const found = yield* (yield* Profiles).find(place.scope, Fixture.user)
        assert.isTrue(Option.isSome(found) && typeof found.value["n"] === "number")
      }),
    few
  )

  it.effect.prop(
    "a row that the database refuses fails alone, and its neighbours of the same flush are stored",
    {
      count: fanOut,
      at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15 })),
      poison: Schema.Literals(poisons.map((_, n) => n))
    },
    ({ at, count, poison }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        const log = yield* MessageLog
        const bad = at % count
        const messages = Array.from(
          { length: count },
          (_, n) => Fixture.message(place, n === bad ? poisons[poison] : {})
        )
        const exits = yield* Effect.forEach(
          messages,
          (message) => Effect.exit(journal.accept(Fixture.acceptance(place, [message]))),
          { concurrency: "unbounded" }
        )
        const stored = yield* Effect.forEach(messages, (message) => Effect.exit(log.get(place.scope, message.id)))
        exits.forEach((exit, n) => assert.strictEqual(refusal(exit), n === bad ? "RowRefused" : undefined, `call ${n}`))
        stored.forEach((exit, n) => assert.strictEqual(Exit.isSuccess(exit), n !== bad, `message ${n}`))
      }),
    few
  )

  it.effect("an acceptance with one refused row stores nothing at all", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const good = Fixture.message(place)
      const key = Fixture.key(place)
      const refused = yield* Effect.flip(
        journal.accept(Fixture.acceptance(place, [good, Fixture.message(place, { event: "\u0000" })], {
          key,
          profiles: [{ scope: place.scope, userId: Fixture.user, profile: {} }]
        }))
      )
      assert.strictEqual(refused._tag, "RowRefused")
      assert.isTrue(Exit.isFailure(yield* Effect.exit((yield* MessageLog).get(place.scope, good.id))))
      assert.isTrue(Option.isNone(yield* (yield* Profiles).find(place.scope, Fixture.user)))
      assert.isFalse((yield* journal.accept(Fixture.acceptance(place, [good], { key }))).replayed, "its key is free")
    }))

  it.effect("the same acceptance again (after an unknown commit) changes nothing", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const log = yield* MessageLog
      const message = Fixture.message(place, { events: [{ type: "DELAYED", ts: place.at, dueAt: place.at + 9_000 }] })
      const acceptance = Fixture.acceptance(place, [message])
      yield* journal.accept(acceptance)
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      yield* journal.record(
        Fixture.step(message, epoch, {
          lifecycle: ["Route"],
          tries: 3,
          events: [{ type: "ROUTED", ts: place.at + 10 }]
        })
      )
      const read = Effect.all([log.get(place.scope, message.id), log.history(place.scope, message.id)])
      const before = yield* read
      assert.isFalse((yield* journal.accept(acceptance)).replayed)
      assert.deepStrictEqual(yield* read, before)
    }))

  it.effect("a call without messages stores its response under the key", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const keep = (body: string) =>
        journal.accept(
          Fixture.acceptance(place, [], { key: Fixture.key(place), response: Fixture.response(body, 400) })
        )
      yield* keep("first")
      assert.deepStrictEqual(yield* keep("second"), { response: Fixture.response("first", 400), replayed: true })
    }))

  it.effect("P10: scopes do not share keys", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const scopes = [place.scope, Scope.make(place.scope + 500_000)]
      const answers = yield* Effect.forEach(scopes, (scope) =>
        journal.accept(
          Fixture.acceptance(place, [], { key: Fixture.key(place, { scope }), response: Fixture.response(`${scope}`) })
        ))
      assert.deepStrictEqual(
        answers.map((answer) => answer.response.body),
        scopes.map(String)
      )
      assert.deepStrictEqual(answers.map((answer) => answer.replayed), [false, false])
    }))
}
