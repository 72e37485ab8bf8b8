import * as Audience from "#layers/memory/AudienceRows.ts"
import * as Access from "#layers/memory/AccessState.ts"
import * as Limits from "#layers/memory/LimitRows.ts"
import type { BrandRow, TenantRow, TenantTemplateRow, TenantUserRow } from "#layers/memory/TenantRows.ts"
import * as Preferences from "#layers/memory/PreferenceState.ts"
import * as Webhooks from "#layers/memory/WebhookRows.ts"
import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Reason, Status } from "#schemas/Status.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import type { StoredResponse } from "#src/access/Idempotency.ts"
import type { OpenExpansion, RequestRecord } from "#src/delivery/Expansion.ts"
import type { NewMessage } from "#src/delivery/Journal.ts"
import type { Suppression } from "#src/people/Suppressions.ts"
import type { InboxMessage } from "#src/reports/Inbox.ts"
import type { PendingTickets } from "#src/reports/PushTickets.ts"
import { HashMap, Option } from "effect"

/** An attempt as it is stored: under the epoch that made its intent. */
export interface StoredAttempt extends Attempt {
  readonly epoch: number
}

/** The entries of one step; `key` tells a repeat of it from another step. */
export interface StoredEvents {
  readonly key: string
  readonly events: ReadonlyArray<HistoryEvent>
}

/**
 * A message with all that the journal knows of it. Caller payloads are JSON text, as in every other store. `dueAt` is
 * `undefined` once the message is closed.
 */
export interface MessageRow
  extends Omit<NewMessage, "recipient" | "instructions" | "attempts" | "events" | "dueAt" | "recovered">
{
  readonly seq: number
  readonly recipient: string
  readonly instructions: string
  readonly status: Status
  readonly reason: Reason | undefined
  readonly error: string | undefined
  readonly dueAt: number | undefined
  readonly archived: boolean
  readonly providers: ReadonlyArray<string>
  readonly sent: number | undefined
  readonly delivered: number | undefined
  readonly opened: number | undefined
  readonly clicked: number | undefined
  readonly canceledAt: number | undefined
  readonly attempts: ReadonlyArray<StoredAttempt>
  readonly history: ReadonlyArray<StoredEvents>
}

/** A response under an idempotency key; `expiresAt` in epoch ms. */
interface KeyRow {
  readonly response: StoredResponse
  readonly expiresAt: number
}

/** A template: its draft and its versions, in the order of their numbers, from 1; JSON text. */
export interface TemplateRow {
  readonly scope: Scope
  readonly id: string
  readonly alias: string | undefined
  readonly archived: boolean
  readonly draft: string
  readonly draftAt: number
  readonly live: number | undefined
  readonly versions: ReadonlyArray<{ readonly template: string; readonly created: number }>
  readonly created: number
  readonly updated: number | undefined
}

export interface StrategyRow {
  readonly scope: Scope
  readonly id: string
  readonly strategy: string
  readonly created: number
  readonly updated: number | undefined
}

/** `settings` are sealed, as everywhere. */
export interface ConfigurationRow {
  readonly scope: Scope
  readonly id: string
  readonly provider: string
  readonly title: string | undefined
  readonly alias: string | undefined
  readonly settings: string | undefined
  readonly created: number
  readonly updated: number | undefined
}

/** A request to many. `dueAt` is `undefined` once it has ended. */
export interface ExpansionRow extends OpenExpansion, Omit<RequestRecord, "id"> {
  readonly dueAt: number | undefined
  readonly advancedAt: number
}

/** A bulk job with its users, in their order; `definition` and each `user` are JSON text. */
export interface BulkJobRow {
  readonly scope: Scope
  readonly id: string
  readonly definition: string
  readonly requestId: MessageId | undefined
  readonly users: ReadonlyArray<{ readonly key: string; readonly user: string; readonly error: string | undefined }>
}

