import type { MessageFilters } from "#schemas/api/Messages.ts"
import { defaultLimit, members } from "#schemas/api/Query.ts"
import type { MessageQuery } from "#src/reports/MessageLog.ts"

/** The query string of GET /messages as the log's question. */
export const query = (filters: MessageFilters): MessageQuery => ({
  archived: filters.archived ?? false,
  limit: filters.limit ?? defaultLimit,
  cursor: filters.cursor,
  enqueuedAfter: filters.enqueued_after,
  event: filters.event,
  list: filters.list,
  messageId: filters.messageId,
  notification: filters.notification,
  providers: members(filters.provider),
  recipient: filters.recipient,
  statuses: members(filters.status),
  tags: [...members(filters.tag), ...members(filters.tags)],
  tenantId: filters.tenant_id,
  traceId: filters.traceId
})
