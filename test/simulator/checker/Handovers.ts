import type { Call } from "#layers/testing/History.ts"
import { type Facts, type Row, wasDisturbed } from "./Facts.ts"
import * as Ways from "./Ways.ts"

/** A call may start so long after its intent's commit, in ms (P2). */
const freshness = 2_000

const attemptOf = (row: Row | undefined, { attempt }: Call) => row?.attempts.find(({ number }) => number === attempt)

/** The engine was not told what became of the call, or could not write it down. What a receipt proves later does not undo that. */
const isExcused = (facts: Facts, call: Call): boolean =>
  call.heard === "lost" ||
  (wasDisturbed(facts, call) &&
    (call.heard === undefined ||
      facts.commitsOf(call.messageId).some(({ attempt, result }) =>
        attempt?.number === call.attempt && attempt.state === "unknown" && result === "Written"
      )))

/** P4: an intent of this very node before each call, no older than it may be, and a fitting outcome after it. */
export const intentFirst = (facts: Facts): ReadonlyArray<string> =>
  facts.history.calls.flatMap((call) => {
    const intents = facts.commitsOf(call.messageId).filter(({ at, attempt, node, result }) =>
      attempt?.number === call.attempt && attempt.state === "intent" && node === call.node && result === "Written" &&
      at <= call.calledAt
    )
    const age = call.calledAt - (intents.at(-1)?.at ?? -Infinity)
    const stored = attemptOf(facts.rows.get(call.messageId), call)
    const wanted = call.heard === "accepted" ? "accepted" : call.heard === "refused" ? "rejected" : "unknown"
    const proved = facts.history.reports.some((report) => report.messageId === call.messageId)
    const fits = stored?.provider === call.provider && stored.channel === call.channel &&
      (stored.state === wanted || proved || isExcused(facts, call) && stored.state === "unknown")
    return [
      ...(age <= freshness ? [] : [`P2: call ${call.number} of ${call.messageId}, ${age} ms after its intent`]),
      ...(fits
        ? []
        : [`P4: call ${call.number} of ${call.messageId} was ${call.heard}, and is stored as ${stored?.state}`])
    ]
  })

/** How many copies a channel was asked for: one, unless its routing names it several times, or each of its providers. */
const askedFor = (row: Row | undefined, channel: string): number => {
  const way = row === undefined ? undefined : Ways.of(row)
  if (row === undefined || way === undefined) return 1
  return Math.max(1, Ways.most(way, channel, Ways.askedOf(row).timeout?.criteria !== undefined))
}

/** How many copies a channel may be given: those that were asked for; a bounce asks anew. */
const mostOf = ({ history, rows }: Facts, call: Call | undefined): number => {
  if (call === undefined) return 1
  const bounces = history.reports.filter(({ event, messageId }) =>
    messageId === call.messageId && event === "SoftBounce"
  )
  return askedFor(rows.get(call.messageId), call.channel) + bounces.length
}

/** When an intent was written for the call. */
const intendedAt = (facts: Facts, call: Call): number =>
  facts.commitsOf(call.messageId).find(({ attempt, result }) =>
    attempt?.number === call.attempt && result === "Written"
  )
    ?.at ?? 0

/** When a receipt was stored that tells that the call was taken: nobody is in doubt of it any more (P4). */
const provedAt = (facts: Facts, call: Call): number => {
  const told = facts.history.reports.filter((report) => report.call === call.number && report.event !== "SoftBounce")
  const proofs = facts.commitsOf(call.messageId).filter(({ at, event, kind }) =>
    kind === "observe" && told.some((report) => event === report.event && at >= report.at)
  )
  return proofs[0]?.at ?? Infinity
}

/**
 * The call was proved before the intent of the next one, which another provider was asked for besides (api.md 26.3, `all`): the next one is no
 * copy of it.
 */
const isProved = (facts: Facts, call: Call, next: Call): boolean =>
  call.provider !== next.provider && askedFor(facts.rows.get(call.messageId), call.channel) > 1 &&
  provedAt(facts, call) <= intendedAt(facts, next)

