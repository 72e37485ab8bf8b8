import { CorsOrigins } from "#layers/http/Cors.ts"
import { Admission } from "#src/access/Admission.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { type Answer, exchange, head } from "#test/layers/http/body/Wire.ts"
import { message, serveWith } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"

type Headers = Readonly<Record<string, string>>

const known: Headers = { Authorization: "Bearer pk_prod_a", "Content-Type": "application/json" }
const plain = JSON.stringify(message())

/** Everything of an answer but the time, and when to try again. */
const shown = ({ body, headers, status }: Answer) => ({
  status,
  headers: headers.replace(/^(retry-after: )(?:[1-9]|10)\r$/im, "$1(1 to 10)"),
  body
})

describe("A node that is full", () => {
  it.effect("refuses whoever sends, unread, in the words of the whole way, counts it, and keeps the connection", () =>
    Effect.gen(function*() {
      const { count: before } = yield* Metric.value(Metrics.overloaded)
      const { origin, plain: short, state } = yield* serveWith(
        Layer.succeed(Admission, { isFull: () => true, ask: () => undefined })
      )
      const port = Number(new URL(origin).port)
      const send = (path: string, body: string, headers: Headers = {}) =>
        exchange(port, [head(path, { ...headers, "Content-Length": body.length }), body])
      const whole = shown(yield* send("/send?a=1", plain, known))
      assert.deepStrictEqual([whole.status, short.taken], [503, 0])
      assert.include(whole.headers.toLowerCase(), "retry-after: (1 to 10)")
      for (const body of [plain, "{", "x".repeat(100_000)]) {
        for (const headers of [known, {}, { "Content-Encoding": "gzip" }]) {
          const answer = shown(yield* send("/send", body, headers))
          assert.deepStrictEqual({ ...answer, headers: answer.headers.split("\n").toSorted() }, {
            ...whole,
            headers: whole.headers.split("\n").toSorted()
          })
        }
      }
      assert.deepStrictEqual([short.taken, state.messages.size], [9, 0])
      const last = [head("/send", { ...known, "Content-Length": String(plain.length) }), plain]
      const kept = last.map((part) => part.replace("Connection: close\r\n", ""))
      const answers = yield* exchange(port, [...kept, ...kept, ...last])
      assert.lengthOf(`${answers.headers}${answers.body}`.match(/503 service/gi) ?? [], 3)
      assert.strictEqual((yield* Metric.value(Metrics.overloaded)).count - before, 1 + 9 + 3)
    }))

  it.effect("tells a page of an origin that the operator named that it may read the refusal; other callers as ever", () =>
    Effect.gen(function*() {
      const page = "https://app.example"
      const full = serveWith(Layer.succeed(Admission, { isFull: () => true, ask: () => undefined }))
      const { origin, plain: short } = yield* Effect.provideService(full, CorsOrigins, [page])
      const port = Number(new URL(origin).port)
      const send = (headers: Headers) =>
        exchange(port, [head("/send", { ...known, ...headers, "Content-Length": plain.length }), plain])
      const told = yield* send({ Origin: page })
      assert.deepStrictEqual([told.status, short.taken], [503, 0])
      assert.include(told.headers.toLowerCase(), `access-control-allow-origin: ${page}`)
      assert.include(told.headers.toLowerCase(), "access-control-expose-headers: retry-after")
      const ordinary = yield* send({})
      assert.deepStrictEqual([ordinary.status, short.taken], [503, 1])
      assert.notInclude(ordinary.headers.toLowerCase(), "access-control")
    }))
})
