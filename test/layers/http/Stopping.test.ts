import { head } from "#test/layers/http/body/Wire.ts"
import { message, serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { connect } from "node:net"
import { setImmediate } from "node:timers/promises"

/** Waits, turn after turn of the event loop. */
const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.repeat(Effect.promise(() => setImmediate()), { until: isSo })

const plainBody = JSON.stringify(message())
const wholeBody = JSON.stringify({ ...message(), more: 1 })

/** A server that is about to stop, and a caller of it who has sent a plain head and the first `sent` characters of a body. */
const sending = Effect.fnUntraced(function*(body: string, sent: number, patience: Duration.Input) {
  const scope = yield* Scope.make()
  const { call, origin, plain, state } = yield* Scope.provide(serveWith(Layer.empty, patience), scope)
  yield* call("GET", "/lists")
  if (sent === body.length) yield* state.accepting.close
  const fields = { Authorization: "Bearer pk_prod_a", "Content-Type": "application/json" }
  // On a connection that would be kept.
  const opening = head("/send", { ...fields, "Content-Length": body.length }).replace("Connection: close\r\n", "")
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect(Number(new URL(origin).port), "127.0.0.1")),
    (socket) => Effect.sync(() => socket.destroy())
  )
  let answer = ""
  let ended = false
  socket.setEncoding("utf8").on("data", (text) => answer += text).on("error", () => undefined)
  socket.on("close", () => ended = true).write(opening + body.slice(0, sent))
  yield* until(() => plain.taken === 1)
  return {
    state,
    stop: Scope.close(scope, Exit.void),
    finish: Effect.sync(() => socket.write(body.slice(sent))),
    answer: Effect.map(until(() => ended), () => answer)
  }
})

const last = /\r\nconnection: close\r\n/i

/** A refusal in words, which says when to come back, on a connection that ends with it. */
const refused = (answer: string): void => {
  assert.match(answer, /^HTTP\/1.1 503 /)
  assert.match(answer, last)
  assert.match(answer, /\r\nretry-after: [1-9]\d*\r\n/i)
  assert.deepStrictEqual(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))), {
    message: "The service is not available right now; nothing is known to be stored",
    type: "api_error"
  })
}

describe("a server that stops", () => {
  it.effect.each([{ name: "plain", body: plainBody }, { name: "not", body: wholeBody }])(
    "accepts a send whose body comes in time, and ends its connection with the answer; $name",
    ({ body }) =>
      Effect.gen(function*() {
        const { answer, finish, state, stop } = yield* sending(body, 5, "5 seconds")
        const stopping = yield* Effect.forkChild(stop, { startImmediately: true })
        yield* finish
        const text = yield* answer
        assert.match(text, /^HTTP\/1.1 202 /)
        assert.match(text, last)
        assert.strictEqual(state.messages.size, 1)
        yield* Fiber.join(stopping)
      })
  )

  it.effect.each([{ name: "plain", body: plainBody }, { name: "not", body: wholeBody }])(
    "P1: refuses a send whose body comes too late, and stores nothing of it; $name",
    ({ body }) =>
      Effect.gen(function*() {
        const { answer, finish, state, stop } = yield* sending(body, 5, 0)
        yield* stop
        yield* finish
        const text = yield* answer
        refused(text)
        assert.strictEqual(state.messages.size, 0)
      })
  )

  it.effect("P1: answers 503 to a send that is not accepted by then", () =>
    Effect.gen(function*() {
      const { answer, state, stop } = yield* sending(plainBody, plainBody.length, 0)
      yield* stop
      const text = yield* answer
      refused(text)
      assert.strictEqual(state.messages.size, 0)
    }))
})
