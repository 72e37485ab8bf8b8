import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Drain from "./Drain.ts"
import * as Outcome from "./Outcome.ts"

/** How heavy the suite is: CRASH_MEMBERS=100000 CRASH_KILLS=10 is the full size. */
const members = Number(process.env["CRASH_MEMBERS"] ?? "2500")
const kills = Number(process.env["CRASH_KILLS"] ?? "2")

interface Progress {
  readonly state: string
  readonly messages: number
}

const progressOf = async (caller: Caller.Caller, id: string): Promise<Progress> => {
  const answer = await caller.call("GET", `/requests/${id}`)
  return answer?.status === 200 ? JSON.parse(answer.body) : { state: "RUNNING", messages: 0 }
}

const run = async (place: Places.Place) => {
  const caller = Caller.make(place.port)
  const provider = { CRASH_PROVIDER_MILLIS: "20" }
  let server = CrashProcess.start(place, provider)
  await server.ready()
  const to = Array.from({ length: members }, (_, n) => ({ email: `m${n}@example.com` }))
  const message = { to, content: { title: "Hello", body: "World" }, routing: { method: "single", channels: ["email"] } }
  const answer = await caller.insist("/send", "fanout", { message })
  assert.strictEqual(answer?.status, 202)
  const { requestId }: { readonly requestId: string } = JSON.parse(answer?.body ?? "{}")
  for (let killed = 0; killed < kills; killed++) {
    await sleep(Math.random() * 500)
    await server.kill()
    server = CrashProcess.start(place, provider)
    await server.ready()
  }
  let progress = await progressOf(caller, requestId)
  for (const began = performance.now(); progress.state === "RUNNING" && performance.now() - began < 120_000;) {
    await sleep(100)
    progress = await progressOf(caller, requestId)
  }
  await Drain.untilClosed(caller, 120_000)
  server.signal("SIGTERM")
  await server.ended
  caller.close()
  return progress
}

/** A6: kill -9 in the middle of a request to many. */
export const suite = (storage: Places.Storage) =>
  describe(`kill -9 in a fan-out: ${storage}`, () => {
    it.live(`A6: ${kills} kills while ${members} members become messages lose nobody and repeat nobody`, () =>
      Effect.gen(function*() {
        const place = yield* Places.make(storage)
        const progress = yield* Effect.promise(() =>
          run(place)
        )
        assert.deepStrictEqual([progress.state, progress.messages], ["COMPLETED", members])
        const outcome = yield* Outcome.read(place)
        assert.strictEqual(new Set(outcome.messages.map(({ recipient }) => recipient)).size, members, "everyone")
        assert.strictEqual(outcome.messages.length, members, "once")
        assert.deepStrictEqual(Outcome.faults(outcome, outcome.messages.map(({ id }) => id)).slice(0, 10), [])
      }), 600_000)
  })
