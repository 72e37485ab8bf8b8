import { createServer } from "#layers/http/NodeServer.ts"
import { exchange, portOf, refusal } from "#test/layers/http/body/Wire.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import type { ServerOptions, ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** As Node tells of a body that does not end in time. */
const late = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })

const listen = (options: ServerOptions = {}) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(options).on("request", (request, response) => {
        if (request.url === "/begun")
          response.write("half of it")
        if (request.url === "/overdue")
          response.write("half of it", () => server.emit("clientError", late, request.socket))
        if (request.url === "/answered")
          response.end("an answer")
        if (request.url === "/later")
          request.resume().on("end", () => setTimeout(() => response.end("an answer"), 30))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)).closeAllConnections())
  )

const quick = { headersTimeout: 40, requestTimeout: 80, connectionsCheckingInterval: 10 }

describe("NodeServer", () => {
  it.effect("gives 10 s for the headers and 30 s for the whole request, and a second more at most", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      assert.deepInclude({ ...server }, { headersTimeout: 10_000, requestTimeout: 30_000 })
      assert.strictEqual(Reflect.get(server, "connectionsCheckingInterval"), 1_000)
    }))

  it.effect("leaves it to a load balancer, which waits for 60 s, to close an idle connection", () =>
    Effect.map(listen(), (server) => assert.isAbove(server.keepAliveTimeout, 60_000)))

  it.effect.each([
    { name: "headers", part: "POST / HTTP/1.1\r\nHost: a\r\n" },
    { name: "body", part: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n[1," }
  ])("a slow sender of its $name is told so and let go", ({ part }) =>
    Effect.gen(function*() {
      const server = yield* listen(quick)
      const answer = yield* exchange(portOf(server.address()), [part])
      assert.strictEqual(answer.status, 408)
      assert.strictEqual(answer.body, refusal("The request did not arrive in time"))
    }))

  it.effect("an answer that has begun is cut off, not mixed with a second one", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      const part = "POST /overdue HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n[1,"
      const answer = yield* exchange(portOf(server.address()), [part])
      assert.strictEqual(answer.status, 200)
      assert.notInclude(answer.body, "HTTP/1.1")
    }))

  it.effect("what is not HTTP, or has too long headers, gets an error body", () =>
    Effect.gen(function*() {
      const port = portOf((yield* listen()).address())
      const bad = yield* exchange(port, ["HELLO\r\n\r\n"])
      assert.strictEqual(bad.status, 400)
      assert.strictEqual(bad.body, refusal("The request is not valid HTTP"))
      const raw = yield* exchange(port, ["GET /messages?recipient=jürgen HTTP/1.1\r\nHost: a\r\n\r\n"])
      assert.strictEqual(raw.status, 400)
      assert.strictEqual(raw.body, refusal("The URL is not valid: percent-encode what is not ASCII"))
      const long = yield* exchange(port, [`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`])
      assert.strictEqual(long.status, 431)
      assert.strictEqual(long.body, refusal("Request headers exceed 16 kB"))
    }))

  const whole = "POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"

  it.effect.each([
    { name: "stray bytes", parts: [`${whole}}}GARBAGE\r\n\r\n`], answers: 1 },
    { name: "a NUL", parts: [`${whole}\u0000`], answers: 1 },
    { name: "a second request that is none", parts: [whole, "HELLO\r\n\r\n"], answers: 1 },
    { name: "stray bytes after two", parts: [`${whole}${whole}GARBAGE\r\n\r\n`], answers: 2 }
  ])(
    "a request that came whole has its own answer, though $name came after it",
    ({ answers, parts }) =>
      Effect.gen(function*() {
        const port = portOf((yield* listen(quick)).address())
        const { body, status } = yield* exchange(port, parts)
        assert.strictEqual(status, 200)
        assert.strictEqual(body.match(/an answer/g)?.length, answers)
        assert.notInclude(body, "invalid_request_error")
      })
  )

  it.effect("an expectation that nobody knows is refused with an error body, and its connection ends: does a body follow?", () =>
    Effect.gen(function*() {
      const port = portOf((yield* listen()).address())
      const answer = yield* exchange(port, ["POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 20\r\n\r\n"])
      assert.strictEqual(answer.status, 417)
      assert.include(answer.headers, "connection: close")
      assert.strictEqual(answer.body, refusal("Expect: tea is not known here"))
    }))

  it.effect("a tunnel is refused with an error body", () =>
    Effect.gen(function*() {
      const port = portOf((yield* listen()).address())
      const answer = yield* exchange(port, ["CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"])
      assert.strictEqual(answer.status, 405)
      assert.include(answer.headers, "allow: get, head, post")
      assert.strictEqual(answer.body, refusal("CONNECT is not served: this is no proxy"))
    }))

  it.effect("a tunnel whose caller resets the connection takes nobody else with it", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      server.on("connect", (_, socket) => socket.destroy(new Error("ECONNRESET")))
      const port = portOf(server.address())
      yield* exchange(port, ["CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"])
      assert.strictEqual((yield* exchange(port, [pipelined("/answered", 1)])).status, 200)
    }))

  const pipelined = (url: string, requests: number) => {
    const one = `GET ${url} HTTP/1.1\r\nHost: a\r\n`
    return `${`${one}\r\n`.repeat(requests - 1)}${one}Connection: close\r\n\r\n`
  }

  it.effect("requests that come before the answers are answered one after the other, as many as they are", () =>
    Effect.gen(function*() {
      const port = portOf((yield* listen()).address())
      const answer = yield* exchange(port, [pipelined("/answered", 32)])
      assert.strictEqual(answer.body.match(/an answer/g)?.length, 32)
    }))

  it.live.each([
    { name: "asked for", event: "request", expects: "" },
    { name: "whose caller waits to be asked for the rest", event: "checkContinue", expects: "Expect: 100-continue\r\n" }
  ])("a server that stops answers what is under way, $name, and says that it is the last answer of the connection", ({
    event,
    expects
  }) =>
    Effect.gen(function*() {
      const server = yield* listen()
      const late = yield* Effect.callback<ServerResponse>((resume) => {
        server.once(event, (_, response: ServerResponse) => resume(Effect.succeed(response)))
        connect(portOf(server.address()), "127.0.0.1").on("error", () => undefined).write(
          `GET /late HTTP/1.1\r\nHost: a\r\n${expects}\r\n`
        )
      })
      const closed = yield* Effect.forkChild(
        Effect.callback<void>((resume) => void server.close(() => resume(Effect.void))),
        { startImmediately: true }
      )
      late.end("an answer")
      assert.strictEqual(late.getHeader("connection"), "close")
      assert.isTrue(yield* Effect.as(Effect.timeout(Fiber.join(closed), "5 seconds"), true))
    }))

  it.live("a server that stops does not wait for a caller who has said nothing, but hears one who speaks at once", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      const arrived = yield* Queue.unbounded<Socket>()
      server.on("connection", (socket: Socket) => Queue.offerUnsafe(arrived, socket))
      const [silent, late] = [0, 1].map(() => connect(portOf(server.address()), "127.0.0.1"))
      yield* Queue.takeN(arrived, 2)
      const closed = yield* Effect.forkChild(
        Effect.callback<void>((resume) => void server.close(() => resume(Effect.void))),
        { startImmediately: true }
      )
      let received = ""
      late?.on("data", (text) => received += text).write("GET /answered HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* Effect.timeout(Fiber.join(closed), "4 seconds")
      assert.include(received, "an answer")
      silent?.destroy()
    }))

  it.live("a connection may carry any number of requests, one after the other", () =>
    Effect.gen(function*() {
      const port = portOf((yield* listen()).address())
      const socket = connect(port, "127.0.0.1").setEncoding("utf8")
      yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
      const answer = Effect.callback<string>((resume) => {
        const closed = () => resume(Effect.succeed("closed"))
        socket.once("close", closed).once("data", (text: string) => {
          socket.off("close", closed)
          resume(Effect.succeed(text))
        })
        socket.write("GET /answered HTTP/1.1\r\nHost: a\r\n\r\n")
      })
      for (let asked = 0; asked < 40; asked++) assert.match(yield* answer, /an answer$/)
    }))

  it.live.each([
    { name: "before it stops", before: 3, after: 0 },
    { name: "before and while it stops", before: 1, after: 2 }
  ])(
    "a server that stops answers all that one connection asked $name, and then ends it",
    ({ after, before }) =>
      Effect.gen(function*() {
        const server = yield* listen()
        const arrived = yield* Queue.unbounded<ServerResponse>()
        server.on("request", (_, response) => Queue.offerUnsafe(arrived, response))
        const request = "GET /late HTTP/1.1\r\nHost: a\r\n\r\n"
        let received = ""
        const socket = connect(portOf(server.address()), "127.0.0.1").on("data", (text) => received += text)
        const ended = yield* Effect.forkChild(
          Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void))),
          { startImmediately: true }
        )
        socket.write(request.repeat(before))
        const earlier = yield* Queue.takeN(arrived, before)
        server.close()
        if (after > 0) socket.write(request.repeat(after))
        const later = after > 0 ? yield* Queue.takeN(arrived, after) : []
        for (const response of [...earlier, ...later]) response.end("an answer")
        yield* Effect.timeout(Fiber.join(ended), "5 seconds")
        assert.strictEqual(received.match(/an answer/g)?.length, before + after)
        assert.strictEqual(received.match(/connection: close/gi)?.length, 1)
      })
  )

  it.live("holds on to nothing of what is answered", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      const answered: Array<WeakRef<ServerResponse>> = []
      server.on("request", (_, response) => answered.push(new WeakRef(response)))
      yield* exchange(portOf(server.address()), [pipelined("/answered", 3)])
      setFlagsFromString("--expose-gc")
      // What a callback still on the stack holds goes with its turn of the event loop.
      yield* Effect.sleep("10 millis")
      runInNewContext("gc")()
      assert.deepStrictEqual(answered.map((one) => one.deref()?.writableEnded), [undefined, undefined, undefined])
    }))

  it.live("a caller who asks on and on and reads nothing is let go", () =>
    Effect.gen(function*() {
      const port = portOf((yield* listen()).address())
      const answer = yield* Effect.timeoutOption(exchange(port, [pipelined("/silent", 33)]), "5 seconds")
      assert.strictEqual(answer._tag, "Some")
      const waits = yield* Effect.timeoutOption(exchange(port, [pipelined("/silent", 32)]), "300 millis")
      assert.strictEqual(waits._tag, "None")
    }))

  it.live("a caller who does not read an answer is let go", () =>
    Effect.gen(function*() {
      const server = yield* listen()
      assert.strictEqual(server.timeout, 60_000)
      server.setTimeout(100)
      const answer = yield* Effect.timeoutOption(
        exchange(portOf(server.address()), ["GET /begun HTTP/1.1\r\nHost: a\r\n\r\n"]),
        "5 seconds"
      )
      assert.strictEqual(answer._tag, "Some")
    }))
})
