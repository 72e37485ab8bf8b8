import { Scope } from "#schemas/Scope.ts"
import { Idempotency, type IdempotencyKey, type StoredResponse } from "#src/access/Idempotency.ts"
import * as SealedAnswers from "#src/access/SealedAnswers.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"

const key: IdempotencyKey = { scope: Scope.make(1), path: "/a", value: "bc", expiresAt: 1, bodyHash: "" }

const response = (body: string): StoredResponse => ({ status: 200, body, headers: { "x-a": "b" } })

/** A store that takes every key for the one whose answer it has. */
const start = Effect.gen(function*() {
  const kept: Array<StoredResponse> = []
  const store = Idempotency.of({
    once: (_, operation) =>
      Effect.gen(function*() {
        const [earlier] = kept
        if (earlier !== undefined) return { response: earlier, replayed: true }
        const response = yield* operation
        kept.push(response)
        return { response, replayed: false }
      }),
    find: () => Effect.sync(() => Option.fromUndefinedOr(kept[0])),
    sweep: () => Effect.succeed(0)
  })
  return { kept, answers: SealedAnswers.make(store, yield* SecretKey) }
}).pipe(Effect.provide(secretKey(7)))

describe("SealedAnswers (P9)", () => {
  for (const body of [`{"token":"canary"}`, ""]) {
    it.effect(`the store does not see a body, and gives it back (${body === "" ? "none" : "some"})`, () =>
      Effect.gen(function*() {
        const { answers, kept } = yield* start
        const first = yield* answers.once(key, Effect.succeed(response(body)))
        assert.deepStrictEqual(first, { response: response(body), replayed: false })
        assert.notInclude(JSON.stringify(kept), "canary")
        assert.notStrictEqual(kept[0]?.body, body)
        assert.deepStrictEqual(yield* answers.once(key, Effect.die("it ran twice")), {
          response: response(body),
          replayed: true
        })
        assert.deepStrictEqual(yield* answers.find(key), Option.some(response(body)))
      }))
  }

  it.effect.each(
    [
      { name: "environment", other: { scope: Scope.make(2) } },
      { name: "path", other: { path: "/b" } },
      { name: "value", other: { value: "c" } },
      { name: "path and value that make the same text", other: { path: "/ab", value: "c" } }
    ] as const
  )(
    "P10: an answer that the store gives to a key of another $name is not shown there",
    ({ other }) =>
      Effect.gen(function*() {
        const { answers } = yield* start
        yield* answers.once(key, Effect.succeed(response("canary")))
        const { response: shown } = yield* answers.once({ ...key, ...other }, Effect.die("it ran"))
        const found = Option.getOrUndefined(yield* answers.find({ ...key, ...other }))
        assert.notInclude([shown.body, found?.body].join(), "canary")
      })
  )
})
