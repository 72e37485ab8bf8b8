import { RateLimits } from "#src/access/RateLimits.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { message, serve, serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"

const body = { name: "All", filter: { operator: "EQ", path: "plan", value: "pro" } }

describe("P1: a database that is silent", () => {
  it.effect.each(["GET", "PUT"])(
    "%s: the caller waits 2 s for it, and is told when to ask again",
    (method) =>
      Effect.gen(function*() {
        const asked = yield* Queue.unbounded<void>()
        const silent = () => Effect.andThen(Queue.offer(asked, undefined), Effect.never)
        const { call } = yield* serveWith(Layer.mock(Audiences, { get: silent, put: silent }))
        const asking = yield* Effect.forkChild(call(method, "/audiences/a", method === "PUT" ? { body } : {}))
        yield* Queue.take(asked)
        yield* TestClock.adjust("2 seconds")
        const { headers, status } = yield* Fiber.join(asking)
        assert.strictEqual(status, 503)
        assert.match(headers.get("retry-after") ?? "", /^\d+$/)
      })
  )

  it.effect.each(["/messages/m/resend", "/lists/news/subscriptions"])(
    "POST %s: also where calls are counted, and with a key as without",
    (path) =>
      Effect.gen(function*() {
        const asked = yield* Queue.unbounded<void>()
        const silent = () => Effect.andThen(Queue.offer(asked, undefined), Effect.never)
        const { call, state } = yield* serveWith(Layer.mock(RateLimits, { take: silent }))
        const body = { recipients: [{ recipientId: "ada" }] }
        const calls = yield* Effect.forEach(
          [{ body }, { body, headers: { "idempotency-key": "one" } }],
          (more) => Effect.forkChild(call("POST", path, more))
        )
        yield* Queue.takeN(asked, calls.length)
        yield* TestClock.adjust("2 seconds")
        const answers = yield* Fiber.joinAll(calls)
        assert.deepStrictEqual(answers.map(({ status }) => status), [503, 503])
        assert.strictEqual(state.keys.size, 0)
      })
  )

  it.effect("POST /send waits as long as the journal does, which gives up by itself", () =>
    Effect.gen(function*() {
      const { call, state } = yield* serve
      yield* state.accepting.close
      const sending = yield* Effect.forkChild(call("POST", "/send", { body: message() }))
      yield* call("GET", "/lists/news")
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(sending.pollUnsafe())
      yield* state.accepting.open
      assert.strictEqual((yield* Fiber.join(sending)).status, 202)
    }))
})