/** `preferences` is JSON text; `deletedAt` in epoch ms. */
export interface ListRow {
  readonly scope: Scope
  readonly id: string
  readonly name: string
  readonly preferences: string | null
  readonly created: number
  readonly updated: number
  readonly deletedAt: number | undefined
}

export interface SubscriptionRow {
  readonly scope: Scope
  readonly listId: string
  readonly userId: string
  readonly preferences: string | null
  readonly created: number
}

/** `dueAt` in epoch ms. */
export interface TicketsRow extends PendingTickets {
  readonly dueAt: number
}

export interface SuppressionRow extends Suppression {
  readonly scope: Scope
  /** When the address was last freed. While the row is kept for that alone, it has expired. */
  readonly freed: number | undefined
}

/**
 * Everything stored, as one value. `open` is the index of `messages` by shard: those that still have a step to take.
 */
export interface State {
  readonly seq: number
  readonly messages: HashMap.HashMap<Scope, HashMap.HashMap<MessageId, MessageRow>>
  readonly open: HashMap.HashMap<number, HashMap.HashMap<string, MessageRow>>
  readonly epochs: HashMap.HashMap<number, number>
  readonly expansions: HashMap.HashMap<string, ExpansionRow>
  readonly bulkJobs: HashMap.HashMap<string, BulkJobRow>
  readonly inbox: HashMap.HashMap<string, HashMap.HashMap<MessageId, InboxMessage>>
  readonly pushTickets: HashMap.HashMap<string, TicketsRow>
  readonly suppressions: HashMap.HashMap<string, SuppressionRow>
  readonly keys: HashMap.HashMap<string, KeyRow>
  readonly profiles: HashMap.HashMap<string, string>
  /** When each was last written; absent for those of the beginning. */
  readonly profilesWritten: HashMap.HashMap<string, number>
  readonly apiKeys: HashMap.HashMap<string, Principal>
  readonly templates: HashMap.HashMap<string, TemplateRow>
  readonly strategies: HashMap.HashMap<string, StrategyRow>
  readonly configurations: HashMap.HashMap<string, ConfigurationRow>
  readonly brands: HashMap.HashMap<string, BrandRow>
  readonly tenants: HashMap.HashMap<string, TenantRow>
  readonly tenantUsers: HashMap.HashMap<string, TenantUserRow>
  readonly tenantTemplates: HashMap.HashMap<string, TenantTemplateRow>
  readonly lists: HashMap.HashMap<string, ListRow>
  readonly audiences: Audience.AudienceState
  /** By list, then by user. */
  readonly subscriptions: HashMap.HashMap<string, HashMap.HashMap<string, SubscriptionRow>>
  /** The environments that ever had a provider configuration. */
  readonly configured: HashMap.HashMap<Scope, true>
  readonly access: Access.AccessState
  readonly limits: Limits.LimitState
  readonly preferences: Preferences.PreferenceState
  readonly webhooks: Webhooks.WebhookState
}

export const empty: State = {
  seq: 0,
  messages: HashMap.empty(),
  open: HashMap.empty(),
  epochs: HashMap.empty(),
  expansions: HashMap.empty(),
  bulkJobs: HashMap.empty(),
  inbox: HashMap.empty(),
  pushTickets: HashMap.empty(),
  suppressions: HashMap.empty(),
  keys: HashMap.empty(),
  profiles: HashMap.empty(),
  profilesWritten: HashMap.empty(),
  apiKeys: HashMap.empty(),
  templates: HashMap.empty(),
  strategies: HashMap.empty(),
  configurations: HashMap.empty(),
  brands: HashMap.empty(),
  tenants: HashMap.empty(),
  tenantUsers: HashMap.empty(),
  tenantTemplates: HashMap.empty(),
  lists: HashMap.empty(),
  audiences: Audience.empty,
  subscriptions: HashMap.empty(),
  configured: HashMap.empty(),
  access: Access.empty,
  limits: Limits.empty,
  preferences: Preferences.empty,
  webhooks: Webhooks.empty
}

