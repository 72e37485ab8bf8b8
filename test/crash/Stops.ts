import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Ledger from "#test/support/Ledger.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Drain from "./Drain.ts"
import * as OpenLoop from "./OpenLoop.ts"
import * as Outcome from "./Outcome.ts"

/** CRASH_STOPS=20 is the full size (reliability.md U3). */
const stops = Number(process.env["CRASH_STOPS"] ?? "2")
const longestStop = 25_000

const stopping = async (server: CrashProcess.CrashProcess) => {
  const began = performance.now()
  server.signal("SIGTERM")
  const { code, output, signal } = await server.ended
  return { code, signal, output, millis: performance.now() - began }
}

const underLoad = async (place: Places.Place) => {
  const callers = Array.from({ length: 4 }, () => Caller.make(place.port))
  const ends: Array<Awaited<ReturnType<typeof stopping>>> = []
  let server = CrashProcess.start(place)
  await server.ready()
  const answering = OpenLoop.run(callers, {
    perSecond: 200,
    allowed: () => Infinity,
    isOver: () => ends.length >= stops
  })
  while (ends.length < stops) {
    await sleep(300 + Math.random() * 1_000)
    ends.push(await stopping(server))
    server = CrashProcess.start(place)
    await server.ready()
  }
  const answers = await answering
  await Drain.untilClosed(callers[0], 60_000)
  await stopping(server)
  for (const caller of callers) caller.close()
  return { answers, ends }
}

/** A server whose provider was called and does not answer. */
const hanging = async (place: Places.Place) => {
  const server = CrashProcess.start(place)
  await server.ready()
  const caller = Caller.make(place.port)
  await caller.insist("/send", "hang", Caller.toEmail("hang"))
  caller.close()
  while (Ledger.read(place.ledger).length === 0) await sleep(10)
  return server
}

/** U3: SIGTERM at random instants. */
export const suite = (storage: Places.Storage) =>
  describe(`stops: ${storage}`, () => {
    it.live(`P1, P4: ${stops} SIGTERMs under load exit 0 within 25 s, lose nothing and leave no outcome unknown`, () =>
      Effect.gen(function*() {
        const place = yield* Places.make(storage)
        const { answers, ends } = yield* Effect.promise(() =>
          underLoad(place)
        )
        const outcome = yield* Outcome.read(place)
        const slowest = Math.max(...ends.map(({ millis }) => millis))
        console.log(`${storage}: ${answers.length} accepted, ${ends.length} stops, slowest ${Math.round(slowest)} ms`)
        assert.deepStrictEqual(ends.filter(({ code }) => code !== 0), [])
        for (const { output } of ends) assert.match(output, /"stopping: [^]+"stopped"/)
        assert.isBelow(slowest, longestStop)
        assert.deepStrictEqual(Outcome.faults(outcome, answers.map(OpenLoop.requestIdOf)).slice(0, 10), [])
        assert.strictEqual(outcome.messages.reduce((sum, { id }) => sum + Outcome.unknownOf(outcome, id), 0), 0)
        assert.strictEqual(Outcome.duplicates(outcome), 0)
      }), 300_000)

    const kinds = storage === "Postgres" ? ["0", "1"] : ["0"]
    it.live.each(kinds)("P4: a stop begins no call any more, however slow the provider is; workers: %s", (workers) =>
      Effect.gen(function*() {
        const place = yield* Places.make(storage)
        const end = yield* Effect.promise(async () => {
          const server = CrashProcess.start(place, { TIDINGS_WORKERS: workers })
          await server.ready()
          const caller = Caller.make(place.port)
          await Promise.all(Array.from({ length: 60 }, (_, n) =>
            caller.insist("/send", `slow-${n}`, Caller.toEmail(`slow-${n % 20}`))))
          caller.close()
          while (Ledger.read(place.ledger).length < 20)
            await sleep(10)
          return stopping(server)
        })
        assert.deepStrictEqual([end.code, end.signal], [0, null])
        const { attempts } = yield* Outcome.read(place)
        assert.strictEqual(Ledger.read(place.ledger).length, 20)
        assert.deepStrictEqual(
          [...attempts.values()].flat().map(({ state }) =>
            state
          ),
          Array(20).fill("accepted")
        )
        // One call's time, and what a stop takes besides.
        assert.isBelow(end.millis, 3_000 + longestStop / 4)
      }), 120_000)

    it.live("a second SIGTERM ends the process at once", () =>
      Effect.gen(function*() {
        const place = yield* Places.make(storage)
        const end = yield* Effect.promise(async () => {
          const server = await hanging(place)
          server.signal("SIGTERM")
          await sleep(1_000)
          return await stopping(server)
        })
        // The first one waits for the provider, up to 15 s.
        assert.isBelow(end.millis, longestStop / 2)
        assert.deepStrictEqual([end.code, end.signal], [1, null])
        assert.include(end.output, "stopping: ")
        assert.notInclude(end.output, "\"stopped\"")
        const { attempts } = yield* Outcome.read(place)
        assert.deepStrictEqual(
          [...attempts.values()].flat().map(({ state }) =>
            state
          ),
          ["intent"]
        )
      }), 180_000)

    if (storage === "Postgres") {
      it.live("a provider that does not answer delays the stop at most 25 s, and the exit is 0", () =>
        Effect.gen(function*() {
          const place = yield* Places.make(storage)
          const end = yield* Effect.promise(async () =>
            stopping(await hanging(place))
          )
          assert.isBelow(end.millis, longestStop)
          assert.deepStrictEqual([end.code, end.signal], [0, null])
        }), 60_000)
    }
  })
