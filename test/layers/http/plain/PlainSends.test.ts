import { abandon, type Answer, chunked, exchange, head } from "#test/layers/http/body/Wire.ts"
import { message, serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connect } from "node:net"
import { setImmediate } from "node:timers/promises"

type Headers = Readonly<Record<string, string | number>>

const known: Headers = { Authorization: "Bearer pk_prod_a", "Content-Type": "application/json" }

/** A header that the short way does not know. */
const whole: Headers = { "X-Whole": "1" }

const plainBody = JSON.stringify(message())

/** The server, and a caller whom it has just let in. */
const started = Effect.gen(function*() {
  const { call, origin, plain, state } = yield* serve
  yield* call("GET", "/lists")
  const port = Number(new URL(origin).port)
  const send = (body: string | Uint8Array, headers: Headers = {}) =>
    exchange(port, [head("/send", { ...known, ...headers, "Content-Length": Buffer.byteLength(body) }), body])
  /** The same, with a head that Node reads. */
  const sendByNode = (body: string | Uint8Array, headers: Headers = {}) =>
    exchange(port, [
      head("/send", { ...known, ...headers, "Content-Length": Buffer.byteLength(body) })
        .replace("Connection: close", "Connection: close, close"),
      body
    ])
  return { port, plain, send, sendByNode, state }
})

/** A plain send on a connection that is kept. */
const kept = `POST /send HTTP/1.1\r\n${
  Object.entries({ ...known, Host: "localhost", "Content-Length": plainBody.length })
    .map(([name, value]) => `${name}: ${value}\r\n`).join("")
}\r\n${plainBody}`

/** Sends a text, then ends the connection if it `leaves`, and waits until the server has ended it. */
const broken = (port: number, text: string, leaves: boolean): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const socket = connect(port, "127.0.0.1", () => leaves ? socket.end(text) : socket.write(text))
    socket.resume().on("error", () => undefined).on("close", () => resume(Effect.void))
  })

/** Waits, turn after turn of the event loop. */
const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.repeat(Effect.promise(() => setImmediate()), { until: isSo })

/** An answer without what differs from call to call. */
const shown = ({ body, headers, status }: Answer) => ({
  status,
  headers: headers.split("\r\n").filter((line) => !line.startsWith("retry-after:")).sort(),
  retries: /^retry-after: \d+$/m.test(headers),
  body: body.replace(/1-[0-9a-f]{8}-[0-9a-f]{24}/, "(id)")
})

