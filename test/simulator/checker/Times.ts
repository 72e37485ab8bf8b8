import type { Commit } from "#layers/testing/History.ts"
import { type Facts, personOf, type Row } from "./Facts.ts"

/** The first word of a message's first attempt. */
const firstAttempt = (commits: ReadonlyArray<Commit>): Commit | undefined =>
  commits.find(({ attempt, result }) => attempt?.number === 1 && result === "Written")

interface Placed {
  readonly row: Row
  readonly accepted: Commit
  readonly attempt: Commit
  readonly sentAt: number
  readonly answeredAt: number
}

/** Messages whose place in the order counts: due at once, tried, and answered in the ordinary way. */
const placed = (facts: Facts, row: Row): ReadonlyArray<Placed> => {
  const commits = facts.commitsOf(row.id)
  const accepted = commits.find(({ kind }) => kind === "accept")
  const attempt = firstAttempt(commits)
  const requests = facts.requestsOf(row.traceId).filter(({ requestId }) => requestId === row.requestId)
  if (accepted === undefined || attempt === undefined || requests.length !== 1 || accepted.dueAt !== 0) return []
  // Its caller was not told of the commit, or it had to wait for a provider that is left alone: it has stepped aside.
  if (accepted.lost || commits.some(({ at, dueAt }) => at <= attempt.at && (dueAt ?? 0) > 0)) return []
  const tries = requests.flatMap((request) => request.tries)
  const answer = tries.find(({ status }) => status === 202)
  return tries[0] === undefined || answer?.answeredAt === undefined
    ? []
    : [{ row, accepted, attempt, sentAt: tries[0].at, answeredAt: answer.answeredAt }]
}

/** I5: of two messages to one recipient, the one that was answered before the other was sent is tried first. */
export const inOrder = (facts: Facts): ReadonlyArray<string> => {
  const groups = Map.groupBy(
    facts.history.messages.flatMap((row) => placed(facts, row)),
    ({ row }) => `${personOf(row)} ${row.lane}`
  )
  return [...groups].flatMap(([who, messages]) =>
    messages.flatMap((a) =>
      messages.flatMap((b) => {
        if (a.answeredAt > b.sentAt || a.attempt.at <= b.attempt.at) return []
        const elsewhere = a.accepted.node !== b.accepted.node
        const slow = elsewhere &&
          facts.incidentsOf(undefined, a.accepted.at, b.accepted.at).some(({ kind }) => kind === "freeze")
        return slow ? [] : [`I5: ${who}: ${a.row.traceId} was to be tried before ${b.row.traceId}`]
      })
    )
  )
}

export const jumped = ({ history }: Facts, from: number, to: number) =>
  history.incidents.some(({ at, kind }) => kind === "jump" && at >= from - 5_000 && at <= to)

/** No attempt before its due time, and none sooner than its provider asked. */
export const notEarly = (facts: Facts): ReadonlyArray<string> => {
  const early = facts.history.messages.flatMap(({ id }) => {
    // What was learnt of a call brings the next one forward, whatever it means for the status.
    const commits = facts.commitsOf(id).filter(({ kind, result }) => result === "Written" || kind === "observe")
    return commits.flatMap((commit, n) => {
      const before = commits[n - 1]
      const due = before?.dueAt ?? 0
      const isNew = commit.attempt?.state === "intent" && before?.attempt?.number !== commit.attempt.number
      const since = commits.find(({ dueAt }) => dueAt === due) ?? commit
      return before === undefined || !isNew || commit.wall >= due || jumped(facts, since.at, commit.at)
        ? []
        : [`due: attempt ${commit.attempt?.number} of ${id} began ${due - commit.wall} ms early`]
    })
  })
  const hasty = facts.history.calls.flatMap((call) => {
    const next = facts.callsOf(call.messageId).find(({ calledAt, channel, provider }) =>
      calledAt > call.calledAt && channel === call.channel && provider === call.provider
    )
    const { heardAt, retryAfter } = call
    if (next === undefined || retryAfter === undefined || heardAt === undefined) return []
    const wait = next.calledAt - heardAt
    const stored = facts.rows.get(call.messageId)?.attempts.find(({ number }) => number === call.attempt)
    return wait >= retryAfter || stored?.state !== "rejected" || jumped(facts, call.calledAt, next.calledAt)
      ? []
      : [`due: ${call.messageId} was tried again after ${wait} ms; ${call.provider} had asked for ${retryAfter}`]
  })
  const forgotten = facts.history.messages.flatMap((row) => {
    const commits = facts.commitsOf(row.id)
    const [first, accepted] = [firstAttempt(commits), commits.find(({ kind }) => kind === "accept")]
    const asked = facts.requestsOf(row.traceId).find(({ requestId }) => requestId === row.requestId)
    const duration = asked?.message.delay?.duration ?? 0
    return first === undefined || accepted === undefined || first.wall - accepted.wall >= duration ||
        jumped(facts, accepted.at, first.at)
      ? []
      : [`due: ${row.id} was to wait ${duration} ms, and began after ${first.wall - accepted.wall}`]
  })
  return [...early, ...hasty, ...forgotten]
}

/**
 * What is due is taken up within this of the last sign of life of who took it up: the lock of a dead owner, its successor's first look, and
 * two of the slowest provider calls that may go before. In ms, and less than the sweep, so that a wake-up that was lost shows.
 */
const lease = 45_000
/** What no node was told of is found by the sweep. */
const sweep = 62_000

/**
 * I8: nothing rots: what is due and in nobody's hands is soon taken up. A node that is at work may have it in hand behind something else: a
 * recipient's messages go one by one, and what may have killed its owner runs alone.
 */
export const nothingRots = (facts: Facts): ReadonlyArray<string> => {
  const { history } = facts
  const busy = Map.groupBy([
    ...history.commits.map(({ at, node }) => ({ at, node })),
    ...history.calls.flatMap((
      { calledAt, heardAt, node }
    ) => [{ at: calledAt, node }, { at: heardAt ?? calledAt, node }])
  ], ({ node }) => node)
  const hindrances = history.incidents.filter(({ kind }) => kind !== "lostAnswer")
  const last = (times: ReadonlyArray<{ readonly at: number }>, before: number) =>
    times.reduce((latest, { at }) => at < before && at > latest ? at : latest, 0)
  const ids = new Set(history.commits.map(({ messageId }) => messageId))
  return [...ids].flatMap((id) => {
    const commits = facts.commitsOf(id)
    return commits.flatMap((commit, n) => {
      const next = commits[n + 1]
      if (next === undefined || commit.dueAt === undefined || next.kind === "observe") return []
      if (next.at - commit.at <= lease || jumped(facts, commit.at, next.at)) return []
      const from = Math.max(
        commit.at + Math.max(0, commit.dueAt - commit.wall),
        last(busy.get(next.node) ?? [], next.at),
        ...hindrances.filter(({ at }) => at <= next.at).map(({ until }) => Math.min(until, next.at))
      )
      const untold = facts.incidentsOf(undefined, commit.at - 5_000, next.at).some(({ kind }) => kind === "lostAnswer")
      const gap = next.at - from
      return gap <= (untold ? sweep : lease) ? [] : [`I8: ${id} was due and left alone for ${gap} ms`]
    })
  })
}
