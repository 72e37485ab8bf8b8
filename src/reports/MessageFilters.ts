import type { MessageFilters } from "#schemas/api/Messages.ts"
import { defaultLimit, members } from "#schemas/api/Query.ts"
import type { Grant } from "#src/access/Grant.ts"
import { isNamed, type Provider } from "#src/delivery/Provider.ts"
import type { MessageQuery } from "#src/reports/MessageLog.ts"

/**
 * The keys under which calls are stored, for providers asked for by any of their names. The name itself is kept too: it
 * may be the key of a provider that is configured no more.
 */
const keysOf = (names: ReadonlyArray<string>, configured: ReadonlyArray<Provider>): ReadonlyArray<string> => [
  ...new Set(names.flatMap((name) => [
    name,
    ...configured.filter((provider) => isNamed(provider, name)).map(({ key }) => key)
  ]))
]

/** Whether the filters name providers, so that `query` needs the configured ones. */
export const namesProviders = ({ provider }: MessageFilters): boolean => members(provider).length > 0

/**
 * The query string of GET /messages as a query of the log. `configured`: the environment's providers, if the filters
 * name any. With a user's token (`grant`), `recipient` is a user's id, never an address.
 */
export const query = (
  filters: MessageFilters,
  configured: ReadonlyArray<Provider>,
  grant: Grant | undefined
): MessageQuery => ({
  archived: filters.archived ?? false,
  limit: filters.limit ?? defaultLimit,
  cursor: filters.cursor,
  enqueuedAfter: filters.enqueued_after,
  event: filters.event,
  list: filters.list,
  messageId: filters.messageId,
  notification: filters.notification,
  providers: keysOf(members(filters.provider), configured),
  recipient: grant === undefined ? filters.recipient : undefined,
  userId: grant === undefined ? undefined : filters.recipient,
  statuses: members(filters.status),
  tags: [...members(filters.tag), ...members(filters.tags)],
  tenantId: filters.tenant_id,
  traceId: filters.traceId
})
