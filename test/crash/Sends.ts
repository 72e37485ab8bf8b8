import * as Caller from "#test/support/Caller.ts"
import type { Answer } from "#test/support/Exchange.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Drain from "./Drain.ts"
import * as OpenLoop from "./OpenLoop.ts"
import * as Outcome from "./Outcome.ts"

/** How heavy the suite is: CRASH_SENDS=5000 CRASH_KILLS=10 is the full size. */
const sends = Number(process.env["CRASH_SENDS"] ?? "300")
const kills = Number(process.env["CRASH_KILLS"] ?? "2")
const perSecond = 400
/** Sends of one life of the server, and the seconds in which they come. */
const share = Math.ceil(sends / (kills + 1))
const busy = share / perSecond
/** Provider calls long enough that a kill finds some in flight, in ms. */
const provider = { CRASH_PROVIDER_MILLIS: "150" }

const run = async (place: Places.Place) => {
  const callers = Array.from({ length: 4 }, () => Caller.make(place.port))
  let server = CrashProcess.start(place, provider)
  await server.ready()
  let killed = 0
  const answering = OpenLoop.run(callers, {
    perSecond,
    allowed: () => Math.min(sends, share * (killed + 1)),
    isOver: (made) => made >= sends
  })
  let slowest = 0
  for (; killed < kills; killed++) {
    await sleep(Math.random() * 1_000 * busy + 200)
    await server.kill()
    server = CrashProcess.start(place, provider)
    slowest = Math.max(slowest, await server.ready())
  }
  const answers = await answering
  await Drain.untilClosed(callers[0], 60_000)
  const replays = await Promise.all(
    answers.map((_, n) => callers[n % callers.length]?.insist("/send", OpenLoop.keyOf(n), OpenLoop.bodyOf(n)))
  )
  server.signal("SIGTERM")
  const end = await server.ended
  for (const caller of callers) caller.close()
  return { answers, replays, slowest, end }
}

/** What a replay must repeat byte for byte. */
const repeated = (answer: Answer | undefined) => [answer?.status, answer?.body, answer?.headers["content-type"]]

/** P1, P4, P5: kill -9 at random instants while sends come in. */
export const suite = (storage: Places.Storage) =>
  describe(`kill -9 under load: ${storage}`, () => {
    it.live(`P1, P4, P5: ${kills} kills while ${sends} sends come in lose and double nothing`, () =>
      Effect.gen(function*() {
        const place = yield* Places.make(storage)
        const { answers, end, replays, slowest } = yield* Effect.promise(() =>
          run(place)
        )
        assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [202])
        assert.deepStrictEqual([end.code, end.signal], [0, null])
        const accepted = answers.map(OpenLoop.requestIdOf)
        const outcome = yield* Outcome.read(place)
        const faults = Outcome.faults(outcome, accepted)
        const unknown = outcome.messages.reduce((sum, { id }) => sum + Outcome.unknownOf(outcome, id), 0)
        console.log(
          `${storage}: ${accepted.length} accepted, ${outcome.calls.size} handed over, ` +
            `${accepted.filter((id) => !outcome.calls.has(id)).length} lost, ${
              Outcome.duplicates(outcome)
            } duplicates, ` +
            `${unknown} unknown, slowest recovery ${Math.round(slowest)} ms, ${kills} kills`
        )
        assert.deepStrictEqual(faults.slice(0, 10), [])
        assert.strictEqual(new Set(accepted).size, sends, "one request per key")
        assert.strictEqual(outcome.messages.length, sends, "one message per key")
        assert.deepStrictEqual(replays.map(repeated), answers.map(repeated))
        assert.isTrue(replays.every((answer) => answer?.headers["idempotent-replayed"] === "true"))
      }), 600_000)
  })
