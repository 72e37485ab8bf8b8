import type { Faults } from "#layers/testing/Faults.ts"
import type { Call, History } from "#layers/testing/History.ts"

/** What the worlds of a check had in all. Where it is nothing, a property may hold for the wrong reason. */
export interface Checked {
  readonly worlds: number
  /** The worlds that had a fault, other than a lost answer, before everything was over. */
  readonly disturbed: number
  /** Calls of POST /send and bulk jobs, and how many of them were accepted or run. */
  readonly sends: number
  readonly accepted: number
  readonly messages: number
  /** Calls of providers, and those of which the engine did not know whether they had been taken. */
  readonly calls: number
  readonly unknown: number
  /** What recipients got: by providers, and in their inboxes. */
  readonly deliveries: number
}

/** So few worlds say little of how often something happens. */
const few = 20

/** The calls whose outcome nobody heard, and those that an owner of their message had to take for such. */
const unknown = ({ calls, commits }: History): ReadonlyArray<Call> => {
  const doubted = new Set(
    commits.flatMap(({ attempt, messageId }) => attempt?.state === "unknown" ? [`${messageId} ${attempt.number}`] : [])
  )
  return calls.filter(({ attempt, heard, messageId }) =>
    heard === undefined || heard === "lost" || doubted.has(`${messageId} ${attempt}`)
  )
}

/**
 * Counts what the worlds of a check had. `vendors`: the keys of the providers that were asked for, which somebody may
 * have misspelt.
 */
export const make = (vendors: ReadonlyArray<string>) => {
  const idle = new Set(vendors)
  const count = { worlds: 0, disturbed: 0, sends: 0, accepted: 0, messages: 0, calls: 0, unknown: 0, deliveries: 0 }
  let wantsFaults = 0
  let refusing = 0
  let refusal: string | undefined
  let ending: string | undefined

  const add = (history: History, { atMost, kinds, only }: Faults) => {
    const { bulkJobs, calls, deliveries, inbox, incidents, messages, requests } = history
    const sent = [
      ...requests,
      ...bulkJobs.map(({ requestId, tries: { add, create, run } }) => ({
        requestId,
        tries: [...create, ...add, ...run]
      }))
    ]
    const answers = sent.flatMap(({ requestId, tries }) =>
      requestId === undefined ? tries.filter(({ status }) => status !== undefined).slice(-1) : []
    )
    const refused = answers.find(({ status }) => status === 400) ?? answers[0]
    const ended = messages[0]
    count.worlds++
    count.sends += sent.length
    count.accepted += sent.filter(({ requestId }) => requestId !== undefined).length
    count.messages += messages.length
    count.calls += calls.length
    for (const { provider } of calls) idle.delete(provider)
    count.unknown += unknown(history).length
    count.deliveries += deliveries.length + inbox.length
    if (incidents.some(({ kind }) => kind !== "move" && kind !== "lostAnswer")) count.disturbed++
    if (kinds.length > 0 && atMost > 0 && only === undefined) wantsFaults++
    if (refused?.status === 400) refusing++
    if (refused !== undefined) refusal ??= `${refused.status} ${refused.body}`
    if (ended !== undefined) ending ??= `${ended.status}, ${ended.error ?? ended.reason ?? "without an error"}`
  }

  /** Why the property may hold for the wrong reason, a sentence each. */
  const doubts = (): ReadonlyArray<string> => {
    const { accepted, calls, deliveries, disturbed, messages, sends, unknown, worlds } = count
    const isCalm = wantsFaults >= few && disturbed * 10 < worlds
    return [
      ...(sends === 0 && messages === 0
        ? ["its story sends nothing in any world: an effect that it neither yields nor gives does not run"]
        : []),
      ...(sends > 0 && accepted === 0
        ? [`no send was accepted in any world; the first was answered ${refusal ?? "nothing"}`]
        : []),
      ...(accepted > 0 && refusing === worlds
        ? [`a send was refused in every world; the first was answered ${refusal}`]
        : []),
      ...(messages > 0 && deliveries === 0
        ? [`nobody got anything in any world; the first message ended as ${ending}`]
        : []),
      ...(deliveries > 0 ? [...idle] : []).map((key) => `the provider ${key} was not called in any world`),
      ...(isCalm
        ? [
          `${disturbed} of ${worlds} worlds had a fault before everything in them was over: let the story last ` +
          "longer, such as by a delay of up to options.faults.within before it sends, or make that shorter"
        ]
        : []),
      ...(wantsFaults >= few && !isCalm && calls > 0 && unknown === 0
        ? [
          "no call of any world had an unknown outcome, which is when a provider may be called twice: let " +
          "options.faults.kinds have crash, freeze or rob, or let a provider's answers be lost"
        ]
        : [])
    ]
  }

  return { add, doubts, checked: (): Checked => ({ ...count }) }
}
