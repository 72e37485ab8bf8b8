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

/**
 * From when on what a page made may have been in its first turn, in ms. Who owns its shard begins it before the page is written (`FirstSteps.ts`),
 * and makes a page while the one before is being written, so not before the last but one was. Like any turn it goes by what it asked when it
 * began, however long its first word takes.
 */
const begun = (facts: Facts, made: Commit, next: Commit | undefined): number => {
  if (made.kind !== "page" || made.dueAt !== 0 || next?.node !== made.node || next.epoch !== made.newest) return made.at
  const steps = facts.commitsOf(facts.rows.get(made.messageId)?.requestId ?? "").filter(({ at, result }) =>
    result === "Written" && at <= made.at
  )
  const own = steps.filter(({ epoch }) => epoch === steps.at(-1)?.epoch)
  return own.slice(-3)[0]?.at ?? made.at
}

/** What was stored last before the turn began: the message itself, a wait, or the word of another owner. */
const endsTurn = (facts: Facts, commit: Commit, next: Commit, dueBefore: number | undefined): number | undefined => {
  if (commit.kind === "step" && commit.epoch === next.epoch && commit.dueAt === dueBefore) return undefined
  const wait = Math.max(0, (commit.dueAt ?? 0) - commit.wall)
  return wait === 0 || jumped(facts, commit.at, next.at) ? begun(facts, commit, next) : commit.at + wait
}

/** Everything that a message was brought to. A turn asks once who wants what, over which providers, and then goes on for as long as its calls take. */
export const acts = (facts: Facts, { attempts, id }: Row): ReadonlyArray<Act> => {
  const found: Array<Act> = []
  const inboxes = new Set(attempts.filter(({ provider }) => provider === "inbox").map(({ number }) => number))
  let turn = 0
  let last: Commit | undefined
  /** When a receipt made its owner look at it before the time that it waited for. */
  let stirred = Infinity
  let [due, dueBefore]: ReadonlyArray<number | undefined> = []
  for (const commit of facts.commitsOf(id)) {
    const { at, attempt, kind } = commit
    if (kind !== "observe" && commit.result !== "Written") continue
    if (kind === "observe") {
      if (commit.dueAt !== due) stirred = Math.min(stirred, at)
    } else {
      const ended = last && endsTurn(facts, last, commit, dueBefore)
      if (ended !== undefined) turn = Math.min(ended, stirred)
      last = commit
      stirred = Infinity
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

/** From when on a message was there or begun, and when it was over, in ms. */
export const life = (facts: Facts, { id }: Row): readonly [from: number, to: number] => {
  const [made, ...others] = facts.commitsOf(id).filter(({ kind, result }) => kind !== "observe" && result === "Written")
  return made === undefined ? [0, Infinity] : [begun(facts, made, others[0]), (others.at(-1) ?? made).at]
}
