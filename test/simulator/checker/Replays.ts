import type { Facts } from "./Facts.ts"

const quarantined = "Quarantined"

/** So many deaths before something is set aside (design.md §3). */
const tries = 5

/** I24: what was set aside had killed its node again and again. */
export const forGoodReason = ({ commitsOf, history }: Facts): ReadonlyArray<string> => {
  const deaths = (before: number): number =>
    history.incidents.filter(({ at, kind }) => at < before && ["crash", "freeze", "rob"].includes(kind)).length
  const messages = history.messages.flatMap(({ error, id }) =>
    error?.startsWith(quarantined) === true ? [{ id: id as string, at: commitsOf(id).at(-1)?.at ?? 0 }] : []
  )
  const requests = history.changes.flatMap(({ at, change }) =>
    change._tag === "Resume" ? [{ id: change.requestId, at }] : []
  )
  return [...messages, ...requests].flatMap(({ at, id }) =>
    deaths(at) >= tries ? [] : [`I24: ${id} was set aside after ${deaths(at)} deaths`]
  )
}

/** I24: what kills its node at each of its calls is set aside. The first death is not counted: it was not open before. */
export const notForEver = ({ callsOf, history }: Facts): ReadonlyArray<string> => {
  const crashes = history.incidents.filter(({ kind }) => kind === "crash")
  return history.messages.flatMap(({ id }) => {
    const killed = callsOf(id).map(({ calledAt, heard, node }) =>
      heard === undefined && crashes.some((crash) => crash.node === node && crash.at >= calledAt)
    )
    const inRow = killed.reduce((deaths, isKilled) => isKilled ? deaths + 1 : deaths > tries + 1 ? deaths : 0, 0)
    return inRow > tries + 1 ? [`I24: ${id} killed its node ${inRow} times, and was not set aside`] : []
  })
}

/** I24: what was set aside and is sent again is sent, and a request that goes on is made to its end. */
export const nothingLost = ({ history, rows }: Facts): ReadonlyArray<string> => [
  ...history.resends.flatMap(({ messageId, resentId }) => {
    if (resentId === undefined || rows.get(messageId)?.error?.startsWith(quarantined) !== true) return []
    const row = rows.get(resentId)
    return row?.error?.startsWith(quarantined) === true
      ? [`I24: ${messageId} was set aside, and so was ${resentId}, which it was sent again as`]
      : row === undefined
      ? [`I24: ${messageId} was set aside, and ${resentId} is not there`]
      : []
  }),
  ...history.changes.flatMap(({ change, scope }) => {
    if (change._tag !== "Resume") return []
    const request = history.stored.request(change.requestId, { environment: Number(scope) === 1 ? 1 : 2 })
    return request?.state === "COMPLETED"
      ? []
      : [`I24: the request ${change.requestId} went on, and is ${request?.state}`]
  })
]
