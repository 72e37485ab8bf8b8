import type { Commit } from "#layers/testing/History.ts"
import type { Facts, Row } from "./Facts.ts"
import { jumped } from "./Times.ts"

/** A call to a provider, or an item for an inbox, as its first word in the store tells. Times in ms. */
export interface Act {
  readonly attempt: number
  readonly at: number
  /** The turn in which its message came to it did not begin before. */
  readonly turn: number
}

/** What was stored last before the turn began: the message itself, a wait, or the word of another owner. */
const endsTurn = (facts: Facts, commit: Commit, next: Commit, dueBefore: number | undefined): number | undefined => {
  if (commit.kind === "step" && commit.epoch === next.epoch && commit.dueAt === dueBefore) return undefined
  const wait = Math.max(0, (commit.dueAt ?? 0) - commit.wall)
  return wait === 0 || jumped(facts, commit.at, next.at) ? commit.at : commit.at + wait
}

/** Everything that a message was brought to. A turn asks once who wants what, over which providers, and then goes on for as long as its calls take. */
export const acts = (facts: Facts, { attempts, id }: Row): ReadonlyArray<Act> => {
  const found: Array<Act> = []
  const inboxes = new Set(attempts.filter(({ provider }) => provider === "inbox").map(({ number }) => number))
  let turn = 0
  let last: Commit | undefined
  let [due, dueBefore]: ReadonlyArray<number | undefined> = []
  for (const commit of facts.commitsOf(id)) {
    if (commit.result !== "Written") continue
    const { at, attempt, kind } = commit
    if (kind !== "observe") {
      turn = (last === undefined ? undefined : endsTurn(facts, last, commit, dueBefore)) ?? turn
      last = commit
      const isFirst = attempt !== undefined && found.every((act) => act.attempt !== attempt.number)
      if (isFirst && (attempt.state === "intent" || inboxes.has(attempt.number))) {
        found.push({ attempt: attempt.number, at, turn })
      }
      dueBefore = due
    }
    due = commit.dueAt
  }
  return found
}

/** From when on a message was there, and when it was over, in ms. */
export const life = (facts: Facts, { id }: Row): readonly [from: number, to: number] => {
  const commits = facts.commitsOf(id).filter(({ result }) => result === "Written")
  return [commits[0]?.at ?? 0, commits.findLast(({ kind }) => kind !== "observe")?.at ?? Infinity]
}