/** The name of what has an id in a scope, and of what belongs to a user of a scope. */
export const nameOf = (scope: Scope, id: string): string => `${scope} ${id}`

/** Whose name it is. */
export const userOf = (name: string): { readonly scope: Scope; readonly userId: string } => {
  const end = name.indexOf(" ")
  return { scope: Scope.make(Number(name.slice(0, end))), userId: name.slice(end + 1) }
}

/** What a scope holds of one kind. */
export const inScope = <A extends { readonly scope: Scope }>(
  all: HashMap.HashMap<string, A>,
  scope: Scope
): ReadonlyArray<A> => Array.from(HashMap.values(all)).filter((row) => row.scope === scope)

const inner = <K, L, A>(outer: HashMap.HashMap<K, HashMap.HashMap<L, A>>, key: K): HashMap.HashMap<L, A> =>
  Option.getOrElse(HashMap.get(outer, key), HashMap.empty<L, A>)

export const messagesOf = (state: State, scope: Scope): Iterable<MessageRow> =>
  HashMap.values(inner(state.messages, scope))

export const openOf = (state: State, shard: number): Iterable<MessageRow> => HashMap.values(inner(state.open, shard))

export const inboxOf = (state: State, scope: Scope, userId: string): Iterable<InboxMessage> =>
  HashMap.values(inner(state.inbox, nameOf(scope, userId)))

export const findMessage = (state: State, scope: Scope, id: MessageId): MessageRow | undefined =>
  Option.getOrUndefined(HashMap.get(inner(state.messages, scope), id))

/** Stores a message and keeps the index of open ones in step. */
export const putMessage = (state: State, row: MessageRow): State => {
  const name = nameOf(row.scope, row.id)
  const open = inner(state.open, row.shard)
  return {
    ...state,
    messages: HashMap.set(state.messages, row.scope, HashMap.set(inner(state.messages, row.scope), row.id, row)),
    open: HashMap.set(
      state.open,
      row.shard,
      row.dueAt === undefined ? HashMap.remove(open, name) : HashMap.set(open, name, row)
    )
  }
}

const ticketsName = ({ attempt, messageId, scope }: Pick<PendingTickets, "attempt" | "messageId" | "scope">): string =>
  `${scope} ${messageId} ${attempt}`

/** Stores the tickets of attempts. */
export const putTickets = (state: State, rows: ReadonlyArray<TicketsRow>): State => ({
  ...state,
  pushTickets: rows.reduce((all, row) => HashMap.set(all, ticketsName(row), row), state.pushTickets)
})

/** Drops them. */
export const dropTickets = (state: State, rows: ReadonlyArray<PendingTickets>): State => ({
  ...state,
  pushTickets: HashMap.removeMany(state.pushTickets, rows.map(ticketsName))
})

/** Whether some of the attempt are stored. */
export const hasTickets = (state: State, row: PendingTickets): boolean =>
  HashMap.has(state.pushTickets, ticketsName(row))

/** Stores a profile under a user's name. */
export const withProfile = (state: State, name: string, profile: JsonMap, at: number): State => {
  const text = JSON.stringify(profile)
  if (Option.contains(HashMap.get(state.profiles, name), text)) return state
  return {
    ...state,
    profiles: HashMap.set(state.profiles, name, text),
    profilesWritten: HashMap.set(state.profilesWritten, name, at)
  }
}

/** Stores an item of a user's inbox, unless its message is there already. */
export const putInbox = (state: State, scope: Scope, userId: string, item: InboxMessage): State => {
  const name = nameOf(scope, userId)
  const items = inner(state.inbox, name)
  if (HashMap.has(items, item.messageId)) return state
  return { ...state, inbox: HashMap.set(state.inbox, name, HashMap.set(items, item.messageId, item)) }
}
