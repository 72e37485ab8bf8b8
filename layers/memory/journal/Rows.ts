import { type MessageRow, nameOf, type State, withProfile } from "#layers/memory/State.ts"
import type { Acceptance, NewMessage } from "#src/delivery/Journal.ts"
import { HashMap } from "effect"

/** The row of a new message. */
export const row = (
  message: Omit<NewMessage, "attempts" | "recovered" | "tries">,
  seq: number,
  at: number
): MessageRow => {
  const { events, ...columns } = message
  return {
    ...columns,
    seq,
    recipient: JSON.stringify(message.recipient),
    instructions: JSON.stringify(message.instructions),
    tries: 0,
    reason: undefined,
    error: undefined,
    archived: false,
    providers: [],
    sent: undefined,
    delivered: undefined,
    opened: undefined,
    clicked: undefined,
    canceledAt: undefined,
    attempts: [],
    history: events.length === 0 ? [] : [{ key: `${at}:accept`, events }]
  }
}

/** Stores the profiles of users who have none yet. */
export const withProfiles = (state: State, profiles: Acceptance["profiles"], at: number): State => {
  let next = state
  for (const { profile, scope, userId } of profiles) {
    const name = nameOf(scope, userId)
    if (!HashMap.has(next.profiles, name)) next = withProfile(next, name, profile, at)
  }
  return next
}
