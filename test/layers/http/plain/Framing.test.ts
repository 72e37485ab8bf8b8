import { type Framed, read } from "#layers/http/plain/Framing.ts"
import { portOf } from "#test/layers/http/body/Wire.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createServer } from "node:http"
import { connect } from "node:net"

const longest = 200

const text = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))

const Header = Schema.Struct({
  name: Schema.Literals(["Host", "authorization", "Content-Type", "USER-AGENT", "x-stainless-lang", "Idempotency-Key"]),
  before: text(/^[ \t]{0,3}$/),
  value: text(/^([!-~\u00a0-\u00ff]([\t -~\u0080-\u00ff]{0,20}[!-~\u0080-\u00ff])?)?$/),
  after: text(/^[ \t]{0,3}$/)
})

const Plain = Schema.Struct({
  headers: Schema.Array(Header).check(Schema.isMaxLength(6)),
  body: Schema.String.check(Schema.isMaxLength(40)),
  rest: Schema.String.check(Schema.isMaxLength(40))
})

const written = ({ body, headers }: typeof Plain.Type): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST /send HTTP/1.1\r\n${
        headers.map(({ after, before, name, value }) => `${name}:${before}${value}${after}\r\n`).join("")
      }Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
      "latin1"
    ),
    Buffer.from(body)
  ])

const framedOf = (bytes: Buffer): Framed => {
  const framed = read(bytes, longest)
  return typeof framed === "object" ? framed : assert.fail(`${framed}: ${bytes.toString("latin1")}`)
}

/** What takes the place of bytes of a request. */
const pieces = [
  "",
  "\r",
  "\n",
  "\r\n",
  "\0",
  " ",
  "\t",
  ":",
  ",",
  "0",
  "9",
  "a",
  "\x80",
  "\x7f",
  "Content-Length: 3\r\n"
]
  .concat(
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "Connection: Upgrade\r\n",
    "Expect: 100-continue\r\n"
  )

const Mutation = Schema.Struct({
  at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })),
  cut: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  piece: Schema.Literals(pieces)
})

const mutated = (bytes: Buffer, mutations: ReadonlyArray<typeof Mutation.Type>): Buffer =>
  mutations.reduce((all, { at, cut, piece }) => {
    const from = at % (all.length + 1)
    return Buffer.concat([all.subarray(0, from), Buffer.from(piece, "latin1"), all.subarray(from + cut)])
  }, bytes)

interface Heard {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: string
}

const next = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

/** What Node hears of these bytes and of a request behind them. */
const node = Effect.gen(function*() {
  let heard: Array<Heard> = []
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      const { method, rawHeaders, url } = request
      heard.push({ method, url, rawHeaders, body: Buffer.concat(chunks).toString("latin1") })
      response.end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return (bytes: Buffer): Effect.Effect<ReadonlyArray<Heard>> =>
    Effect.callback((resume) => {
      heard = []
      const socket = connect(portOf(server.address()), "127.0.0.1")
      socket.resume().on("error", () => undefined).on("close", () => resume(Effect.succeed(heard)))
      socket.write(Buffer.concat([bytes, Buffer.from(next)]))
    })
})

describe("Framing", () => {
  it.prop("reads what was written, whatever follows it; a part of it is a part", { plain: Plain }, ({ plain }) => {
    const bytes = written(plain)
    const { body, end, isLast, rawHeaders } = framedOf(Buffer.concat([bytes, Buffer.from(plain.rest)]))
    assert.deepStrictEqual(
      [body.toString(), end, isLast],
      [Buffer.from(plain.body).toString(), bytes.length, false]
    )
    assert.deepStrictEqual(rawHeaders, [
      ...plain.headers.flatMap(({ name, value }) => [name, value]),
      "Content-Length",
      String(body.length)
    ])
    for (let length = 0; length < bytes.length; length++) {
      assert.strictEqual(read(bytes.subarray(0, length), longest), "part")
    }
  })

  it.effect.prop(
    "what it reads, Node reads so too: the same headers, the same body, and the next request behind it",
    { plain: Plain, mutations: Schema.Array(Mutation).check(Schema.isMinLength(1), Schema.isMaxLength(3)) },
    ({ mutations, plain }) =>
      Effect.gen(function*() {
        const bytes = mutated(written(plain), mutations)
        const framed = read(bytes, longest)
        if (typeof framed !== "object") return
        const heard = yield* (yield* node)(bytes.subarray(0, framed.end))
        const { body, rawHeaders } = framed
        assert.deepStrictEqual(heard[0], { method: "POST", url: "/send", rawHeaders, body: body.toString("latin1") })
        assert.deepStrictEqual(heard.slice(1).map(({ url }) => url), framed.isLast ? [] : ["/next"])
      }),
    { arbitrary: { runs: 2_000 } }
  )

  it("leaves to Node what is longer than it may be, and what no plain send has", () => {
    const head = (lines: string) => `POST /send HTTP/1.1\r\n${lines}\r\n`
    for (
      const [what, bytes] of [
        ["another method", "PUT /send HTTP/1.1\r\nContent-Length: 0\r\n\r\n"],
        ["another path", "POST /sends HTTP/1.1\r\nContent-Length: 0\r\n\r\n"],
        ["another version", "POST /send HTTP/1.0\r\nContent-Length: 0\r\n\r\n"],
        ["no length", head("Host: a\r\n")],
        ["two lengths", head("Content-Length: 1\r\nContent-Length: 1\r\n")],
        ["a long body", head(`Content-Length: ${longest + 1}\r\n`)],
        ["a signed length", head("Content-Length: +1\r\n")],
        ["chunks", head("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")],
        ["an expectation", head("Content-Length: 1\r\nExpect: 100-continue\r\n")],
        ["a header that is not known", head("Content-Length: 1\r\nX-Whole: 1\r\n")],
        ["another protocol", head("Content-Length: 1\r\nConnection: Upgrade\r\n")],
        ["a folded line", head("Content-Length: 1\r\nAccept: a\r\n b\r\n")],
        ["a blank before the colon", head("Content-Length : 1\r\n")],
        ["a line feed alone", head("Content-Length: 1\r\nAccept: a\nHost: a\r\n")],
        ["many lines", head(`Content-Length: 1\r\n${"Via: a\r\n".repeat(100)}`)],
        ["a long head", head(`Content-Length: 1\r\nAccept: ${"a".repeat(16 * 1024)}\r\n`)],
        ["a long head that has no end", `POST /send HTTP/1.1\r\nAccept: ${"a".repeat(16 * 1024)}`]
      ] as const
    ) assert.strictEqual(read(Buffer.from(bytes, "latin1"), longest), undefined, what)
  })
})
