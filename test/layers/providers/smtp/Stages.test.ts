import type { Kind } from "#schemas/DeliveryError.ts"
import * as Ports from "#test/support/Ports.ts"
import { type Act, type Cue, type Stage, stages, start } from "#test/support/ScriptedSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { delivery, vendor } from "./Deliveries.ts"

type Column = "4xx" | "5xx" | "421" | "close" | "hang" | "drip"
const columns: ReadonlyArray<Column> = ["4xx", "5xx", "421", "close", "hang", "drip"]

const permanent: Readonly<Record<Stage, readonly [reply: string, kind: Kind]>> = {
  greeting: ["554 5.3.2 no service", "Misconfigured"],
  ehlo: ["550 5.7.1 who are you", "Misconfigured"],
  starttls: ["502 5.5.1 not implemented", "Misconfigured"],
  auth: ["535 5.7.8 wrong password", "Misconfigured"],
  mail: ["550 5.1.8 sender unknown", "Misconfigured"],
  rcpt: ["550 5.1.1 <bob@rcpt.test>: no such user", "RecipientRejected"],
  data: ["554 5.6.0 no", "ContentRejected"],
  final: ["554 5.7.1 spam", "ContentRejected"]
}

const actOf = (stage: Stage, column: Column): Act => {
  switch (column) {
    case "4xx":
      return { reply: "451 4.3.0 later" }
    case "5xx":
      return { reply: permanent[stage][0] }
    case "421":
      return { reply: "421 4.3.2 closing" }
    default:
      return column
  }
}

const expected = (stage: Stage, column: Column): Kind => {
  if (column === "5xx") return permanent[stage][1]
  if (column === "4xx" || column === "421") return "Unavailable"
  return stage === "final" ? "Unknown" : "Unavailable"
}

/** Whether the server says nothing, or nothing whole, and only the deadline ends that. */
const isSilent = (column: Column): boolean => column === "hang" || column === "drip"

/** In ms of virtual time. */
const deadline = 10_000

const extensionsOf = (stage: Stage): ReadonlyArray<string> => {
  if (stage === "starttls") return ["STARTTLS"]
  return stage === "auth" ? ["AUTH PLAIN LOGIN"] : []
}

/** What a server does at a stage, and when it has come there. */
const cued = (at: Stage, act: Act) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const when = () => {
    resolve()
    return true
  }
  const cue: Cue = { at, act, when }
  return { asked: Effect.promise(() => promise), cue }
}

const cell = (stage: Stage, column: Column, pipelining: boolean) =>
  Effect.gen(function*() {
    const { asked, cue } = cued(stage, actOf(stage, column))
    const server = yield* start({
      cues: [cue],
      extensions: [...extensionsOf(stage), ...pipelining ? ["PIPELINING"] : []]
    })
    const provider = yield* vendor(server.port, {
      send_timeout: deadline,
      answer_timeout: deadline,
      ...(stage === "auth" ? { username: "us", password: "secret" } : {})
    })
    const sending = yield* Effect.forkChild(Effect.result(provider.send(delivery())))
    yield* asked
    const before = yield* Clock.currentTimeMillis
    while (isSilent(column) && sending.pollUnsafe() === undefined) {
      yield* TestClock.adjust(100)
      yield* Effect.promise(() => setImmediate())
    }
    const result = yield* Fiber.join(sending)
    const name = `${stage} × ${column}`
    if (Result.isSuccess(result)) return assert.fail(`${name}: accepted`)
    const error = result.failure
    assert.strictEqual(error._tag, expected(stage, column), `${name}: ${error.detail}`)
    assert.include(error.detail, `At ${stage}`, name)
    assert.notInclude(error.detail, "@", name)
    assert.strictEqual(
      error._tag === "Unknown",
      stage === "final" && server.bodyBytes() > 0 && !/\d/.test(column),
      name
    )
    if (stage !== "final") assert.strictEqual(server.bodyBytes(), 0, name)
    if (error._tag === "RecipientRejected") assert.isTrue(error.invalidates, name)
    // The clock went on a little before the last wait began.
    assert.isBelow((yield* Clock.currentTimeMillis) - before, 3 * deadline, name)
    assert.strictEqual(server.messages.length, 0, name)
  }).pipe(Effect.scoped)

