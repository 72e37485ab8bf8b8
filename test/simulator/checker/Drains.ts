import type { Commit, Incident } from "#layers/testing/History.ts"
import type { Facts } from "./Facts.ts"

/** The steps of an owner in one epoch of one shard. */
const epochs = ({ history }: Facts): ReadonlyArray<ReadonlyArray<Commit>> => [
  ...Map.groupBy(
    history.commits.filter(({ kind }) => kind === "step"),
    ({ epoch, node, shard }) => `${node} ${shard} ${epoch}`
  ).values()
]

/** When an owner that had begun by then was told to give its shard up, in ms. One that is frozen hears of it later. */
const told = ({ history }: Facts, steps: ReadonlyArray<Commit>): number => {
  const [first] = steps
  if (first === undefined) return Infinity
  const isFrozen = ({ at }: Incident) =>
    history.incidents.some(({ at: from, kind, node, until }) =>
      kind === "freeze" && node === first.node && from <= at && at <= until
    )
  const ends = history.incidents.filter((incident) =>
    incident.node === first.node && incident.at > first.at && !isFrozen(incident) &&
    (incident.kind === "leave" || (incident.kind === "move" && incident.shard === first.shard))
  )
  return Math.min(...ends.map(({ at }) => at))
}

/**
 * I7: who gives a shard up ends what it has begun in it, and begins nothing more. A recipient's messages go one by one: what has its first word
 * after another one's was begun after that. Whose a message was that came to no row is not known.
 */
export const nothingBegun = (facts: Facts): ReadonlyArray<string> =>
  epochs(facts).flatMap((steps) => {
    const end = told(facts, steps)
    const ofRecipients = Map.groupBy(steps, ({ messageId, scope }) =>
      `${scope} ${facts.rows.get(messageId)?.recipientKey ?? messageId}`)
    return [...ofRecipients.values()].flatMap((own) => {
      const late = own.filter(({ at }) =>
        at > end
      )
      const begun = late.filter(({ at, messageId }) =>
        !own.some((other) => other.messageId === messageId && other.at < at) &&
        late.some((other) => other.messageId !== messageId && other.at < at)
      )
      return begun.map(({ at, messageId, node, shard }) =>
        `I7: ${node} began ${messageId} at ${at}; it was to give shard ${shard} up since ${end}`
      )
    })
  })
