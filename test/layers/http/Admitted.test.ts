import { Admission } from "#src/access/Admission.ts"
import { exchange, head } from "#test/layers/http/body/Wire.ts"
import { message, serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const body = JSON.stringify(message())

/** A plain send, which the short way takes, and one that goes the whole way for a header that the short way does not know. */
const ways = [{}, { "X-Whole": "1" }] as const

/** The server, a caller whom it has let in, and what was admitted: the bytes of each call. */
const start = Effect.fnUntraced(function*(admission: Partial<Admission["Service"]>) {
  const admitted: Array<number> = []
  const { call, origin, plain, state } = yield* serveWith(
    Layer.succeed(Admission, {
      isFull: () => false,
      ask: (bytes, { enter }) => {
        admitted.push(bytes)
        enter(() => undefined)
      },
      ...admission
    })
  )
  yield* call("GET", "/lists")
  const send = (headers: Readonly<Record<string, string>>) =>
    exchange(Number(new URL(origin).port), [
      head("/send", {
        Authorization: "Bearer pk_prod_a",
        "Content-Type": "application/json",
        "Content-Length": body.length,
        ...headers
      }),
      body
    ])
  return { admitted, call, plain, send, state }
})

describe("Admitted", () => {
  it.effect("a send that waits for its turn counts with the bytes of its body, on both ways; other requests do not count", () =>
    Effect.gen(function*() {
      const { admitted, call, plain, send } = yield* start({})
      for (const way of ways) assert.strictEqual((yield* send(way)).status, 202)
      yield* call("POST", "/profiles/ada", { body: { profile: {} } })
      assert.deepStrictEqual(admitted, [body.length, body.length])
      assert.strictEqual(plain.taken, 1)
    }))

  it.effect("a send whose turn does not come is 503 on both ways, and nothing of it is stored", () =>
    Effect.gen(function*() {
      let refused = 0
      const ask: Admission["Service"]["ask"] = (_, { refuse }) => {
        refused++
        refuse()
      }
      const { plain, send, state } = yield* start({ ask })
      for (const way of ways) {
        const answer = yield* send(way)
        assert.strictEqual(answer.status, 503)
        assert.match(answer.headers, /^retry-after: \d+$/m)
        assert.include(answer.body, "nothing of this request was stored")
      }
      assert.deepStrictEqual([refused, plain.taken, state.messages.size], [2, 1, 0])
    }))

  it.effect("where a send would wait in vain, it is refused before it asks for its turn, whatever comes with it", () =>
    Effect.gen(function*() {
      const { admitted, plain, send, state } = yield* start({ isFull: () => true })
      for (const way of ways) assert.strictEqual((yield* send(way)).status, 503)
      assert.deepStrictEqual([admitted, plain.taken, state.messages.size], [[], 2, 0])
    }))
})
