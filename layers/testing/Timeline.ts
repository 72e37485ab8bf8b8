import type { Call, Commit, History, Incident, Try } from "#layers/testing/History.ts"
import type { Telling } from "#layers/testing/Telling.ts"

interface Line {
  readonly at: number
  readonly text: string
}

const keyed = (key: string | undefined): string => key === undefined ? "" : ` with key ${key}`

const triesOf = (what: string, tries: ReadonlyArray<Try>): ReadonlyArray<Line> =>
  tries.map(({ at, body = "", node, status }) => ({
    at,
    text: `${what} to node ${node}: ${status === undefined ? "no answer" : `${status} ${body}`}`
  }))

const ofCall = (
  { address = "nobody", attempt, calledAt, folded, heard, messageId, number, provider, taken }: Call
) => ({
  at: calledAt,
  text: `${provider} is called by attempt ${attempt} of ${messageId}, for ${address} (call ${number}): ${
    taken ? folded ? "takes it, folded into an earlier call" : "takes it" : "does not take it"
  }${heard === undefined ? ", and nobody hears its answer" : heard === "lost" ? ", and its answer is lost" : ""}`
})

const ofTelling = ({ body, calledAt, heard, listener, taken }: Telling): Line => ({
  at: calledAt,
  text: `${listener} is told ${body}: ${taken ? "takes it" : "does not take it"}${
    heard === undefined ? ", and nobody hears its answer" : heard === "lost" ? ", and its answer is lost" : ""
  }`
})

const ofCommit = ({ after, at, before, dueAt, messageId, wall }: Commit): Line => {
  const waits = dueAt !== undefined && dueAt > wall ? ` waits for ${dueAt - wall} ms` : ""
  const becomes = after === before ? "" : ` is ${after}${waits === "" ? "" : ", and"}`
  return { at, text: `${messageId}${becomes}${waits}` }
}

/** A fault in words, without its time. */
export const faultOf = ({ by, kind, node }: Incident): string =>
  `${kind}${node === undefined ? "" : ` of ${node}`}${by === undefined ? "" : ` by ${by} ms`}`

const ofIncident = (incident: Incident): Line => {
  const { at, until } = incident
  return { at, text: `${faultOf(incident)}${until > at ? `, for ${until - at} ms` : ""}` }
}

/**
 * What happened in a world, a line each, in the order of time (ms since the world began): calls of the API, changes,
 * faults, calls of providers and their receipts, and what became of the messages.
 */
export const timeline = (history: History): ReadonlyArray<string> => {
  const lines: ReadonlyArray<Line> = [
    ...history.requests.flatMap(({ key, message, tries }) =>
      triesOf(`POST /send to ${JSON.stringify(message.to)}${keyed(key)}`, tries)
    ),
    ...history.resends.flatMap(({ key, messageId, tries }) => triesOf(`resend of ${messageId}${keyed(key)}`, tries)),
    ...history.bulkJobs.flatMap(({ key, tries: { add, create, run }, users }) => {
      const job = `a bulk job of ${users.length}${keyed(key)}`
      return [
        ...triesOf(`POST /bulk for ${job}`, create),
        ...triesOf(`users of ${job} are added`, add),
        ...triesOf(`${job} is run`, run)
      ]
    }),
    ...history.cancellations.map(({ at, confirmedAt, messageId }) => ({
      at,
      text: `cancel of ${messageId}: ${confirmedAt === undefined ? "not confirmed" : "confirmed"}`
    })),
    ...history.changes.map(({ at, change }) => ({ at, text: `change ${JSON.stringify(change)}` })),
    ...history.reports.map(({ at, call, event }) => ({ at, text: `receipt for call ${call}: ${event}` })),
    ...history.incidents.filter(({ kind }) => kind !== "move").map(ofIncident),
    ...history.calls.map(ofCall),
    ...history.tellings.map(ofTelling),
    ...history.commits.filter(({ after, before, dueAt, result, wall }) =>
      result === "Written" && after !== undefined && (after !== before || (dueAt ?? 0) > wall)
    ).map(ofCommit)
  ]
  return lines.toSorted((a, b) => a.at - b.at).map(({ at, text }) => `${String(at).padStart(9)} ms  ${text}`)
}
