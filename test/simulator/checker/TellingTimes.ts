import type { Telling } from "#layers/testing/Simulation.ts"
import type { Facts } from "./Facts.ts"
import * as Tellings from "./Tellings.ts"

/** The calls of one event follow each other no sooner after a failure, in ms (layers/README.md, outbound webhooks). */
const soonest = 5_000

/** Every node is up by then, in ms. */
const begun = 10_000

/** What a node has in hand for a listener is told within this, and then what came meanwhile; what nobody announced is found within it too. In ms. */
const prompt = 75_000

/** What a fault leaves behind is over after this, in ms: claims that expire. */
const aftermath = 45_000

const isDisturbed = (facts: Facts, node: string | undefined, from: number, to: number): boolean =>
  facts.incidentsOf(node, from, to).some(({ kind }) => kind !== "move")

/** Whether the round of a call may not have ended as it should, or the next one may be another node's, which had claimed it before. */
const isTorn = (facts: Facts, before: Telling, call: Telling): boolean =>
  isDisturbed(facts, before.node, before.calledAt, call.calledAt) ||
  (before.node !== call.node && isDisturbed(facts, call.node, before.calledAt - aftermath, call.calledAt))

const mine = ({ history }: Facts): ReadonlyArray<ReadonlyArray<Telling>> => [
  ...Map.groupBy(history.tellings, ({ listener, scope }) => `${listener} ${scope}`).values()
]

/**
 * I32: where nothing goes wrong, what a listener has acknowledged is not told to it again, nor while a call is under way;
 * and what failed is told again after five seconds, or when the listener says.
 */
export const unhurried = (facts: Facts): ReadonlyArray<string> =>
  mine(facts).flatMap((all) =>
    [...Map.groupBy(all, ({ headers }) => headers["webhook-id"])].flatMap(([id, calls]) =>
      calls.flatMap((call, n) => {
        const before = calls[n - 1]
        if (before === undefined || isTorn(facts, before, call)) return []
        const { heard, heardAt = Infinity, listener, retryAfter = 0 } = before
        if (heard === "accepted") return [`I32: ${listener} was told ${id} again, which it had acknowledged`]
        const waited = call.calledAt - heardAt
        return waited >= Math.max(soonest, retryAfter)
          ? []
          : [`I32: ${listener} was told ${id} again ${waited} ms after it had ${heard} it`]
      })
    )
  )

/** I32: where nothing goes wrong, and its listener was well until then, what happens is told soon. */
export const punctual = (facts: Facts): ReadonlyArray<string> => {
  const updates = facts.history.tellings.length === 0 ? [] : Tellings.updatesOf(facts)
  return mine(facts).flatMap((all) => {
    const firstFailure = all.find(({ heard }) => heard !== "accepted")?.calledAt ?? Infinity
    return updates.flatMap((update) => {
      const name = Tellings.nameOfUpdate(update)
      const first = all.find((call) => Tellings.updateOf(call) === name)
      const from = Math.max(begun, update.at)
      if (first === undefined || first.calledAt > firstFailure || first.calledAt - from <= prompt) return []
      return isDisturbed(facts, undefined, from - aftermath, first.calledAt)
        ? []
        : [`I32: ${first.listener} was told of ${name} ${first.calledAt - from} ms after it happened`]
    })
  })
}
