import { Clock, Effect } from "effect"

/** For how long an answer holds, in monotonic ns: whose an address is, and where it leads, changes seldom. */
const lifetime = 3_600_000_000_000n

const most = 10_000

interface Known {
  readonly answer: string
  readonly until: bigint
}

/**
 * What look-ups before a call found, kept for an hour: vendors answer only so many of them a minute. Failures are not
 * kept. Of more than `most` answers, the oldest are forgotten.
 */
export const make = Effect.sync(() => {
  const known = new Map<string, Known>()
  return Effect.fnUntraced(function*<E>(question: string, ask: Effect.Effect<string, E>) {
    const now = yield* Clock.monotonicTimeNanos
    const found = known.get(question)
    if (found !== undefined && now < found.until) return found.answer
    const answer = yield* ask
    // A map keeps its order: the first is the oldest.
    known.delete(question)
    known.set(question, { answer, until: now + lifetime })
    for (const [oldest] of known) {
      if (known.size <= most) break
      known.delete(oldest)
    }
    return answer
  })
})
