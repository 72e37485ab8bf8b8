import { assert } from "@effect/vitest"
import { Effect } from "effect"
import process from "node:process"

/**
 * Fails where an effect takes so many ms of the processor's own time: what else the machine does is no part of it.
 * Measured again while it is in doubt, since time that a virtual machine is robbed of counts as the processor's. Answers
 * what the effect did last.
 */
export const assertQuick = Effect.fnUntraced(function*<A, E, R>(most: number, effect: Effect.Effect<A, E, R>) {
  let least = Infinity
  for (let round = 1;; round++) {
    const before = process.cpuUsage()
    const answer = yield* effect
    const { system, user } = process.cpuUsage(before)
    least = Math.min(least, (system + user) / 1_000)
    if (least < most) return answer
    if (round === 3) return assert.fail(`it took ${least} ms`)
  }
})
