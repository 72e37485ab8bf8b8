import { Journal } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"

const fanOut = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 16 }))

/** What an acceptance does under an idempotency key (P5). */
export const keys = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect("P5: a replay runs nothing and repeats the first response byte for byte, whatever its own body says", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const first = {
        status: 207,
        body: "{\"ü\": \"\\u0000 \u2028 👩‍🚀\"}  \r\n",
        headers: { "content-type": "application/json; charset=utf-8", "x-quote": "\"'\\" }
      }
      const accept = (more: Parameters<typeof Fixture.acceptance>[2]) => {
        const message = Fixture.message(place)
        return Effect.map(journal.accept(Fixture.acceptance(place, [message], more)), (answer) => ({ message, answer }))
      }
      const original = yield* accept({ key: Fixture.key(place), response: first })
      const repeat = yield* accept({
        key: Fixture.key(place, { bodyHash: "another body" }),
        response: Fixture.response("other")
      })
      assert.deepStrictEqual(original.answer, { response: first, replayed: false })
      assert.deepStrictEqual(repeat.answer, { response: first, replayed: true })
      const log = yield* MessageLog
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(log.get(place.scope, original.message.id))))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(log.get(place.scope, repeat.message.id))))
    }))

  it.effect.prop(
    "P5: of duplicates at once exactly one runs, and all give its response",
    { count: fanOut },
    ({ count }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        const log = yield* MessageLog
        const calls = Array.from({ length: count }, (_, n) =>
          Fixture.acceptance(place, [Fixture.message(place)], {
            key: Fixture.key(place),
            response: Fixture.response(`${n}`)
          }))
        const answers = yield* Effect.forEach(calls, journal.accept, { concurrency: "unbounded" })
        const winners = answers.flatMap((answer, n) => answer.replayed ? [] : [n])
        const stored = yield* Effect.forEach(calls, (call) =>
          Effect.exit(Effect.forEach(call.messages, (message) => log.get(place.scope, message.id))))
        assert.lengthOf(winners, 1)
        assert.deepStrictEqual(
          answers.map((answer) =>
            answer.response
          ),
          calls.map(() => Fixture.response(`${winners[0]}`))
        )
        assert.deepStrictEqual(stored.flatMap((exit, n) => Exit.isSuccess(exit) ? [n] : []), winners)
      }),
    { arbitrary: { runs: 20 } }
  )

  it.effect("P5: an expired key counts as absent, and the new call's response is then the one repeated", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const accept = (body: string, after: number, lasts: number) =>
        journal.accept(Fixture.acceptance(place, [], {
          key: Fixture.key(place, { expiresAt: place.at + after + lasts }),
          response: Fixture.response(body),
          at: place.at + after
        }))
      assert.isFalse((yield* accept("first", 0, 100)).replayed)
      assert.strictEqual((yield* accept("early", 99, 1_000)).response.body, "first")
      assert.deepStrictEqual(yield* accept("second", 100, 50), {
        response: Fixture.response("second"),
        replayed: false
      })
      assert.strictEqual((yield* accept("late", 149, 1_000)).response.body, "second", "a replay extends nothing")
      assert.isFalse((yield* accept("third", 150, 50)).replayed)
    }))

  it.effect("P5: the same value on another path is another key", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const paths = ["/send", "/messages/1/resend", "/send\n", "/sendonce"]
      const answers = yield* Effect.forEach(paths, (path) =>
        journal.accept(
          Fixture.acceptance(place, [], { key: Fixture.key(place, { path }), response: Fixture.response(path) })
        ))
      assert.deepStrictEqual(
        answers.map(({ replayed, response }) => [response.body, replayed]),
        paths.map((path) => [path, false])
      )
    }))

  it.effect("P5: values differ by every byte, case and length included", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const values = ["a", "A", "a ", "aa", "ä", "%61", "a'; drop table messages; --"]
      const answers = yield* Effect.forEach([...values, ...values], (value) =>
        journal.accept(
          Fixture.acceptance(place, [], { key: Fixture.key(place, { value }), response: Fixture.response(value) })
        ))
      assert.deepStrictEqual(
        answers.map((answer) => answer.response.body),
        [...values, ...values]
      )
      assert.deepStrictEqual(answers.map((answer) => answer.replayed), [
        ...values.map(() => false),
        ...values.map(() => true)
      ])
    }))
}