describe("SMTP", () => {
  for (const stage of stages) {
    it.effect(`P2: at ${stage}, each of ${columns.join(", ")} has its one outcome, within the deadline`, () =>
      Effect.forEach(columns, (column) => cell(stage, column, false)))
  }

  it.effect("P2: the same where the server takes the whole envelope at once", () =>
    Effect.forEach(
      (["mail", "rcpt", "data", "final"] as const).flatMap((stage) =>
        columns.map((column) => [stage, column] as const)
      ),
      ([stage, column]) => cell(stage, column, true)
    ))

  it.effect("a server that takes the connection and never lets us in is given up after 15 s, proved not sent", () =>
    Effect.gen(function*() {
      for (const at of ["greeting", "ehlo", "starttls", "auth"] as const) {
        const { asked, cue } = cued(at, "hang")
        const server = yield* start({ cues: [cue], extensions: extensionsOf(at) })
        const provider = yield* vendor(server.port, at === "auth" ? { username: "us", password: "secret" } : {})
        const sending = yield* Effect.forkChild(Effect.flip(provider.send(delivery())))
        yield* asked
        yield* TestClock.adjust("15 seconds")
        const error = yield* Fiber.join(sending)
        assert.strictEqual(error._tag, "Unavailable")
        assert.include(error.detail, "deadline")
        assert.strictEqual(error.detail.includes("sent no greeting"), at === "greeting")
        yield* server.drained
      }
    }))

  it.effect("a message has 60 s until its last byte is sent, and then its answer has 10 minutes", () =>
    Effect.gen(function*() {
      for (const [at, limit, outcome] of [["mail", 60_000, "Unavailable"], ["final", 600_000, "Unknown"]] as const) {
        const { asked, cue } = cued(at, "hang")
        const server = yield* start({ cues: [cue] })
        const provider = yield* vendor(server.port)
        const sending = yield* Effect.forkChild(Effect.flip(provider.send(delivery())))
        yield* asked
        // The server has it all by now, and our own end hears within a few turns that it is sent.
        for (let turn = 0; turn < 50; turn++) yield* Effect.promise(() => setImmediate())
        yield* TestClock.adjust(limit - 1)
        assert.isUndefined(sending.pollUnsafe(), at)
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* Fiber.join(sending))._tag, outcome)
      }
    }))

  it.live("a message begun and cut off is unknown, and nothing else is", () =>
    Effect.gen(function*() {
      const server = yield* start({ resetInBody: true })
      const provider = yield* vendor(server.port)
      const error = yield* Effect.flip(provider.send(delivery({ text: "z".repeat(200_000) })))
      assert.strictEqual(error._tag, "Unknown")
    }))

  it.live("nobody listening is proved not sent", () =>
    Effect.gen(function*() {
      const port = yield* Effect.promise(() => Ports.free())
      const error = yield* Effect.flip(Effect.flatMap(vendor(port), (provider) => provider.send(delivery())))
      assert.strictEqual(error._tag, "Unavailable")
      assert.include(error.detail, "ECONNREFUSED")
    }))

  it.live("a refusal in the middle of a message is a refusal, and its connection is not used again", () =>
    Effect.gen(function*() {
      const server = yield* start({ cues: [{ at: "data", act: { reply: "354 go on\r\n552 5.3.4 too big" } }] })
      const provider = yield* vendor(server.port)
      const error = yield* Effect.flip(provider.send(delivery()))
      assert.strictEqual(error._tag, "ContentRejected")
      yield* server.drained
    }))

  it.live("an acceptance that comes before the message was given is no proof of anything", () =>
    Effect.gen(function*() {
      const server = yield* start({ cues: [{ at: "data", act: { reply: "354 go on\r\n250 2.0.0 sure" } }] })
      const provider = yield* vendor(server.port)
      // More than the buffers of both ends hold.
      const error = yield* Effect.flip(provider.send(delivery({ text: `${"z".repeat(70)}\n`.repeat(150_000) })))
      assert.strictEqual(error._tag, "Unknown")
      yield* server.drained
    }))

  it.live("a server that agrees to DATA without asking for the message is given none of it", () =>
    Effect.gen(function*() {
      // As one does whose replies are a line behind: it agrees to whatever comes next as well.
      const agrees = { reply: "250 2.0.0 ok" }
      for (const extensions of [[], ["PIPELINING"]]) {
        const server = yield* start({ cues: [{ at: "data", act: agrees }], extensions })
        const provider = yield* vendor(server.port)
        const error = yield* Effect.flip(provider.send(delivery()))
        assert.strictEqual(error._tag, "Unavailable")
        assert.include(error.detail, "At data")
        yield* server.drained
        assert.strictEqual(server.commands.at(-1), "DATA")
      }
    }))

  it.live("an interrupted send leaves no connection behind", () =>
    Effect.gen(function*() {
      for (const at of stages) {
        const { asked, cue } = cued(at, "hang")
        const server = yield* start({ cues: [cue], extensions: extensionsOf(at) })
        const provider = yield* vendor(server.port, at === "auth" ? { username: "us", password: "secret" } : {})
        const sending = yield* Effect.forkChild(provider.send(delivery()))
        yield* asked
        yield* Fiber.interrupt(sending)
        yield* server.drained
        assert.strictEqual(server.connections(), 1, at)
      }
    }))
})
