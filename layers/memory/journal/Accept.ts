import { refusal } from "#layers/memory/journal/Columns.ts"
import { putExpansion } from "#layers/memory/journal/Expand.ts"
import * as Keys from "#layers/memory/Keys.ts"
import { row, withProfiles } from "#layers/memory/journal/Rows.ts"
import { findMessage, putMessage, type State } from "#layers/memory/State.ts"
import * as Told from "#layers/memory/webhooks/Told.ts"
import type { Acceptance, NewMessage, RowRefused } from "#src/delivery/Journal.ts"

const messageColumns = (message: NewMessage) => [
  message.recipientKey,
  message.event,
  message.template,
  message.recipientName,
  message.tenantId,
  message.listId,
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

/** Stores what is not there yet: an acceptance that is repeated finds its rows and changes nothing. */
export const store = (state: State, { at, expansion, key, messages, profiles, response }: Acceptance): State => {
  let next = key === undefined ? state : Keys.put(state, key, response)
  for (const { attempts: _, recovered: _recovered, tries: _tries, ...message } of messages) {
    if (findMessage(next, message.scope, message.id) !== undefined) continue
    const seq = next.seq + 1
    next = Told.message(putMessage({ ...next, seq }, row(message, seq, at)), undefined, message, message.enqueuedAt, at)
  }
  if (expansion !== undefined) next = putExpansion(next, expansion, at)
  return withProfiles(next, profiles, at)
}
