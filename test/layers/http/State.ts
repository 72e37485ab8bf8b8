import type { MessageId } from "#schemas/MessageId.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { IdempotencyKey, StoredResponse } from "#src/access/Idempotency.ts"
import type { NewExpansion } from "#src/delivery/Expansion.ts"
import { MessageNotFound, type NewMessage } from "#src/delivery/Journal.ts"
import type { MessageQuery, MessageRecord } from "#src/reports/MessageLog.ts"
import { Effect, Latch } from "effect"

export interface Kept extends MessageRecord {
  readonly scope: Scope
  readonly message: NewMessage
}

/**
 * What the doubles hold and were asked. `down`: writes fail as if the database were away; `crash`: they are defects, and messages are
 * stored all the same; `lost`: so many of the next reads of a message fail. While `accepting` is closed, acceptances wait.
 */
export interface State {
  readonly keys: Map<string, { readonly key: IdempotencyKey; readonly response: StoredResponse }>
  readonly messages: Map<MessageId, Kept>
  readonly expansions: Map<MessageId, NewExpansion>
  readonly profiles: Map<string, Profile>
  readonly legacy: Map<string, RecipientPreferences>
  readonly queries: Array<MessageQuery>
  readonly archived: Array<string>
  inFlight: boolean
  observed: number
  crash: boolean
  down: boolean
  lost: number
  readonly accepting: Latch.Latch
}

export const makeState = (): State => ({
  keys: new Map(),
  messages: new Map(),
  expansions: new Map(),
  profiles: new Map(),
  legacy: new Map(),
  queries: [],
  archived: [],
  inFlight: false,
  observed: 0,
  crash: false,
  down: false,
  lost: 0,
  accepting: Latch.makeUnsafe(true)
})

/** A message as its environment finds it. */
export const find = (state: State) => (scope: Scope, id: MessageId): Effect.Effect<Kept, MessageNotFound> => {
  const found = state.messages.get(id)
  return found === undefined || found.scope !== scope
    ? Effect.fail(new MessageNotFound({ id }))
    : Effect.succeed(found)
}
