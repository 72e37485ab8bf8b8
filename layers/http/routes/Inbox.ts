import * as Group from "#layers/http/Group.ts"
import { messageId } from "#layers/http/Ids.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { InboxItem } from "#schemas/api/Inbox.ts"
import { defaultLimit } from "#schemas/api/Query.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Inbox, InboxItemNotFound, type InboxMessage } from "#src/reports/Inbox.ts"
import * as InboxReading from "#src/reports/InboxReading.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const marksOf = ({ archivedAt, openedAt, readAt }: InboxMessage) => ({
  read: readAt,
  opened: openedAt,
  archived: archivedAt
})

const item = (row: InboxMessage): InboxItem => ({
  messageId: row.messageId,
  title: row.rendered.title,
  body: row.rendered.body,
  actions: row.rendered.actions,
  tenantId: row.tenantId,
  created: row.createdAt,
  expires: row.expiresAt,
  ...marksOf(row)
})

const isRead = (status: "read" | "unread" | null | undefined): boolean | undefined =>
  status === undefined || status === null ? undefined : status === "read"

/** /users/:user_id/inbox. */
export const layer = Group.layer(Effect.gen(function*() {
  const inbox = yield* Inbox
  const reading = yield* InboxReading.make
  return HttpApiBuilder.group(Served, "inbox", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ params, query }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* inbox.list(scope, params.user_id, {
          limit: query.limit ?? defaultLimit,
          cursor: query.cursor,
          isRead: isRead(query.status),
          isArchived: query.archived
        })
        return { paging: pagingOf(page), results: page.items.map(item) }
      }, refusals),
      unread: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return { unread: yield* inbox.unread(scope, params.user_id) }
      }, refusals),
      mark: Effect.fnUntraced(function*({ params, payload: { archived, clicked, opened, read } }) {
        const { scope } = yield* CurrentPrincipal
        const id = yield* Effect.mapError(messageId(params.message_id), ({ id }) => new InboxItemNotFound({ id }))
        const marked = yield* reading.mark(scope, params.user_id, id, {
          archived: archived ?? undefined,
          clicked: clicked ?? undefined,
          opened: opened ?? undefined,
          read: read ?? undefined
        })
        return { messageId: id, ...marksOf(marked) }
      }, refusals),
      markAll: Effect.fnUntraced(function*({ params, payload: { archived, read, status } }) {
        const { scope } = yield* CurrentPrincipal
        const marking = { archived: archived ?? undefined, read: read ?? undefined }
        yield* reading.markAll(scope, params.user_id, marking, isRead(status))
      }, refusals)
    }))
}))
