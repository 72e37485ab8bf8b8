import { refusal } from "#layers/memory/journal/Columns.ts"
import * as Keys from "#layers/memory/Keys.ts"
import { findMessage, type MessageRow, putMessage, type State, userName } from "#layers/memory/State.ts"
import type { Acceptance, NewMessage, RowRefused } from "#src/delivery/Journal.ts"
import { HashMap } from "effect"

const messageColumns = (message: NewMessage) => [
  message.recipientKey,
  message.event,
  message.template,
  message.recipientName,
  message.tenantId,
  message.traceId,
  ...message.tags
]

/** Why the database would refuse a row of this acceptance. */
export const refused = ({ key, messages, profiles, response }: Acceptance): RowRefused | undefined =>
  refusal([
    ...messages.flatMap(messageColumns),
    ...profiles.map((profile) => profile.userId),
    ...(key === undefined ? [] : [key.path, key.value, key.bodyHash, response.body])
  ])

const row = (message: NewMessage, seq: number, at: number): MessageRow => {
  const { attempts: _, events, recovered: _recovered, ...columns } = message
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

/** Stores what is not there yet: an acceptance that is repeated finds its rows and changes nothing. */
export const store = (state: State, { at, key, messages, profiles, response }: Acceptance): State => {
  let next = key === undefined ? state : Keys.put(state, key, response)
  for (const message of messages) {
    if (findMessage(next, message.scope, message.id) !== undefined) continue
    const seq = next.seq + 1
    next = putMessage({ ...next, seq }, row(message, seq, at))
  }
  for (const { profile, scope, userId } of profiles) {
    const name = userName(scope, userId)
    if (HashMap.has(next.profiles, name)) continue
    next = { ...next, profiles: HashMap.set(next.profiles, name, JSON.stringify(profile)) }
  }
  return next
}
