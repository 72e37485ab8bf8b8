import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { Status } from "#schemas/Status.ts"
import { WebhookEventType } from "#schemas/Webhook.ts"
import { furthest, lease, Outbox, probing, type WebhookEvent } from "#src/reports/webhooks/Outbox.ts"
import * as Secrets from "#src/reports/webhooks/Secrets.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const patience = "20 seconds"

const Text = Schema.NullOr(Schema.String)
const Event = Schema.Struct({
  id: Schema.String,
  type: WebhookEventType,
  messageId: Text,
  status: Text,
  data: Text,
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
  error: Text,
  pausedUntil: Schema.Number,
  since: Schema.Number,
  claim: Schema.Number
})))
const decodeNext = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ next: Schema.NullOr(Schema.Number) })]))

/** What a later version stores is left to its nodes. */
const known = `type = any('{${WebhookEventType.literals.join(",")}}'::text[])`

const Moved = Schema.Struct({ messageId: MessageId, status: Status })
const decodeMoved = Schema.decodeUnknownOption(Moved)

const happened = ({ data, type, ...row }: typeof Event.Type): WebhookEvent["happened"] =>
  type === "message:updated"
    ? Option.getOrUndefined(Option.map(decodeMoved(row), (moved) => ({ type, ...moved })))
    : data === null
    ? undefined
    : { type, data }

const eventOf = (row: typeof Event.Type): WebhookEvent => {
  const { at, id, storedAt, tries } = row
  return { id, happened: happened(row), at, storedAt, tries }
}

/**
 * SQL: whether the event `e` is of this webhook, is told (`since`), and is one that this version knows. What was stored
 * since a time is due since then as well, by which the index of due times passes the others.
 */
const of = (scope: string, id: string, since: string): string =>
  `e.scope = ${scope} and e.webhook_id = ${id} and e.due_at >= ${since} and e.stored_at >= ${since} and e.${known}`

/**
 * The webhook that waits for longest since it was last claimed. No claim is longer than a lease, and no pause begins
 * before a claim ends: what is later was written before the clock was set back.
 */
const claiming = `with free as (select w.scope, w.id from webhooks w
    where w.state = 'ENABLED' and (w.claimed_until <= $1 or w.claimed_until > $1 + ${lease})
      and w.paused_until <= greatest(w.claimed_until, $1) and w.scope <> all($2::int[])
      and exists (select from webhook_events e where ${of("w.scope", "w.id", "w.since")} and e.due_at <= $1)
    order by w.claimed_until <= $1, w.claimed_until, w.scope, w.id limit 1 for update skip locked)
  update webhooks w set claim = w.claim + 1, claimed_until = $1 + ${lease} from free
  where w.scope = free.scope and w.id = free.id
  returning w.scope, w.id, w.url, w.secrets, w.failures, w.failing_since::float8 as "failingSince", w.error,
    w.paused_until::float8 as "pausedUntil", w.since::float8 as since, w.claim::float8 as claim`

const reading =
  `select id, type, message_id as "messageId", status, data, at::float8 as at, stored_at::float8 as "storedAt", tries
  from webhook_events e where ${of("$1", "$2", "$3::bigint")} and due_at <= $4 order by due_at limit $5`

const looking = `select min(greatest(w.claimed_until, w.paused_until, e.due_at))::float8 as next
  from webhooks w cross join lateral (
    select due_at from webhook_events e where ${of("w.scope", "w.id", "w.since")} order by due_at limit 1) e
  where w.state = 'ENABLED'`

/**
 * SQL: the places of this webhook's events `x`, each looked up by its key: by `scope` as it is, the planner may read all
 * that is due of the webhook for each.
 */
const placed = `cross join lateral (select ctid as place from webhook_events e
    where e.id = x.id collate "C" and e.webhook_id = $2 and e.scope + 0 = $1 for update) e`

