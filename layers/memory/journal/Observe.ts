import { withEvents } from "#layers/memory/journal/Record.ts"
import { findMessage, type MessageRow, putMessage, type State } from "#layers/memory/State.ts"
import type { Journal, Observation } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"

type Observed = Parameters<Journal["Service"]["observe"]>[0]

/** The times that an event is the first of its kind for. */
const stamped = (row: MessageRow, event: Lifecycle.Event, at: number) => ({
  delivered: row.delivered ?? (event === "Deliver" ? at : undefined),
  opened: row.opened ?? (event === "Open" ? at : undefined),
  clicked: row.clicked ?? (event === "Click" ? at : undefined),
  canceledAt: row.canceledAt ?? (event === "Cancel" ? at : undefined)
})

/**
 * The second door. A message in a provider's hands is not cancelled; a refused cancel leaves nothing, a late lower receipt its time and its
 * entry. `undefined`: there is no such message.
 */
export const observe = (
  state: State,
  { event, history, id, reason, scope }: Observed
): readonly [Observation | undefined, State] => {
  const row = findMessage(state, scope, id)
  if (row === undefined) return [undefined, state]
  const inFlight = row.attempts.some((attempt) => attempt.state === "intent")
  const applied = Lifecycle.allows(row.status, event) && !(event === "Cancel" && inFlight)
  const after = applied ? Lifecycle.next(row.status, event) : row.status
  const observation = { before: row.status, after, applied, inFlight }
  if (event === "Cancel" && !applied) return [observation, state]
  return [
    observation,
    putMessage(state, {
      ...row,
      ...stamped(row, event, history.ts),
      status: after,
      reason: applied ? reason ?? row.reason : row.reason,
      dueAt: event === "Cancel" ? undefined : row.dueAt,
      history: withEvents(row.history, { key: `${history.ts}:${event}`, events: [history] })
    })
  ]
}
