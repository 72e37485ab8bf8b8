import { maxBodyBytes } from "#layers/http/body/BodyGuard.ts"
import { BodyRoom, type Claim, make, type Room } from "#layers/http/body/BodyRoom.ts"
import { BeforeAnswer, chunked, exchange, head, post, serve } from "#test/layers/http/body/Wire.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { connect } from "node:net"

const kB = 1024
const json = { "Content-Type": "application/json" }
const stringOf = (bytes: number) => `"${"a".repeat(bytes - 2)}"`

/** A server with room for 1 MB; `asked` ends when a body holds so many bytes of it. */
const serveIn1MB = (bytes: number) =>
  Effect.gen(function*() {
    const asked = yield* Deferred.make<void>()
    const room = make({ bytes: 1024 * kB, patience: 5_000 })
    const watched: Room = (clock, giveWay) => {
      const claim = room(clock, giveWay)
      const hold = (wanted: number) => {
        const held = claim.hold(wanted)
        if (held && wanted >= bytes) Deferred.doneUnsafe(asked, Effect.void)
        return held
      }
      return { ...claim, hold }
    }
    const server = yield* Effect.provideService(serve, BodyRoom, watched)
    return { ...server, asked: Deferred.await(asked) }
  })

/** Sends all but the end of a body of so many bytes; `finish` sends the end. */
const slow = Effect.fnUntraced(function*(port: number, bytes: number) {
  const answer = yield* Deferred.make<string>()
  const body = stringOf(bytes)
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect(port, "127.0.0.1")),
    (socket) => Effect.sync(() => socket.destroy())
  )
  let received = ""
  socket.setEncoding("utf8").on("error", () => undefined).on("data", (text) => received += text)
  socket.on("close", () => Deferred.doneUnsafe(answer, Effect.sync(() => received)))
  socket.write(head("/send", { ...json, "Content-Length": bytes }) + body.slice(0, -1))
  return {
    answer: Deferred.await(answer),
    finish: Effect.sync(() => socket.write(body.slice(-1))),
    leave: Effect.sync(() => socket.destroy())
  }
})

const Steps = Schema.Array(Schema.Union([
  Schema.Struct({
    claim: Schema.Literals([0, 1, 2]),
    more: Schema.Int.check(Schema.isBetween({ minimum: 20, maximum: 60 }))
  }),
  Schema.Struct({ claim: Schema.Literals([0, 1, 2]), ends: Schema.Literals(["complete", "release"]) }),
  Schema.Struct({ millis: Schema.Literals([3, 6, 9]) })
])).check(Schema.isMinLength(15), Schema.isMaxLength(40))

describe("the room for bodies", () => {
  it.effect.prop(
    "all bodies together never hold more than there is, and who has left holds nothing, however often he leaves",
    {
      steps: Steps
    },
    ({ steps }) =>
      Effect.gen(function*() {
        const room = make({ bytes: 100, patience: 5 })
        const clock = yield* Clock.Clock
        const claims: Array<{ readonly claim: Claim; held: number } | undefined> = []
        const left: Array<Claim> = []
        const opened = (n: number) => {
          const known = claims[n]
          if (known !== undefined) return known
          const leave = () => {
            left.push(body.claim)
            claims[n] = undefined
          }
          const body = { claim: room(clock, leave), held: 0 }
          return claims[n] = body
        }
        for (const step of steps) {
          if ("millis" in step) yield* TestClock.adjust(step.millis)
          else if ("ends" in step) {
            const { claim } = opened(step.claim)
            claim[step.ends]()
            if (step.ends === "release") {
              left.push(claim)
              claims[step.claim] = undefined
            }
          } else {
            const body = opened(step.claim)
            if (body.claim.hold(body.held + step.more)) body.held += step.more
          }
          // The end of a request releases what its body held, also if that was cut off before.
          for (const claim of left) claim.release()
          assert.isAtMost(claims.reduce((sum, body) => sum + (body?.held ?? 0), 0), 100)
        }
        for (const body of claims) body?.claim.release()
        assert.isTrue(room(clock, () => undefined).hold(100))
        assert.isFalse(room(clock, () => undefined).hold(1))
      })
  )

  it.effect("there is room for 21 of the longest bodies, and who would be the next cuts off none that has been coming for 5 s", () =>
    Effect.gen(function*() {
      const room = yield* BodyRoom
      const clock = yield* Clock.Clock
      let cut = 0
      const claims = Array.from({ length: 22 }, () => room(clock, () => void cut++))
      const isLetIn = (claim: Claim) => claim.hold(maxBodyBytes)
      assert.deepStrictEqual(claims.map(isLetIn), claims.map((_, index) => index < 21))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([claims.slice(-1).map(isLetIn), cut], [[false], 0])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual([claims.slice(-1).map(isLetIn), cut], [[true], 1])
      for (const claim of claims) claim.release()
    }))

  it.effect("a body that finds none is 503 with Retry-After; a short one is served; the room comes back with the answer", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* serveIn1MB(700 * kB)
      const first = yield* slow(port, 700 * kB)
      yield* asked
      const refused = yield* post(port, "/send", stringOf(600 * kB))
      assert.strictEqual(refused.status, 503)
      assert.match(refused.headers, /\r\nretry-after: \d+/)
      assert.include(refused.headers, "connection: close")
      assert.deepStrictEqual(Object.keys(JSON.parse(refused.body)), ["message", "type"])
      const inPieces = [
        head("/send", { ...json, "Transfer-Encoding": "chunked" }),
        ...chunked(stringOf(30 * kB), 1_000)
      ]
      assert.strictEqual((yield* exchange(port, inPieces)).status, 200)
      yield* first.finish
      assert.match(yield* first.answer, /^HTTP\/1.1 200 /)
      assert.strictEqual((yield* post(port, "/send", stringOf(1024 * kB))).status, 200)
      assert.strictEqual((yield* post(port, "/send", stringOf(1024 * kB))).status, 200)
    }))

  it.effect("who has been sending for more than 5 s gives way to who comes", () =>
    Effect.gen(function*() {
      const { asked, port } = yield* serveIn1MB(700 * kB)
      const first = yield* slow(port, 700 * kB)
      yield* asked
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* post(port, "/send", stringOf(600 * kB))).status, 503)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* post(port, "/send", stringOf(600 * kB))).status, 200)
      assert.match(yield* first.answer, /^HTTP\/1.1 503 /)
    }))

  it.effect("a body that has come whole keeps its room until it is answered, however long that takes", () =>
    Effect.gen(function*() {
      const [come, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const answering = Effect.andThen(Deferred.succeed(come, undefined), Deferred.await(go))
      const { port } = yield* Effect.provideService(serveIn1MB(Infinity), BeforeAnswer, answering)
      const whole = yield* Effect.forkChild(post(port, "/send", stringOf(700 * kB)))
      yield* Deferred.await(come)
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* post(port, "/send", stringOf(600 * kB))).status, 503)
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* Fiber.join(whole)).status, 200)
    }))

  it.effect("the room of a sender that leaves comes back", () =>
    Effect.gen(function*() {
      const { asked, port, sockets } = yield* serveIn1MB(700 * kB)
      const first = yield* slow(port, 700 * kB)
      yield* asked
      const gone = yield* Deferred.make<void>()
      sockets[0]?.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
      yield* first.leave
      yield* Deferred.await(gone)
      assert.strictEqual((yield* post(port, "/send", stringOf(1024 * kB))).status, 200)
    }))
})
