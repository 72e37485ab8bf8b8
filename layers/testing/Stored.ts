import * as MessageLog from "#layers/memory/MessageLog.ts"
import { findMessage, inboxOf, messagesOf, type State } from "#layers/memory/State.ts"
import { overridesOf } from "#layers/memory/UserPreferences.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { TopicSetting } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import type { InboxMessage } from "#src/reports/Inbox.ts"
import type { MessageRecord } from "#src/reports/MessageLog.ts"
import { Effect, Option, Schema } from "effect"

/** Where to look: `environment` is 1 (production, by default) or 2 (test). */
export interface Place {
  readonly environment?: 1 | 2
}

/**
 * Reads of what the store holds: in a story now, in a history at the end of the world. A read takes no time, and no
 * outage or lost answer affects it.
 */
export interface Stored {
  /** One message as GET /messages/:id shows it; `undefined` if there is none. */
  readonly message: (id: string, place?: Place) => MessageRecord | undefined
  /** All messages, in the order in which they were made. Their `requestId` and `userId` say whose they are. */
  readonly messages: (place?: Place) => ReadonlyArray<MessageRecord>
  /** The in-app messages of a user, oldest first, including expired ones. */
  readonly inbox: (userId: string, place?: Place) => ReadonlyArray<InboxMessage>
  /**
   * The topic preferences that a user set, by topic id: those in the tenant `tenantId`, or without it those outside of
   * tenants. Topics that the user left at their default are absent.
   */
  readonly preferences: (
    userId: string,
    place?: Place & { readonly tenantId?: string }
  ) => ReadonlyMap<string, TopicSetting>
}

const scopeOf = ({ environment = 1 }: Place): Scope => Scope.make(environment)
const idOf = Schema.decodeUnknownOption(MessageId)
const userOf = Schema.decodeUnknownOption(UserId)

/** Reads the store of a world through `look`. */
export const make = (look: <A>(read: (state: State) => A) => A): Stored => ({
  message: (id, place = {}) => {
    const row = Option.map(idOf(id), (messageId) => look((state) => findMessage(state, scopeOf(place), messageId)))
    const found = Option.getOrUndefined(row)
    return found === undefined ? undefined : MessageLog.record(found)
  },
  messages: (place = {}) =>
    look((state) => [...messagesOf(state, scopeOf(place))].toSorted((a, b) => a.seq - b.seq).map(MessageLog.record)),
  inbox: (userId, place = {}) =>
    look((state) => [...inboxOf(state, scopeOf(place), userId)].toSorted((a, b) => a.createdAt - b.createdAt)),
  preferences: (userId, { tenantId, ...place } = {}) => {
    const user = Option.getOrUndefined(userOf(userId))
    if (user === undefined) return new Map()
    const owner = { scope: scopeOf(place), userId: user, tenantId }
    const said = Effect.runSync(Effect.orDie(look((state) => overridesOf(state, owner))))
    return new Map(said.map(({ setting, topicId }) => [topicId, setting]))
  }
})
