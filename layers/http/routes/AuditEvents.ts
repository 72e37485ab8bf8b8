import * as Group from "#layers/http/Group.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { defaultLimit } from "#schemas/api/Query.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Audit, type AuditEvent } from "#src/reports/Audit.ts"
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const shown = ({ at, id, ...deed }: AuditEvent) => ({
  ...deed,
  auditEventId: id,
  timestamp: DateTime.formatIso(DateTime.makeUnsafe(at))
})

/** /audit-events. */
export const layer = Group.layer(Effect.gen(function*() {
  const audit = yield* Audit
  return HttpApiBuilder.group(Served, "auditEvents", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { cursor, limit = defaultLimit } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* audit.list(scope, { cursor, limit })
        return { paging: pagingOf(page), results: page.items.map(shown) }
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return shown(yield* audit.get(scope, params.audit_event_id))
      }, refusals)
    }))
}))
