import type { Facts, Row } from "./Facts.ts"
import * as LeftAlone from "./LeftAlone.ts"
import { jumped } from "./Times.ts"
import * as Ways from "./Ways.ts"

/** Every node owns what it is to own by then, in ms. */
const begun = 10_000

/** What a fault leaves behind is over after this, in ms: locks that expire, drains, pauses after a fence, messages that run alone. */
const aftermath = 45_000

/**
 * What is due has its first word in the store within this, in ms. A turn asks the store some ten times, and one in a hundred ways there or
 * back takes up to three seconds: five of these in one turn would be one in millions.
 */
const prompt = 12_000

/** The last sign of life of its recipient's other messages before this, in ms: they go one by one. */
const lastOfOthers = (facts: Facts, { id, recipientKey, scope }: Row, before: number): number => {
  const others = facts.history.messages.filter((row) =>
    row.id !== id && row.recipientKey === recipientKey && row.scope === scope
  )
  const signs = others.flatMap((row) => [
    ...facts.commitsOf(row.id).map(({ at }) => at),
    ...facts.callsOf(row.id).map(({ calledAt, heardAt }) => heardAt ?? calledAt)
  ])
  return Math.max(0, ...signs.filter((at) => at < before))
}

/** When the provider of a message's next attempt last had another's call before this, in ms: some take few at a time. */
const lastOfProvider = ({ history }: Facts, row: Row, number: number | undefined, before: number): number => {
  const next = row.attempts.find((attempt) => attempt.number === number)
  const others = history.calls.filter(({ calledAt, messageId, provider, scope }) =>
    provider === next?.provider && scope === row.scope && messageId !== row.id && calledAt < before
  )
  return Math.max(0, ...others.map(({ heardAt }) => Math.min(before, heardAt ?? before)))
}

/** I21: where nothing went wrong, what is due is begun at once, and what became of a call, or the next page of a list, is written at once. */
export const punctual = (facts: Facts): ReadonlyArray<string> =>
  [...new Set(facts.history.commits.map(({ messageId }) => messageId))].flatMap((id) => {
    const row = facts.rows.get(id)
    const commits = facts.commitsOf(id)
    return commits.flatMap((commit, n) => {
      const next = commits[n + 1]
      if (next === undefined || commit.dueAt === undefined || next.kind === "observe" || next.result !== "Written")
        return []
      if (next.at - commit.at <= prompt || jumped(facts, commit.at, next.at)) return []
      const calls = facts.callsOf(id).filter(({ calledAt, heardAt }) =>
        calledAt <= next.at && (heardAt ?? next.at) >= commit.at
      )
      const from = Math.max(
        begun,
        commit.at + Math.max(0, commit.dueAt - commit.wall),
        ...calls.map(({ heardAt }) => heardAt ?? next.at),
        row === undefined ? 0 : lastOfOthers(facts, row, next.at),
        row === undefined ? 0 : lastOfProvider(facts, row, next.attempt?.number, next.at)
      )
      const late = next.at - from
      return late <= prompt || facts.incidentsOf(undefined, from - aftermath, next.at).length > 0
        ? []
        : [`I21: ${id} was due at ${from}, with nothing in its way, and had to wait ${late} ms`]
    })
  })

const minute = 60_000

/** The wait before the next call of a provider after so many, in ms (api.md 26.5). */
const schedule = (calls: number): number => Math.min(5_000 * 2 ** (calls - 1), 15 * minute)

/** A one-time password of which nobody knows waits so long for its receipt, in ms. */
const hold = 15 * minute

/** Until when at the latest anything asks the message to wait after this word of an attempt, in epoch ms. */
const latest = (facts: Facts, row: Row, at: number, made: Row["attempts"]): number => {
  const { timeout } = Ways.askedOf(row)
  const tries = [...Map.groupBy(made, ({ channel, provider }) => `${channel} ${provider}`).values()]
  const asked = facts.callsOf(row.id).filter(({ heardAt }) => heardAt !== undefined && heardAt <= at)
  // Not from when it was written: the clock may have been set back since.
  const ended = Math.max(...made.map(({ endedAt, startedAt }) => endedAt ?? startedAt))
  return ended + Math.max(
    ...tries.map(({ length }) => schedule(length)),
    ...asked.map(({ retryAfter }) => retryAfter ?? 0),
    timeout?.criteria === undefined ? 0 : Math.max(1_001, timeout.escalation ?? 0),
    row.instructions.includes("\"otp\"") ? hold : 0
  )
}

/** I22: a message waits no longer than something asks it to: its delay, the schedule of tries, a provider, an escalation. */
export const noLonger = (facts: Facts): ReadonlyArray<string> => {
  // A receipt may tell of another end of a call than its node does.
  const reported = new Set(facts.history.reports.map(({ messageId }) => messageId))
  return facts.history.messages.filter(({ id }) => !reported.has(id)).flatMap((row) =>
    facts.commitsOf(row.id).flatMap(({ at, attempt, dueAt, kind, result, scope, wall }) => {
      const isOutcome = kind === "step" && attempt !== undefined && attempt.state !== "intent"
      if (dueAt === undefined || dueAt <= wall || result !== "Written") return []
      if (!isOutcome || LeftAlone.mayBe(facts, scope, at)) return []
      const late = dueAt - latest(facts, row, at, row.attempts.filter(({ number }) => number <= attempt.number))
      return late <= 0
        ? []
        : [`I22: ${row.id} waits ${late} ms longer after attempt ${attempt.number} than anything asks`]
    })
  )
}

/** I22: and a delay is over when it says, at the next full minute. */
export const noLongerDelayed = (facts: Facts): ReadonlyArray<string> =>
  facts.history.messages.flatMap((row) => {
    const { delay } = Ways.askedOf(row)
    const made = facts.commitsOf(row.id)[0]
    const most = Math.ceil((delay?.duration ?? 0) / minute) * minute
    if (made?.dueAt === undefined || delay?.until !== undefined) return []
    // A page is made some time after its request, from which the delay counts.
    return made.dueAt - row.enqueuedAt <= most || (made.kind === "page" && jumped(facts, 0, made.at))
      ? []
      : [`I22: ${row.id} was delayed by ${most} ms, and is due ${made.dueAt - row.enqueuedAt} ms after it was enqueued`]
  })
