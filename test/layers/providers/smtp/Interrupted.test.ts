import type { Attempt } from "#schemas/Attempt.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import { cert } from "#test/layers/outbound/TestCertificate.ts"
import { header, start } from "#test/support/CapturingSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { SMTPServerOptions } from "smtp-server"
import { setImmediate } from "node:timers/promises"
import { delivery, vendor } from "./Deliveries.ts"

/** Where a server keeps a message waiting: `secure` is the TLS handshake, `body` the reading of the message, `final` the answer to it. */
const stages = ["greeting", "secure", "auth", "mail", "rcpt", "body", "final"] as const
type Stage = (typeof stages)[number]

/** Where it may have the message by then. */
const isBegun = (stage: Stage) => stage === "body" || stage === "final"

const turn = Effect.promise(() => setImmediate())

const count = (subjects: ReadonlyArray<string | undefined>) =>
  Object.fromEntries([...Map.groupBy(subjects, String)].map(([subject, all]) => [subject, all.length]))

/** A server of another maker, which stops when it comes to a stage for the `nth` time, and goes on once it is let. */
const serve = Effect.fnUntraced(function*(at?: Stage, nth = 1, options: SMTPServerOptions = {}) {
  const [came, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const subjects: Array<string | undefined> = []
  let visits = 0
  const hold = (stage: Stage, then: () => void) => {
    if (stage !== at || ++visits !== nth) return then()
    came.resolve()
    void released.promise.then(then)
  }
  const { open, port } = yield* start({
    ...options,
    onConnect: (_, done) => hold("greeting", () => done()),
    onSecure: (_, __, done) => hold("secure", () => done()),
    onAuth: (_, __, done) => hold("auth", () => done(null, { user: "us" })),
    onMailFrom: (_, __, done) => hold("mail", () => done()),
    onRcptTo: (_, __, done) => hold("rcpt", () => done()),
    onData: (stream, _, done) =>
      hold("body", () => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          subjects.push(header(Buffer.concat(chunks).toString("latin1"), "Subject"))
          hold("final", () => done())
        })
      })
  })
  return { came: Effect.promise(() => came.promise), goOn: released.resolve, open, port, subjects }
})

const deadline = 10_000

const intent: Attempt = {
  number: 1,
  channel: "email",
  provider: "smtp",
  state: "intent",
  kind: null,
  startedAt: 0,
  endedAt: null,
  retryAfter: null,
  reference: null,
  error: null
}

/** Sends as the engine does, over one of the provider's slots. */
const sending = ({ send, slots }: Vendor) => (subject: string, text = "Hi") => {
  const sent = Effect.exit(send(delivery({ subject, token: subject, text })))
  const own = slots?.(undefined)
  return Effect.flatten(own === undefined ? sent : Slots.connect(own, sent, { handedOver: Effect.never, left: sent }))
}

/** What interrupts a message that waits for the server: whoever sends it, or its own deadline. */
const cell = (at: Stage, how: "from outside" | "by the deadline", isKept: boolean) =>
  Effect.gen(function*() {
    const name = `${at}, ${how}${isKept ? ", over a kept connection" : ""}`
    const server = yield* serve(at, isKept ? 2 : 1)
    const provider = yield* vendor(server.port, {
      ca: cert,
      require_tls: true,
      username: "us",
      password: "right",
      connections: 1,
      send_timeout: deadline,
      answer_timeout: deadline,
      greeting_timeout: deadline
    })
    const send = sending(provider)
    if (isKept) yield* send("before")
    // More than the buffers of both ends hold, where the server is not to have all of it.
    const text = at === "body" ? `${"z".repeat(70)}\n`.repeat(150_000) : "Hi"
    const fiber = yield* Effect.forkChild(send("held", text))
    yield* server.came
    if (how === "from outside") yield* Fiber.interrupt(fiber)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(100)
      yield* turn
    }
    const { kind, state } = Outcome.of(intent, yield* Fiber.await(fiber), 0)
    const isUnknown = how === "from outside" || isBegun(at)
    assert.deepStrictEqual([state, kind], isUnknown ? ["unknown", "Unknown"] : ["rejected", "Unavailable"], name)
    server.goOn()
    // No connection is left, without any time: nothing waits for a timer.
    for (let n = 0; n < 1_000 && server.open() > 0; n++) yield* turn
    assert.strictEqual(server.open(), 0, name)
    yield* send("after")
    assert.strictEqual(server.open(), 1, name)
    assert.deepStrictEqual(
      count(server.subjects),
      { ...(isKept ? { before: 1 } : {}), ...(at === "final" ? { held: 1 } : {}), after: 1 },
      name
    )
  }).pipe(Effect.scoped)

describe("P4: a send over SMTP that is interrupted", () => {
  for (const how of ["from outside", "by the deadline"] as const) {
    for (const at of stages) {
      it.effect(`${how} at ${at} leaves no connection, no slot taken and no second mail, and is unknown where it may have been taken`, () =>
        Effect.forEach(
          isBegun(at) || at === "mail" || at === "rcpt" ? [false, true] : [false],
          (isKept) => cell(at, how, isKept)
        ))
    }
  }

  it.live("at whatever turn of the event loop leaves no connection, no slot taken and no second mail", () =>
    Effect.gen(function*() {
      const server = yield* serve(undefined, 1, { disabledCommands: ["STARTTLS"] })
      const provider = yield* vendor(server.port, { ca: cert, connections: 1 })
      const send = sending(provider)
      let [finished, cut] = [0, 0]
      for (let turns = 0; finished < 3; turns++) {
        const fiber = yield* Effect.forkChild(send(`number ${turns}`))
        for (let n = 0; n < turns; n++) yield* turn
        yield* Fiber.interrupt(fiber)
        if ((yield* Fiber.await(fiber))._tag === "Success") finished++
        else cut++
        // What is interrupted next goes over a kept connection.
        if (turns % 2 === 0) yield* send(`between ${turns}`)
      }
      yield* send("after")
      const times = count(server.subjects)
      assert.deepStrictEqual(Object.values(times).filter((many) => many !== 1), [])
      assert.strictEqual(times["after"], 1)
      for (let n = 0; n < 1_000 && server.open() > 1; n++) yield* turn
      assert.strictEqual(server.open(), 1)
      assert.isAbove(cut, 4)
    }))
})
