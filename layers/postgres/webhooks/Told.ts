import { channel, webhooks } from "#layers/postgres/notices/UpkeepWakeups.ts"
import type { WebhookEventType } from "#schemas/Webhook.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Other } from "#src/reports/webhooks/Others.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

const notified = `pg_notify('${channel}', '${webhooks}')`

/** SQL: wakes whoever calls webhooks, on any node, when this commits, if `w` (`messages`) has stored an event. */
export const wake = `(select ${notified} from w limit 1)::text`

/** SQL: whether the webhook `w` is to be told of this type. */
export const wants = (type: WebhookEventType): string =>
  `w.state = 'ENABLED' and (w.types is null or '${type}' = any(w.types))`

/**
 * SQL: stores the events of messages that have another status. `moved` is a relation of `scope`, `id`, `status`, `at`
 * (when it happened) and `stored_at` (when it is written), both epoch ms.
 */
export const messages = (moved: string): string =>
  `insert into webhook_events (scope, webhook_id, id, type, message_id, status, at, stored_at, due_at)
    select c.scope, w.id, c.id || '_' || c.status || '_' || c.at, 'message:updated', c.id, c.status, c.at, c.stored_at, c.stored_at
    from (${moved}) c join webhooks w on w.scope = c.scope and ${wants("message:updated")}
    on conflict do nothing returning 1`

const exists = (sql: SqlClient.SqlClient, scope: Scope, condition: string) =>
  Effect.map(
    sql.unsafe(`select 1 from webhooks w where w.scope = $1 and ${condition} limit 1`, [scope]),
    (rows) => rows.length > 0
  )

/** Whether a webhook of an environment is to be told of this type. */
export const isWanted = (sql: SqlClient.SqlClient, scope: Scope, type: WebhookEventType) =>
  exists(sql, scope, wants(type))

/** Stores events in the caller's transaction, all of what happened at `at` (epoch ms). */
export const telling = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function*(scope: Scope, others: ReadonlyArray<Other>, at: number) {
    if (others.length === 0) return
    // A page of an audience may have a thousand: they are not sent for nobody.
    if (others.length > 1 && !(yield* exists(sql, scope, "w.state = 'ENABLED'"))) return
    const rows = others.map(({ data, type }) => ({ type, data: JSON.stringify(data) }))
    yield* sql.unsafe(
      `with told as (insert into webhook_events (scope, webhook_id, id, type, data, at, stored_at, due_at)
          select w.scope, w.id, $3::bigint || '_' || encode(sha256(convert_to(x.type || x.data, 'UTF8')), 'hex'), x.type, x.data, $3, $3, $3
          from json_to_recordset($2::json) as x(type text, data text)
          join webhooks w on w.scope = $1 and w.state = 'ENABLED' and (w.types is null or x.type = any(w.types))
          on conflict do nothing returning 1)
        select ${notified}::text from told limit 1`,
      [scope, JSON.stringify(rows), at]
    )
  })
