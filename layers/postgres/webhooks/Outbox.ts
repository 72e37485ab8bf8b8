import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { Status } from "#schemas/Status.ts"
import { WebhookEventType } from "#schemas/Webhook.ts"
import { lease, Outbox, probing, type WebhookEvent } from "#src/reports/webhooks/Outbox.ts"
import * as Secrets from "#src/reports/webhooks/Secrets.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const patience = "20 seconds"

const Event = Schema.Struct({
  id: Schema.String,
  type: WebhookEventType,
  messageId: Schema.NullOr(MessageId),
  status: Schema.NullOr(Status),
  data: Schema.NullOr(Schema.String),
  at: Schema.Number,
  storedAt: Schema.Number,
  tries: Schema.Int
})
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(Event))
const decodeClaim = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  scope: Scope,
  id: Schema.String,
  url: Schema.String,
  secrets: Schema.String,
  failures: Schema.Int,
  failingSince: Schema.NullOr(Schema.Number),
  error: Schema.NullOr(Schema.String),
  claim: Schema.Number
})))
const decodeNext = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ next: Schema.NullOr(Schema.Number) })]))

/** What a later version stores is left to its nodes. */
const known = `type = any('{${WebhookEventType.literals.join(",")}}'::text[])`

const happened = ({ data, messageId, status, type }: typeof Event.Type): WebhookEvent["happened"] | undefined => {
  if (type !== "message:updated") return data === null ? undefined : { type, data }
  return messageId === null || status === null ? undefined : { type, messageId, status }
}

const eventOf = (row: typeof Event.Type): ReadonlyArray<WebhookEvent> => {
  const what = happened(row)
  const { at, id, storedAt, tries } = row
  return what === undefined ? [] : [{ id, happened: what, at, storedAt, tries }]
}

/** SQL: whether the event `e` is of this webhook, and one that this version knows. */
const of = (scope: string, id: string): string => `e.scope = ${scope} and e.webhook_id = ${id} and e.${known}`

/** The webhook that waits for longest since it was last claimed. */
const claiming = `with free as (select w.scope, w.id from webhooks w
    where w.state = 'ENABLED' and w.claimed_until <= $1 and w.paused_until <= $1
      and exists (select from webhook_events e where ${of("w.scope", "w.id")} and e.due_at <= $1)
    order by w.claimed_until, w.scope, w.id limit 1 for update skip locked)
  update webhooks w set claim = w.claim + 1, claimed_until = $1 + ${lease} from free
  where w.scope = free.scope and w.id = free.id
  returning w.scope, w.id, w.url, w.secrets, w.failures, w.failing_since::float8 as "failingSince", w.error, w.claim::float8 as claim`

const reading =
  `select id, type, message_id as "messageId", status, data, at::float8 as at, stored_at::float8 as "storedAt", tries
  from webhook_events e where ${of("$1", "$2")} and due_at <= $3 order by due_at limit $4`

const looking = `select min(greatest(w.claimed_until, w.paused_until, e.due_at))::float8 as next
  from webhooks w cross join lateral (
    select due_at from webhook_events e where ${of("w.scope", "w.id")} order by due_at limit 1) e
  where w.state = 'ENABLED'`

/**
 * SQL: the places of this webhook's events `x`, each looked up by its key: by `scope` as it is, the planner may read all
 * that is due of the webhook for each.
 */
const placed = `cross join lateral (select ctid as place from webhook_events e
    where e.id = x.id collate "C" and e.webhook_id = $2 and e.scope + 0 = $1 for update) e`

/** The webhook's row is locked first: whoever changes or removes it does the same. */
const settling = `with mine as (select claim from webhooks where scope = $1 and id = $2 for update),
    done as (delete from webhook_events where ctid = any(array(select place from unnest($3::text[]) as x(id) ${placed}))),
    again as (update webhook_events t set tries = t.tries + 1, due_at = x.due_at
      from (select place, due_at from unnest($4::text[], $5::bigint[]) as x(id, due_at) ${placed}) x where t.ctid = x.place),
    dropped as (delete from webhook_events where scope = $1 and webhook_id = $2 and stored_at < $6::bigint
      and id <> all($3::text[]) and id <> all($4::text[]) and exists (select from mine where claim = $7::bigint) returning 1)
  update webhooks w set lost = w.lost + $8::int + (select count(*) from dropped), reached_at = coalesce($9::bigint, w.reached_at),
    failures = $10, failing_since = $11, error = $12, paused_until = $13, claimed_until = $14::bigint,
    state = case when $15::boolean then 'DISABLED' else w.state end, gave_up_at = case when $15::boolean then $14::bigint end
  from mine where w.scope = $1 and w.id = $2 and mine.claim = $7::bigint`

/** Beyond all times that are stored. */
const always = "9223372036854775807"

/** What webhooks are to be told, on Postgres. */
export const layer = Layer.effect(
  Outbox,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets.make
    const patiently = yield* Patience.asking(patience)

    return Outbox.of({
      claim: Effect.fnUntraced(
        function*(limit) {
          const now = yield* Clock.currentTimeMillis
          const found = Array.head(yield* Effect.flatMap(sql.unsafe(claiming, [now]), decodeClaim))
          if (Option.isNone(found)) return undefined
          const { error, failingSince, secrets: sealed, ...webhook } = found.value
          const { failures, id, scope } = webhook
          const rows = yield* sql.unsafe(reading, [scope, id, now, failures < probing ? limit : 1])
          return {
            ...webhook,
            failing: failingSince === null ? undefined : { since: failingSince, error: error ?? "" },
            secrets: yield* secrets.open(scope, id, sealed).pipe(
              Effect.catch((error) => Effect.as(Effect.logError("cannot read a webhook's secret", { id }, error), []))
            ),
            events: (yield* decodeEvents(rows)).flatMap(eventOf)
          }
        },
        orUnavailable,
        patiently
      ),
      settle: Effect.fnUntraced(
        function*({ claim, id, scope }, settlement) {
          const now = yield* Clock.currentTimeMillis
          const { again, done, dropBefore, failing, failures, givesUp, lost, pausedUntil, reached } = settlement
          yield* sql.unsafe(settling, [
            scope,
            id,
            done,
            again.map((event) => event.id),
            again.map(({ dueAt }) => dueAt),
            givesUp ? always : dropBefore ?? 0,
            claim,
            lost,
            reached ? now : null,
            failures,
            failing?.since ?? null,
            failing?.error ?? null,
            pausedUntil,
            now,
            givesUp
          ])
        },
        orUnavailable,
        patiently
      ),
      next: sql.unsafe(looking).pipe(
        Effect.flatMap(decodeNext),
        Effect.map(([{ next }]) => next ?? undefined),
        orUnavailable,
        patiently
      ),
      sweep: (limit) =>
        sql`delete from webhook_events where ctid = any(array(select e.ctid from webhook_events e
            where not exists (select from webhooks w where w.scope = e.scope and w.id = e.webhook_id and w.state = 'ENABLED')
            limit ${limit}::int for update of e skip locked)) returning 1`.pipe(
          Effect.map((rows) => rows.length),
          orUnavailable
        )
    })
  })
)