const bodies: ReadonlyArray<readonly [what: string, body: string | Uint8Array, status: number]> = [
  ["a plain send", plainBody, 202],
  ["one to many", JSON.stringify(message([{ user_id: "a" }, { email: "b@example.com" }])), 202],
  ["one to a list", JSON.stringify(message({ list_id: "news" })), 202],
  ["one with a key too many", JSON.stringify({ ...message(), more: 1 }), 202],
  ["one with a byte order mark", `\ufeff${plainBody}`, 202],
  ["a wrong field", JSON.stringify(message({ user_id: 5 })), 400],
  ["neither template nor content", JSON.stringify({ message: { to: { user_id: "a" } } }), 400],
  ["no address at all", JSON.stringify(message({})), 400],
  [
    "a number that is too large",
    JSON.stringify(message({ user_id: "a" }, { data: { n: "?" } })).replace(`"?"`, "1e999"),
    400
  ],
  ["what is no JSON", "{\"message\":", 400],
  ["what is not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400],
  ["what nests too deep", "[".repeat(65) + "]".repeat(65), 400],
  [
    "65 levels of data",
    JSON.stringify(message({ user_id: "a" }, { data: { a: JSON.parse("[".repeat(65) + "]".repeat(65)) } })),
    400
  ],
  ["too wide a name", JSON.stringify(message({ user_id: "\u0000" })), 400]
]

const heads: ReadonlyArray<readonly [what: string, headers: Headers, status: number]> = [
  ["a key", { "Idempotency-Key": "a" }, 202],
  ["a key until a time", { "Idempotency-Key": "b", "X-Idempotency-Expiration": "2099-01-01T00:00:00Z" }, 202],
  ["a key with a space", { "Idempotency-Key": "order 1042" }, 202],
  ["a bad key", { "Idempotency-Key": "a, b" }, 400],
  ["a bad time", { "Idempotency-Key": "c", "X-Idempotency-Expiration": "soon" }, 400],
  ["a bad time without a key", { "X-Idempotency-Expiration": "soon" }, 400],
  ["a dry run", { "Tidings-Dry-Run": "true" }, 200],
  ["an encoding", { "Content-Encoding": "gzip" }, 415],
  ["another type", { "Content-Type": "text/plain" }, 415],
  ["a wrong API key", { Authorization: "Bearer pk_prod_b" }, 401],
  ["an API key of the other scheme", { Authorization: "Basic b3BzQGV4YW1wbGUuY29tOnBrX3Byb2RfYQ==" }, 202],
  ["what the published client tells", { "X-Stainless-Retry-Count": "0", "User-Agent": "client" }, 202]
]

/** Lines of a head, among them two of one name. */
const twice = (
  ours: string
): ReadonlyArray<readonly [lines: ReadonlyArray<string>, headers: Headers, status: number]> => [
  [[`Authorization: ${ours}`, "Authorization: Bearer nobody"], {}, 202],
  [["Authorization: Bearer nobody", `Authorization: ${ours}`], {}, 401],
  [["Idempotency-Key: a", "Idempotency-Key: b"], { Authorization: ours }, 400],
  [["Idempotency-Key: a", "X-Idempotency-Expiration: 1785312000", "X-Idempotency-Expiration: 1785312000"], {
    Authorization: ours
  }, 400],
  [["Host: b"], { Authorization: ours }, 400]
]

describe("PlainSends", () => {
  it.effect("answers as the whole way does, whatever the body", () =>
    Effect.gen(function*() {
      const { plain, send, sendByNode } = yield* started
      for (const [what, body, status] of bodies) {
        const short = yield* send(body)
        assert.strictEqual(short.status, status, what)
        assert.deepStrictEqual(shown(short), shown(yield* send(body, whole)), what)
        assert.deepStrictEqual(shown(short), shown(yield* sendByNode(body)), what)
      }
      assert.strictEqual(plain.taken, 2 * bodies.length)
    }))

  it.effect("answers as the whole way does, whatever the headers", () =>
    Effect.gen(function*() {
      const { send, sendByNode } = yield* started
      const again = (headers: Headers, n: number): Headers =>
        "Idempotency-Key" in headers ? { ...headers, "Idempotency-Key": `${headers["Idempotency-Key"]}${n}` } : headers
      for (const [what, headers, status] of heads) {
        const short = yield* send(plainBody, headers)
        assert.strictEqual(short.status, status, what)
        assert.deepStrictEqual(shown(short), shown(yield* send(plainBody, { ...again(headers, 2), ...whole })), what)
        assert.deepStrictEqual(shown(short), shown(yield* sendByNode(plainBody, again(headers, 3))), what)
      }
    }))

  it.effect("hears a header that comes twice as the whole way does", () =>
    Effect.gen(function*() {
      const { port } = yield* started
      const send = (lines: ReadonlyArray<string>, headers: Headers) =>
        exchange(port, [
          head("/send", { ...headers, "Content-Length": plainBody.length })
            .replace("\r\n\r\n", `\r\n${lines.join("\r\n")}\r\n\r\n`),
          plainBody
        ])
      const { Authorization: ours, ...rest } = known
      for (const [lines, headers, status] of twice(String(ours))) {
        const short = yield* send(lines, { ...rest, ...headers })
        assert.strictEqual(short.status, status, lines.join())
        const again = lines.map((line) => line.replace("Idempotency-Key: ", "Idempotency-Key: 2"))
        assert.deepStrictEqual(shown(short), shown(yield* send(again, { ...rest, ...headers, ...whole })))
      }
    }))

  it.effect("takes plain sends of callers with a key, whether they were let in before or not, and gives back what it cannot answer", () =>
    Effect.gen(function*() {
      const { call, origin, plain, state } = yield* serve
      const port = Number(new URL(origin).port)
      const send = (headers: Headers) =>
        exchange(port, [head("/send", { ...known, ...headers, "Content-Length": plainBody.length }), plainBody])
      yield* send({})
      yield* send({ "Idempotency-Key": "a" })
      assert.strictEqual(plain.taken, 2)
      for (const headers of [whole, { Expect: "100-continue" }, { Authorization: "Bearer dk_prod_a" }])
        yield* send(headers)
      yield* call("POST", "/send?a=1", { body: message() })
      assert.strictEqual(plain.taken, 3)
      assert.strictEqual(state.messages.size, 6)
    }))

  it.effect("P5: a key that was used on one way is replayed on the other, and nothing runs again", () =>
    Effect.gen(function*() {
      const { send, state } = yield* started
      for (const [key, first, second] of [["a", {}, whole], ["b", whole, {}]] as const) {
        const answer = yield* send(plainBody, { "Idempotency-Key": key, ...first })
        const replay = yield* send(plainBody, { "Idempotency-Key": key, ...second })
        assert.strictEqual(replay.body, answer.body)
        assert.include(replay.headers, "idempotent-replayed: true")
        assert.notInclude(answer.headers, "idempotent-replayed")
      }
      assert.strictEqual(state.messages.size, 2)
      const [one, other] = [...state.keys.values()].map(({ key }) => key)
      assert.deepStrictEqual({ ...one, value: "", expiresAt: 0 }, { ...other, value: "", expiresAt: 0 })
    }))

  it.effect("P10: a key that was used in one environment is another in the other, and so is what is sent", () =>
    Effect.gen(function*() {
      const { call, origin, plain, state } = yield* serve
      const port = Number(new URL(origin).port)
      for (const key of ["pk_prod_a", "pk_test_a"]) {
        yield* call("GET", "/lists", { key })
        const headers = { ...known, Authorization: `Bearer ${key}`, "Idempotency-Key": "a" }
        const answer = yield* exchange(port, [
          head("/send", { ...headers, "Content-Length": plainBody.length }),
          plainBody
        ])
        assert.strictEqual(answer.status, 202)
        assert.notInclude(answer.headers, "idempotent-replayed")
      }
      assert.strictEqual(plain.taken, 2)
      assert.deepStrictEqual([...state.keys.keys()], ["1 /send a", "2 /send a"])
      assert.deepStrictEqual([...state.messages.values()].map(({ scope }) => Number(scope)), [1, 2])
    }))

  it.effect("P5: a refusal under a key is kept as on the whole way", () =>
    Effect.gen(function*() {
      const { send, state } = yield* started
      const body = JSON.stringify({ message: { to: { user_id: "a" } } })
      const answer = yield* send(body, { "Idempotency-Key": "a" })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(state.keys.size, 1)
      assert.strictEqual((yield* send(plainBody, { "Idempotency-Key": "a" })).body, answer.body)
    }))

  it.effect("P1: with the database away it is 503 with Retry-After; a defect is 500; both in the words of the whole way", () =>
    Effect.gen(function*() {
      const { plain, send, state } = yield* started
      for (const [fault, status] of [["down", 503], ["crash", 500]] as const) {
        state[fault] = true
        const before = plain.taken
        const short = yield* send(plainBody)
        assert.strictEqual(plain.taken, before + 1)
        assert.strictEqual(short.status, status)
        assert.deepStrictEqual(shown(short), shown(yield* send(plainBody, whole)))
        state[fault] = false
      }
    }))

  it.effect("P5: a send without a key whose acceptance breaks off is not sent a second time: it may be stored", () =>
    Effect.gen(function*() {
      const { plain, send, state } = yield* started
      state.crash = true
      assert.strictEqual((yield* send(plainBody)).status, 500)
      assert.deepStrictEqual([plain.taken, state.messages.size], [1, 1])
    }))

  it.effect("takes a body in pieces, and lets who breaks off go", () =>
    Effect.gen(function*() {
      const { plain, port, send, state } = yield* started
      const pieces = Array.from(plainBody)
      const answer = yield* exchange(port, [head("/send", { ...known, "Content-Length": plainBody.length }), ...pieces])
      assert.strictEqual(answer.status, 202)
      assert.strictEqual(plain.taken, 1)
      yield* abandon(port, `${head("/send", { ...known, "Content-Length": plainBody.length })}${plainBody.slice(1)}`)
      assert.strictEqual((yield* send(plainBody)).status, 202)
      assert.strictEqual(state.messages.size, 2)
    }))

  it.effect("what comes on a connection after more requests than may be unanswered on it does not run", () =>
    Effect.gen(function*() {
      const { port, send, state } = yield* started
      yield* state.accepting.close
      // The first makes the connection Node's, which hears of the next before the last is answered.
      yield* broken(port, `GET /lists HTTP/1.1\r\nHost: a\r\n\r\n${kept.repeat(40)}`, false)
      yield* state.accepting.open
      assert.strictEqual((yield* send(plainBody)).status, 202)
      assert.isAtMost(state.messages.size, 32 + 1)
    }))

  it.effect("a send that waits for its turn is not run if its sender has left by then", () =>
    Effect.gen(function*() {
      const { plain, port, send, state } = yield* started
      yield* state.accepting.close
      const admitted = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 32 }, () => send(plainBody)), { concurrency: "unbounded" })
      )
      yield* until(() => plain.taken === 32)
      yield* broken(port, kept, true)
      assert.strictEqual(plain.taken, 33)
      yield* state.accepting.open
      assert.isTrue((yield* Fiber.join(admitted)).every(({ status }) => status === 202))
      assert.strictEqual((yield* send(plainBody)).status, 202)
      assert.strictEqual(state.messages.size, 33)
    }))

  it.effect("leaves bodies of unknown length and of more than 64 kB to the whole way", () =>
    Effect.gen(function*() {
      const { plain, port, send } = yield* started
      const streamed = [head("/send", { ...known, "Transfer-Encoding": "chunked" }), ...chunked(plainBody, 7)]
      assert.strictEqual((yield* exchange(port, streamed)).status, 202)
      const long = (length: number) => JSON.stringify(message({ user_id: "a" }, { data: { a: "a".repeat(length) } }))
      const most = 64 * 1024 - long(0).length
      assert.strictEqual((yield* send(long(most + 1))).status, 202)
      assert.strictEqual(plain.taken, 0)
      assert.strictEqual((yield* send(long(most))).status, 202)
      assert.strictEqual(plain.taken, 1)
    }))
})
