import type { Facts } from "./Facts.ts"

/** Which status may follow which (spec.md, States and transitions). */
const follows: Readonly<Record<string, ReadonlyArray<string>>> = {
  ENQUEUED: [
    "ROUTED",
    "SENT",
    "CANCELED",
    "FILTERED",
    "THROTTLED",
    "UNMAPPED",
    "UNROUTABLE",
    "UNDELIVERABLE",
    "DELAYED"
  ],
  DELAYED: [
    "ENQUEUED",
    "ROUTED",
    "SENT",
    "CANCELED",
    "FILTERED",
    "THROTTLED",
    "UNMAPPED",
    "UNROUTABLE",
    "UNDELIVERABLE"
  ],
  ROUTED: [
    "SENT",
    "DELIVERED",
    "OPENED",
    "CLICKED",
    "CANCELED",
    "FILTERED",
    "THROTTLED",
    "UNDELIVERABLE",
    "UNROUTABLE"
  ],
  SENT: ["DELIVERED", "OPENED", "CLICKED", "UNDELIVERABLE"],
  DELIVERED: ["OPENED", "CLICKED", "UNDELIVERABLE"],
  OPENED: ["CLICKED"]
}

const reached = new Set(["SENT", "DELIVERED", "OPENED", "CLICKED"])

/** I6: the status moves along the table only. */
export const legalEdges = ({ history }: Facts): ReadonlyArray<string> =>
  history.commits.flatMap(({ after, before, messageId }) =>
    before === undefined || after === undefined || before === after || follows[before]?.includes(after) === true
      ? []
      : [`I6: ${messageId} went from ${before} to ${after}`]
  )

/** I6: the status tells what recipients have, and the end is told once. */
export const noLies = (facts: Facts): ReadonlyArray<string> => {
  const inboxes = new Set(facts.history.inbox.map(({ messageId }) => messageId))
  return facts.history.messages.flatMap(({ attempts, history, id, status }) => {
    const calls = facts.callsOf(id)
    const has = inboxes.has(id) || calls.some(({ taken }) => taken)
    const bounced = facts.history.reports.some(({ event, messageId }) => messageId === id && event === "SoftBounce")
    // What a receipt proves after the end comes too late (A3).
    const settled = facts.commitsOf(id).some(({ attempt, kind, result }) =>
      kind === "step" && attempt?.state === "accepted" && result === "Written"
    )
    const lines = history.flatMap(({ events }) => events)
    const ends = lines.filter(({ type }) => type === status).length
    const told = ["UNROUTABLE", "UNMAPPED", "CANCELED", "FILTERED", "THROTTLED"].includes(status) ||
      (status === "UNDELIVERABLE" && !bounced)
    const sent = lines.filter(({ type }) => type === "SENT").length
    return [
      ...(reached.has(status) && !has ? [`I6: ${id} is ${status}, and nobody has it`] : []),
      ...(settled && !reached.has(status) && !bounced ? [`I6: ${id} was taken, and is ${status}`] : []),
      ...(told && ends !== 1 ? [`I6: ${id} is ${status}, and its timeline says so ${ends} times`] : []),
      ...(sent > attempts.filter(({ state }) => state === "accepted").length
        ? [`I6: ${id} was sent ${sent} times`]
        : [])
    ]
  })
}

/** I7: what an owner writes after it lost its shard changes nothing, and an outcome is written by who made the call. */
export const noStaleEffects = ({ history }: Facts): ReadonlyArray<string> =>
  history.commits.flatMap(({ epoch, messageId, newest, result }) =>
    epoch !== undefined && epoch !== newest && result === "Written"
      ? [`I7: ${messageId} was written in epoch ${epoch}; the newest was ${newest}`]
      : []
  )

/** A node that gives a shard up waits so long for its calls, in ms. What it writes later comes too late. */
const drainTime = 15_000

/**
 * I7: who was given a shard in order keeps it. Only after a node died, stopped, froze, was robbed or took too long to give a shard up may a write be
 * refused because another one took the shard.
 */
export const noNeedlessFence = ({ history }: Facts): ReadonlyArray<string> => {
  const first = history.incidents.reduce((earliest, { at, kind, until }) => {
    if (["crash", "freeze", "leave", "rob"].includes(kind)) return Math.min(earliest, at)
    return kind === "move" && until - at >= drainTime ? Math.min(earliest, at + drainTime) : earliest
  }, Infinity)
  return history.commits.flatMap(({ at, epoch, messageId, newest, node, result }) =>
    result === "Fenced" && at < first
      ? [`I7: ${node} was refused a write of ${messageId} in epoch ${epoch}; epoch ${newest} was taken for no reason`]
      : []
  )
}