/** The webhook's row is locked first. A claim that is settled is over. */
const settling = `with mine as (select claim from webhooks where scope = $1 and id = $2 and claim = $6 for update),
    told as (delete from webhook_events where ctid = any(array(select place from unnest($3::text[]) as x(id) ${placed}))),
    lost as (delete from webhook_events where ctid = any(array(select place from mine cross join unnest($7::text[]) as x(id) ${placed}))
      returning 1),
    again as (update webhook_events t set tries = t.tries + 1, due_at = x.due_at
      from (select place, due_at from mine cross join unnest($4::text[], $5::bigint[]) as x(id, due_at) ${placed}) x where t.ctid = x.place)
  update webhooks w set claim = w.claim + 1, lost = w.lost + (select count(*) from lost),
    reached_at = coalesce($8::bigint, w.reached_at), failures = $9, failing_since = $10, error = $11, paused_until = $12,
    claimed_until = $13::bigint, state = case when $14::boolean then 'DISABLED' else w.state end,
    gave_up_at = case when $14::boolean then $13::bigint end, since = greatest(w.since, $15::bigint)
  from mine where w.scope = $1 and w.id = $2`

const beginning = `update webhooks set claim = claim + 1, claimed_until = 0, paused_until = 0, since = 0, failures = 0,
    failing_since = null, error = null
  where greatest(claimed_until, paused_until, since, failing_since) > $1`

/**
 * Events are deleted alone, and counted then: whoever settles a claim has locked its webhook, and waits for the places
 * of events. Whose there are is found by steps through an index, one for each webhook, so that what waits to be told is
 * not read.
 */
const sweeping = `with recursive told as (
    (select scope, webhook_id from webhook_events order by scope, webhook_id limit 1)
    union all
    select e.* from told t cross join lateral (select scope, webhook_id from webhook_events
      where (scope, webhook_id) > (t.scope, t.webhook_id) order by scope, webhook_id limit 1) e),
  gone as (delete from webhook_events where ctid = any(array(select e.ctid from told t
      left join webhooks w on w.scope = t.scope and w.id = t.webhook_id and w.state = 'ENABLED'
      cross join lateral (select ctid from webhook_events where scope = t.scope and webhook_id = t.webhook_id
        and (w.id is null or stored_at < w.since) limit $1 for update skip locked) e
      where w.id is null or w.since > 0 limit $1)) returning scope, webhook_id)
  select scope, webhook_id as id, count(*)::int as number from gone group by 1, 2`

const counting = `update webhooks w set lost = w.lost + x.number
  from json_to_recordset($1::json) as x(scope int, id text, number int) where w.scope = x.scope and w.id = x.id collate "C"`

const decodeSwept = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ scope: Scope, id: Schema.String, number: Schema.Int }))
)

/** What webhooks are to be told, on Postgres. */
export const layer = Layer.effect(
  Outbox,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets.make
    const patiently = yield* Patience.asking(patience)

    return Outbox.of({
      claim: Effect.fnUntraced(
        function*(limit, without = []) {
          const now = yield* Clock.currentTimeMillis
          const found = Array.head(yield* Effect.flatMap(sql.unsafe(claiming, [now, without]), decodeClaim))
          if (Option.isNone(found)) return undefined
          const { error, failingSince, secrets: sealed, since, ...webhook } = found.value
          const { failures, id, scope } = webhook
          const rows = yield* sql.unsafe(reading, [scope, id, since, now, failures < probing ? limit : 1])
          return {
            ...webhook,
            failing: failingSince === null ? undefined : { since: failingSince, error: error ?? "" },
            secrets: yield* secrets.open(scope, id, sealed).pipe(
              Effect.catch((error) => Effect.as(Effect.logError("cannot read a webhook's secret", { id }, error), []))
            ),
            events: (yield* decodeEvents(rows)).map(eventOf)
          }
        },
        orUnavailable,
        patiently
      ),
      settle: Effect.fnUntraced(
        function*(
          { claim, id, scope },
          { again, failing, failures, givesUp, lost, pausedUntil, reached, since, told }
        ) {
          const now = yield* Clock.currentTimeMillis
          yield* sql.unsafe(settling, [
            scope,
            id,
            told,
            again.map((event) => event.id),
            again.map(({ dueAt }) => dueAt),
            claim,
            lost,
            reached ? now : null,
            failures,
            failing?.since ?? null,
            failing?.error ?? null,
            pausedUntil,
            now,
            givesUp,
            since
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
      sweep: Effect.fnUntraced(function*(limit) {
        yield* sql.unsafe(beginning, [(yield* Clock.currentTimeMillis) + furthest])
        const swept = yield* Effect.flatMap(sql.unsafe(sweeping, [limit]), decodeSwept)
        if (swept.length > 0) yield* sql.unsafe(counting, [JSON.stringify(swept)])
        return swept.reduce((sum, { number }) => sum + number, 0)
      }, orUnavailable)
    })
  })
)
