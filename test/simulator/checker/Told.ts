import type { Facts } from "./Facts.ts"

/** What a receipt makes of a message, in the order in which a status moves forward. */
const told = [["Deliver", "DELIVERED"], ["Open", "OPENED"], ["Click", "CLICKED"]] as const

const ranks: ReadonlyArray<string> = ["SENT", ...told.map(([, status]) => status)]

/** I28: a receipt that was acknowledged is in the timeline, as one of its call, and the status is not below it. */
export const kept = ({ history, rows }: Facts): ReadonlyArray<string> =>
  history.reports.flatMap(({ call, event, messageId, takenAt }) => {
    const [, type] = told.find(([name]) => name === event) ?? []
    const row = rows.get(messageId)
    if (takenAt === undefined || type === undefined || row === undefined) return []
    const attempt = history.calls.find(({ number }) => number === call)?.attempt
    const lines = row.history.flatMap(({ events }) => events)
    const isBelow = ranks.includes(row.status) && ranks.indexOf(row.status) < ranks.indexOf(type)
    return [
      ...(lines.some((line) => line.type === type && line.attempt === attempt)
        ? []
        : [`I28: of call ${call} of ${messageId} ${event} was told at ${takenAt}, and its timeline does not say so`]),
      ...(isBelow
        ? [`I28: of call ${call} of ${messageId} ${event} was told at ${takenAt}, and it is ${row.status}`]
        : [])
    ]
  })

/** I28: a status that only a receipt can tell of has one. */
export const notMadeUp = ({ history }: Facts): ReadonlyArray<string> =>
  history.messages.flatMap(({ id, status }) => {
    const [event] = told.find(([, of]) => of === status) ?? []
    return event === undefined || history.reports.some((one) => one.messageId === id && one.event === event)
      ? []
      : [`I28: ${id} is ${status}, and nobody told so`]
  })

/** I28: what was said to be cancelled is. */
export const cancelled = ({ history, rows }: Facts): ReadonlyArray<string> =>
  history.cancellations.flatMap(({ confirmedAt, messageId }) => {
    const status = rows.get(messageId)?.status
    return confirmedAt === undefined || status === "CANCELED"
      ? []
      : [`I28: ${messageId} was said to be cancelled at ${confirmedAt}, and is ${status}`]
  })
