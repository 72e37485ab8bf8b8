import type { Call } from "#layers/testing/History.ts"
import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { Effect } from "effect"
import type { Line, Question } from "./Report.ts"

/** Recipients of one request. */
const recipients = 100

const cues = {
  accepted: { _tag: "Accept", after: 50 },
  refused: { _tag: "Refuse", after: 50, kind: "RateLimited", retryAfter: null }
} as const

/** Takes so many calls in each second of the clock, from `after` (ms) on, and names no wait to the others. */
const limited = (allowed: number, after: number): Simulation.VendorOptions => {
  let second = -1
  let used = 0
  return {
    key: "mail",
    channel: "email",
    address: "email",
    answers: ({ calledAt }) => {
      const now = Math.floor(calledAt / 1_000)
      if (now !== second) used = 0
      second = now
      return calledAt >= after && used++ < allowed ? cues.accepted : cues.refused
    }
  }
}

const sending = (messages: number) => (world: Simulation.World) =>
  Effect.forEach(
    Array.from({ length: messages / recipients }, (_, request) => request),
    (request) =>
      world.send({
        to: Array.from({ length: recipients }, (_, n) => ({ email: `${request}-${n}@example.com` })),
        content: { title: "Hi", body: "Hello" }
      }),
    { concurrency: 4 }
  )

const answer = (allowed: number, nodes: number, messages: number, after = 0): ReadonlyArray<Line> => {
  const options = { nodes, vendors: [limited(allowed, after)], faults: Faults.none }
  const { calls } = Simulation.run(1, sending(messages), options)
  const taken = calls.filter((call) => call.taken)
  const at = (call: Call | undefined) => (call?.calledAt ?? 0) / 1_000
  const seconds = at(taken.at(-1)) - at(calls[0])
  if (taken.length !== messages) throw new Error(`${taken.length} of ${messages} messages were taken`)
  const what = `${messages} messages, ${nodes} node${nodes === 1 ? "" : "s"}, ${allowed} calls/s allowed`
  return [
    after === 0
      ? { question: "limits", what, value: messages / seconds, unit: "/s", note: "in virtual time" }
      : { question: "limits", what: `${what} after ${after / 1_000} s of none`, value: seconds, unit: "s" },
    { question: "limits", what: "calls refused beside them", value: calls.length - messages, unit: "" }
  ]
}

/** How much of what a provider allows is taken, and how many calls are refused, those under way at the first refusal included? */
export const limits: Question = async (quick) => {
  const least = quick ? 10 : 1
  return [
    ...answer(10, 1, 2_000 / least),
    ...answer(100, 1, 10_000 / least),
    ...answer(50, 3, 5_000 / least),
    ...answer(100, 1, 3_000 / least, 30_000)
  ]
}
