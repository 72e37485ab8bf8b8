import { calling, last, other, send, serving, turns, until } from "#test/layers/http/plain/Connections.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Schema } from "effect"
import { setImmediate } from "node:timers/promises"

const Body = Schema.String.check(Schema.isPattern(/^[a-z]{1,9}$/))
const Cuts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 }))).check(
  Schema.isMaxLength(12)
)

/** The text in pieces, cut at these places. */
const cut = (text: string, places: ReadonlyArray<number>): ReadonlyArray<string> => {
  const at = [...new Set([0, ...places.filter((place) => place < text.length), text.length])].sort((a, b) => a - b)
  return at.slice(1).map((to, n) => text.slice(at[n], to))
}

describe("Direct", () => {
  it.live("answers sends on one connection, one after the other, without Node", () =>
    Effect.gen(function*() {
      const { measured, offered, port } = yield* serving()
      const caller = yield* calling(port)
      for (const body of ["a", "b", "c"]) {
        yield* caller.write([send(body)])
        yield* until(() => caller.answers().at(-1) === `take: ${body}`)
      }
      yield* caller.write([send("d", "Connection: close\r\n")])
      yield* caller.closed
      const four = ["a", "b", "c", "d"]
      assert.deepStrictEqual([caller.answers(), offered], [four.map((body) => `take: ${body}`), four])
      assert.deepStrictEqual(measured, four.map(() => "POST 202"))
      const answers = caller.text().split(/(?=HTTP\/1)/)
      assert.match(
        answers[0] ?? "",
        /^HTTP\/1\.1 202 Accepted\r\n(.+\r\n)*Connection: keep-alive\r\nKeep-Alive: timeout=65\r\n/
      )
      assert.match(answers[3] ?? "", /\r\nConnection: close\r\n/)
    }))

  it.live.prop(
    "whatever comes, in whatever pieces, and however soon: each is answered once, in its turn; each send is offered once",
    {
      asked: Schema.Array(Schema.Struct({
        body: Body,
        kind: Schema.Literals(["taken", "taken", "taken", "left", "given back", "other"])
      })).check(Schema.isMaxLength(6)),
      cuts: Cuts,
      isLate: Schema.Boolean
    },
    ({ asked, cuts, isLate }) =>
      Effect.gen(function*() {
        const kinds = new Map(asked.map(({ body, kind }, n) => [`${body}${n}`, kind]))
        const { measured, offered, port } = yield* serving({
          hold: () => isLate ? Effect.promise(() => setImmediate()) : Effect.void
        })
        const caller = yield* calling(port)
        const text = [...kinds].map(([body, kind]) =>
          kind === "other" ? other(`/${body}`) : send(body, `Idempotency-Key: ${kind}\r\n`)
        ).join("") + last
        yield* caller.write(cut(text, cuts))
        yield* caller.closed
        const bodies = [...kinds.keys()]
        assert.deepStrictEqual(
          caller.answers().map((answer, n) =>
            answer.replace(/(?<=POST \/send )$/, bodies[n] ?? "")
          ),
          [
            ...[...kinds].map(([body, kind]) =>
              kind === "taken" ? `take: ${body}` : kind === "other" ? `node: GET /${body} ` : `node: POST /send ${body}`
            ),
            "node: GET /last "
          ]
        )
        assert.deepStrictEqual(
          offered,
          [...kinds].filter(([, kind]) => kind === "taken" || kind === "given back").map(([body]) => body)
        )
        assert.strictEqual(measured.length, kinds.size + 1)
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 300 } }
  )

  it.live("who does not wait for an answer waits for it with the next send, and is not read meanwhile", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const { offered, port } = yield* serving({ hold: (body) => body === "a" ? Deferred.await(go) : Effect.void })
      const [caller, second] = [yield* calling(port), yield* calling(port)]
      const impatient = yield* calling(port)
      yield* impatient.write([send("a")])
      impatient.socket.write(Buffer.alloc(50_000_000))
      yield* turns
      assert.isAbove(impatient.socket.writableLength, 0)
      impatient.socket.destroy()
      offered.length = 0
      yield* caller.write([send("a"), send("b"), send("c"), last])
      yield* second.write([send("x", "Connection: close\r\n")])
      yield* second.closed
      assert.deepStrictEqual([offered, caller.answers()], [["a", "x"], []])
      yield* Deferred.succeed(go, undefined)
      yield* caller.closed
      assert.deepStrictEqual(caller.answers(), ["take: a", "take: b", "take: c", "node: GET /last "])
    }))

  it.live("nor while whole sends of it are held: what it writes on and on is not held too", () =>
    Effect.gen(function*() {
      const sends = 500
      const { offered, port } = yield* serving({ hold: () => Effect.sleep("1 millis") })
      const caller = yield* calling(port)
      yield* caller.write([send("a").repeat(sends)])
      let written = 0
      const writeOn = () => {
        const more = Buffer.alloc(100_000)
        caller.socket.write(more, () => {
          written += more.length
          if (!caller.socket.destroyed) writeOn()
        })
      }
      writeOn()
      yield* until(() => offered.length > 0.9 * sends)
      // No more than the kernel holds for both ends.
      assert.isBelow(written, 15_000_000)
      caller.socket.destroy()
    }))

  it.live("a caller who leaves before the answer is one without a status, and nothing is written to it", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const { measured, offered, port } = yield* serving({ hold: () => Deferred.await(go) })
      for (const leaves of ["destroy", "resetAndDestroy", "end"] as const) {
        const caller = yield* calling(port)
        yield* caller.write([send(leaves)])
        yield* until(() => offered.includes(leaves))
        caller.socket[leaves]()
        yield* caller.closed
        yield* until(() => measured.length === offered.length)
        assert.strictEqual(caller.text(), "")
      }
      yield* Deferred.succeed(go, undefined)
      yield* until(() => true)
      assert.deepStrictEqual(measured, ["POST undefined", "POST undefined", "POST undefined"])
    }))

  it.live("a send whose end does not come is told so by Node, and so is one that breaks off", () =>
    Effect.gen(function*() {
      const { offered, port } = yield* serving()
      const whole = send("abc")
      const broken = yield* calling(port)
      yield* broken.write([whole.slice(0, -1)])
      broken.socket.end()
      yield* broken.closed
      assert.match(broken.text(), /^HTTP\/1\.1 400 .*not valid HTTP/s)
      const slow = yield* calling(port)
      yield* slow.write([whole.slice(0, 9)])
      yield* Effect.sleep("1500 millis")
      yield* slow.write([whole.slice(9), last])
      yield* slow.closed
      assert.deepStrictEqual([slow.answers(), offered], [["take: abc", "node: GET /last "], ["abc"]])
    }))

  it.live("the end of a later send may be a while in coming too", () =>
    Effect.gen(function*() {
      const { port } = yield* serving({ keepAlive: 1_200 })
      const caller = yield* calling(port)
      yield* caller.write([send("abc")])
      yield* until(() => caller.answers().length === 1)
      yield* caller.write([send("def").slice(0, -1)])
      yield* Effect.sleep("1500 millis")
      yield* caller.write(["f", last])
      yield* caller.closed
      assert.deepStrictEqual(caller.answers(), ["take: abc", "take: def", "node: GET /last "])
    }))

  it.live("what came behind a send that is given back is not lost", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const { offered, port } = yield* serving({ hold: (body) => body === "abc" ? Deferred.await(go) : Effect.void })
      const caller = yield* calling(port)
      yield* caller.write([send("abc", "Idempotency-Key: given back\r\n")])
      yield* until(() => offered.length === 1)
      yield* caller.write([send("def"), last])
      yield* turns
      yield* Deferred.succeed(go, undefined)
      yield* caller.closed
      assert.deepStrictEqual(caller.answers(), ["node: POST /send abc", "take: def", "node: GET /last "])
    }))

  it.live("an idle connection is closed when its time is over, and not before", () =>
    Effect.gen(function*() {
      const { port } = yield* serving({ keepAlive: 300 })
      const caller = yield* calling(port)
      const began = performance.now()
      yield* caller.write([send("a")])
      yield* caller.closed
      assert.deepStrictEqual(caller.answers(), ["take: a"])
      assert.isAtLeast(performance.now() - began, 300)
    }))

  it.live("a caller who sends on and does not read for a while gets each answer, in its turn", () =>
    Effect.gen(function*() {
      const { offered, port } = yield* serving()
      const caller = yield* calling(port)
      const bodies = Array.from({ length: 200 }, (_, n) => String(n).padEnd(60_000, "x"))
      caller.socket.pause()
      caller.socket.write(bodies.map((body) => send(body)).join("") + last)
      yield* until(() => offered.length > 40)
      yield* turns
      assert.isBelow(offered.length, bodies.length)
      caller.socket.resume()
      yield* caller.closed
      assert.deepStrictEqual([caller.answers().length, offered.length], [201, 200])
      assert.isTrue(caller.answers().every((answer, n) => answer === `take: ${bodies[n]}` || n === 200))
    }))

  it.live("what comes behind the last send of a connection is not taken, whoever ends the connection", () =>
    Effect.gen(function*() {
      const both = `${send("a", "Connection: close\r\n")}${send("b")}`
      for (const ends of ["server", "caller", "answer"]) {
        const { measured, offered, port } = yield* serving({ stops: () => ends === "server" })
        const caller = yield* calling(port)
        if (ends === "caller") caller.socket.end(both)
        else caller.socket.write(both)
        yield* caller.closed
        assert.deepStrictEqual([offered, measured], [["a"], ["POST 202"]], ends)
        assert.deepStrictEqual(caller.answers(), ["take: a"], ends)
      }
    }))

  it.live("a send that is given back when nobody else answers any more is answered, and its connection ends", () =>
    Effect.gen(function*() {
      const { measured, port, server } = yield* serving()
      server.removeAllListeners("request")
      const caller = yield* calling(port)
      yield* caller.write([send("a", "Idempotency-Key: given back\r\n")])
      yield* caller.closed
      assert.match(caller.text(), /^HTTP\/1\.1 503 .*\r\nConnection: close\r\n/s)
      const left = yield* calling(port)
      yield* left.write([send("b", "Idempotency-Key: left\r\n")])
      yield* left.closed
      assert.strictEqual(left.text(), "")
      assert.deepStrictEqual(measured, ["POST 503", "POST undefined"])
    }))

  it.live("when the server closes: what is under way is answered and is the last; idle connections end", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const { close, offered, port } = yield* serving({
        hold: (body) => body === "busy" ? Deferred.await(go) : Effect.void
      })
      const [busy, part, rested, silent] = yield* Effect.all([1, 2, 3, 4].map(() => calling(port)))
      if (busy === undefined || part === undefined || rested === undefined || silent === undefined) return
      yield* rested.write([send("rested")])
      yield* busy.write([send("busy"), send("after")])
      yield* part.write([send("part").slice(0, -1)])
      yield* until(() => rested.answers().length === 1 && offered.includes("busy"))
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* rested.closed
      yield* part.write(["t"])
      yield* part.closed
      yield* Deferred.succeed(go, undefined)
      yield* busy.closed
      yield* silent.closed
      yield* closing.pipe((fiber) =>
        Effect.promise(() => new Promise<void>((resolve) => fiber.addObserver(() => resolve())))
      )
      assert.deepStrictEqual([busy, part, rested, silent].map((caller) => caller.answers()), [
        ["take: busy"],
        ["take: part"],
        ["take: rested"],
        []
      ])
      for (const { text } of [busy, part]) assert.match(text(), /\r\nconnection: close\r\n/i)
      assert.sameMembers(offered, ["rested", "busy", "part"])
    }))
})