/** I3: what a recipient is known to have is not sent once more, unless it bounced. */
export const noKnownCopies = (facts: Facts): ReadonlyArray<string> =>
  facts.history.calls.flatMap((call) => {
    if (askedFor(facts.rows.get(call.messageId), call.channel) > 1) return []
    const known = facts.callsOf(call.messageId).find((other) =>
      other.channel === call.channel && provedAt(facts, other) < intendedAt(facts, call) &&
      !facts.history.reports.some(({ call: of, event }) => of === other.number && event === "SoftBounce")
    )
    return known === undefined
      ? []
      : [`I3: call ${call.number} of ${call.messageId} is a copy of call ${known.number}, for which a receipt had come`]
  })

/** I3: a recipient has a second copy only where nobody could know of the first, and the copy is marked. */
export const boundedCopies = (facts: Facts): ReadonlyArray<string> => {
  const groups = Map.groupBy(facts.history.calls, ({ channel, messageId }) => `${messageId} ${channel}`)
  const copies = [...groups].flatMap(([name, calls]) => {
    const taken = calls.filter((call) => call.taken).length
    const excused = calls.filter((call) => isExcused(facts, call)).length
    const most = mostOf(facts, calls[0])
    const twice = calls.length - new Set(calls.map(({ attempt }) => attempt)).size
    return [
      ...(taken <= most + excused
        ? []
        : [`I3: ${name} was handed over ${taken} times; ${most} were asked for, and ${excused} are excused`]),
      ...(twice === 0 ? [] : [`I3: ${name} has an attempt with two calls`])
    ]
  })
  const unmarked = facts.history.calls.flatMap((call) => {
    const row = facts.rows.get(call.messageId)
    const before = facts.callsOf(call.messageId).filter((other) =>
      other.attempt < call.attempt && other.channel === call.channel &&
      (other.heard === "lost" || other.heard === undefined) &&
      other.calledAt < call.calledAt &&
      // A bounce tells that the first one is none.
      !facts.history.reports.some(({ at, call: of, event }) =>
        event === "SoftBounce" && of === other.number && at <= call.calledAt
      ) &&
      !isProved(facts, other, call)
    )
    const line = row?.history.flatMap(({ events }) => events).find(({ attempt, type }) =>
      type === "DELIVERING" && attempt === call.attempt
    )
    return before.length === 0 || line?.possibleDuplicate === true
      ? []
      : [`I3: attempt ${call.attempt} of ${call.messageId} may be a copy, and is not marked`]
  })
  return [...copies, ...unmarked]
}

/** I3: one token for all calls of a message, channel and provider, and for those alone. */
export const tokens = ({ history }: Facts): ReadonlyArray<string> => {
  const name = ({ channel, messageId, provider }: Call) => `${messageId} ${channel} ${provider}`
  const unsteady = [...Map.groupBy(history.calls, name)].filter(([, calls]) =>
    new Set(calls.map(({ token }) => token)).size > 1
  )
  const shared = [...Map.groupBy(history.calls, ({ scope, token }) => `${scope} ${token}`)].filter(([, calls]) =>
    new Set(calls.map(name)).size > 1
  )
  return [
    ...unsteady.map(([which]) => `I3: ${which} has several tokens`),
    ...shared.map(([token]) => `I3: the token ${token} is of several messages`)
  ]
}

/** I9: what is of one environment goes out with its credentials. */
export const ownEnvironment = ({ history, rows }: Facts): ReadonlyArray<string> =>
  history.calls.flatMap(({ messageId, number, scope }) =>
    rows.get(messageId)?.scope === scope ? [] : [`I9: call ${number} used the credentials of environment ${scope}`]
  )

/** I12: nobody is written to who should not be: a cancel that was confirmed is the end. */
export const notUnwanted = ({ callsOf, history }: Facts): ReadonlyArray<string> =>
  history.cancellations.flatMap(({ confirmedAt, messageId }) =>
    confirmedAt === undefined
      ? []
      : callsOf(messageId).filter(({ calledAt }) => calledAt > confirmedAt).map(({ number }) =>
        `I12: call ${number} of ${messageId} after its cancel was confirmed`
      )
  )
