import * as Group from "#layers/http/Group.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { InboxItem } from "#schemas/api/Inbox.ts"
import { defaultLimit } from "#schemas/api/Query.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Inbox, type InboxMessage } from "#src/reports/Inbox.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const item = ({ createdAt, expiresAt, messageId, rendered, tenantId }: InboxMessage): InboxItem => ({
  messageId,
  title: rendered.title,
  body: rendered.body,
  actions: rendered.actions,
  tenantId,
  created: createdAt,
  expires: expiresAt
})

/** GET /users/:user_id/inbox. */
export const layer = Group.layer(Effect.gen(function*() {
  const inbox = yield* Inbox
  return HttpApiBuilder.group(Served, "inbox", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ params, query }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* inbox.list(scope, params.user_id, {
          limit: query.limit ?? defaultLimit,
          cursor: query.cursor
        })
        return { paging: pagingOf(page), results: page.items.map(item) }
      }, refusals)
    }))
}))
