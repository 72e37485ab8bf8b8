import { Audiences } from "#src/people/Audiences.ts"
import { serveWith } from "#test/layers/http/Server.ts"
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
})
