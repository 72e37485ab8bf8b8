import { withEvents } from "#layers/memory/journal/Record.ts"
import {
  findMessage,
  type MessageRow,
  nameOf,
  putMessage,
  type State,
  type StoredAttempt
} from "#layers/memory/State.ts"
import * as Told from "#layers/memory/webhooks/Told.ts"
import { type Proof, weigh } from "#src/delivery/journal/Evidence.ts"
import type { Observation, Observed } from "#src/delivery/Journal.ts"
import type * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { HashMap } from "effect"

/** The times of a row's first events of each kind, after this event. */
const stamped = (row: MessageRow, event: Lifecycle.Event, at: number) => ({
  delivered: row.delivered ?? (event === "Deliver" ? at : undefined),
  opened: row.opened ?? (event === "Open" ? at : undefined),
  clicked: row.clicked ?? (event === "Click" ? at : undefined),
  canceledAt: row.canceledAt ?? (event === "Cancel" ? at : undefined)
})

const proved = (attempts: ReadonlyArray<StoredAttempt>, proof: Proof | undefined): ReadonlyArray<StoredAttempt> =>
  proof === undefined
    ? attempts
    : attempts.map((attempt) => attempt.number === proof.number ? { ...attempt, ...proof, state: "accepted" } : attempt)

/** The key of an event of a message: by its id if its provider gives it one, else by its time. */
const keyOf = ({ event, eventId, history }: Observed): string =>
  eventId === undefined ? `${history.ts}:${event}` : `${event}:${eventId}`

/** The state in which the message's in-app item counts as read. */
const withRead = (state: State, { id, recipientName, scope }: MessageRow, now: number): State => ({
  ...state,
  inbox: HashMap.modify(state.inbox, nameOf(scope, recipientName), (items) =>
    HashMap.modify(items, id, (item) => ({
      ...item,
      readAt: item.readAt ?? now,
      openedAt: item.openedAt ?? (item.readAt === undefined ? now : undefined)
    })))
})

/** What became of an event; `stirred`: the shard of a message whose turn it has brought forward. */
interface Seen {
  readonly observation: Observation
  readonly stirred: number | undefined
}

/** Applies an event that comes from outside of the owner's steps. `now`: epoch ms. `undefined`: no such message. */
export const observe = (state: State, observed: Observed, now: number): readonly [Seen | undefined, State] => {
  const { event, id, reason, scope } = observed
  const row = findMessage(state, scope, id)
  if (row === undefined) return [undefined, state]
  const key = keyOf(observed)
  const repeated = observed.eventId !== undefined && row.history.some((entry) => entry.key === key)
  const { dueAt, history, isReadElsewhere, observation, proof, sentAt } = weigh(
    {
      status: row.status,
      calls: row.attempts,
      repeated,
      dueAt: row.dueAt
    },
    observed,
    now
  )
  const seen = { observation, stirred: dueAt === undefined ? undefined : row.shard }
  if (history === undefined) return [seen, state]
  return [
    seen,
    Told.message(
      putMessage(isReadElsewhere ? withRead(state, row, now) : state, {
        ...row,
        ...stamped(row, event, history.ts),
        sent: row.sent ?? sentAt,
        status: observation.after,
        reason: observation.applied ? reason ?? row.reason : row.reason,
        error: observation.applied ? history.error ?? row.error : row.error,
        dueAt: event === "Cancel" ? undefined : dueAt ?? row.dueAt,
        attempts: proved(row.attempts, proof),
        history: withEvents(row.history, { key, events: [history] })
      }),
      row,
      { ...row, status: observation.after },
      history.ts,
      now
    )
  ]
}
