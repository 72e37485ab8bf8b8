import * as Frames from "#layers/postgres/journal/Frames.ts"
import * as Intents from "#layers/postgres/journal/Intents.ts"
import * as Outputs from "#layers/postgres/journal/Outputs.ts"
import * as Texts from "#layers/postgres/journal/Texts.ts"
import * as Repeats from "#layers/postgres/statements/Repeats.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { encodePlace, start } from "#src/delivery/Expansion.ts"
import type { Advance, Advanced, PageMember } from "#src/delivery/expansion/Expansions.ts"
import type { Acceptance } from "#src/delivery/Journal.ts"
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** The columns that a new message is inserted with, both when it is accepted and when an expansion makes it. */
export const messageColumns =
  `scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event, template, recipient_name,
  tenant_id, list_id, tags, trace_id, enqueued_at, recipient, instructions`

/** The expansions of a batch of acceptances as rows; `n` is the index of the acceptance. */
export const rows = (batch: ReadonlyArray<Acceptance>) =>
  batch.flatMap(({ at, expansion }, n) =>
    expansion === undefined ? [] : [{
      n,
      scope: expansion.scope,
      id: expansion.id,
      shard: expansion.shard,
      key_state: expansion.keyState,
      recipients: JSON.stringify(expansion.recipients),
      instructions: JSON.stringify(expansion.instructions),
      place: encodePlace(start),
      at
    }]
  )

/**
 * The part of the accepting statement that stores expansions. Like messages, they are left out if an earlier call holds
 * the acceptance's idempotency key (`lost`).
 */
export const insertion = (parameter: string): string => `
  x_ as (insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, due_at, accepted_at, advanced_at)
    select scope, id, shard, key_state, recipients, instructions, place, 'RUNNING', 0, at, at
    from json_to_recordset(${parameter}::json) as r(n int, scope int, id text, shard smallint, key_state text, recipients text,
      instructions text, place text, at bigint)
    where n not in (select n from lost) on conflict do nothing)`

const memberRow = (member: PageMember) => ({
  id: member.id,
  shard: member.shard,
  recipient_key: member.recipientKey,
  recipient_name: member.recipientName,
  tenant_id: member.tenantId,
  list_id: member.listId
})

/**
 * One step in one autocommit statement. It locks the epoch rows `for share` and the expansion's row for its update, and
 * inserts the messages. A message is stored together with its intent if it has one and its shard is still at the
 * intent's epoch. What all messages of the page share is a parameter ($14 to $23), but for what the caller said
 * (`Instructions`); what intents share is a row of `kinds`. Whether a row was inserted is asked as `(id in (…)) is
 * true`, which the planner does not turn into a join: it estimates a page at one row, and would scan the page once for
 * each of its rows. `isHeard`: webhooks want to know of messages.
 */
const statement = (isHeard: boolean, areNew: boolean) => `
  with locked as (select shard, epoch from epochs where shard = any($25::smallint[]) order by shard for share),
  current as (select epoch from locked where shard = $1 and epoch = $2),
  e as (select x.scope, x.id from expansions x, current
    where x.scope = $3 and x.id = $4 and x.place = $5 and x.due_at is not null for update of x),
  r as (select * from rows from (json_to_recordset($11::json) as (id text, shard smallint, recipient_key text, recipient_name text,
      tenant_id text, list_id text, ${Intents.ownTypes}), unnest($12::text[]))
    as r(id, shard, recipient_key, recipient_name, tenant_id, list_id, ${Intents.ownColumns}, recipient)),
  b as materialized (select r.*, ${Intents.kindColumns} from r left join locked using (shard, epoch)
    left join json_to_recordset($26::json) as kinds(${Intents.kindTypes}) on kinds.k = r.k and locked.shard is not null),
  m as (insert into messages (${messageColumns}, providers)
    select e.scope, b.id, e.id, b.shard, $14, b.recipient_key, $15, coalesce(b.target, $16), $17, $18, coalesce(b.of_template, $19),
      b.recipient_name, coalesce(b.tenant_id, b.in_tenant), b.list_id, $20::text[], $21, $22, b.recipient, null,
      case when b.provider is null then '{}' else array[b.provider] end
    from e, b ${areNew ? "" : "on conflict (scope, id) do nothing"} returning scope, id, status),
  begun as (select b.*, min(id) filter (where output is not null) over (partition by output) as output_of
    from b where provider is not null and (id in (select id from m)) is true),
  a as (insert into attempts (scope, message_id, number, epoch, channel, provider, state, started_at, intent_events, output_of)
    select $3, id, number, epoch, channel, provider, state, started_at, text, output_of
    from begun left join ${Texts.relation(27)} using (n) returning message_id),
  o as (insert into outputs (scope, message_id, number, rendered)
    select $3, id, number, text from begun join ${Texts.relation(29)} on texts.n = output where id = output_of),
  h as (insert into history (scope, message_id, at, step, events)
    select scope, id, $22, 'accept', $23 from m where $23::text is not null on conflict do nothing),
  l as (insert into list_requests (scope, list_id, request_id)
    select e.scope, list_id, e.id from e, unnest($31::text[]) as lists(list_id) on conflict do nothing),
  p as (insert into profiles (scope, user_id, profile, created_at, updated_at)
    select distinct on (p.user_id) e.scope, p.user_id, p.profile, $22, $22
    from e, json_to_recordset($13::json) as p(user_id text, profile text) order by p.user_id on conflict (scope, user_id) do nothing),
  u as (update expansions x set place = $6, created = x.created + (select count(*) from m), tries = $7, epoch = $8, state = $9,
      due_at = $10, error = case when $32 then $24 else x.error end, advanced_at = $33, ended_at = case when $10::bigint is null then $33 end
    from e where x.scope = e.scope and x.id = e.id returning 1)${
  isHeard
    ? `,
  w as (${
      Told.messages(
        `select scope, id, status, case when status = $16 then $22 else $33 end::bigint as at, $33::bigint as stored_at from m`
      )
    })`
    : ""
}
  select exists (select from current) as current, exists (select from u) as written, (select count(*)::int from m) as created,
    (select array_agg(n) from r where k is not null and (id in (select message_id from a)) is not true) as left,
    case when (select count(*) from m) < (select count(*) from r) then
      (select array_agg(id) from r where (id in (select id from m)) is not true) end as known
  ${isHeard ? `, ${Told.wake}` : ""}`

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Struct({
      current: Schema.Boolean,
      written: Schema.Boolean,
      created: Schema.Int,
      left: Schema.NullOr(Schema.Array(Schema.Int)),
      known: Schema.NullOr(Schema.Array(MessageId))
    })
  ])
)

/** Writes a step. `isHeard`: webhooks want to know of messages. */
export const write = (sql: SqlClient.SqlClient) => {
  const keep = Frames.keep(sql)
  const asNew = Repeats.learning()
  const advance = Effect.fnUntraced(function*(step: Advance, isHeard: boolean) {
    const { expansion, intents = [], page } = step
    const { common, members = [], profiles = [] } = page ?? {}
    const begun = Intents.of(intents)
    // Taken before the statement is sent: when it commits is not known, and its answer may be long on its way.
    const provenAtNanos = yield* Clock.monotonicTimeNanos
    const values = [
      expansion.shard,
      step.owner,
      expansion.scope,
      expansion.id,
      step.from,
      step.to,
      step.tries,
      step.epoch,
      step.state,
      step.dueAt,
      JSON.stringify(members.map((member) => ({ ...memberRow(member), ...begun.rows.get(member.id) }))),
      // What callers wrote is sent beside the rows: inside their JSON it would be escaped and parsed a second time.
      members.map(({ recipient }) => JSON.stringify(recipient)),
      JSON.stringify(profiles.map(({ profile, userId }) => ({ user_id: userId, profile: JSON.stringify(profile) }))),
      common?.lane ?? null,
      common?.keyState ?? null,
      common?.status ?? null,
      common?.dueAt ?? null,
      common?.event ?? null,
      common?.template ?? null,
      common?.tags ?? [],
      common?.traceId ?? null,
      common?.enqueuedAt ?? null,
      common === undefined || common.events.length === 0 ? null : JSON.stringify(common.events),
      step.error ?? null,
      [...new Set([expansion.shard, ...intents.map(({ message }) => message.shard)])],
      JSON.stringify(begun.kinds),
      ...begun.lines,
      ...begun.outputs,
      [...new Set(members.flatMap(({ listId }) => listId === undefined ? [] : [listId]))],
      step.error !== undefined,
      step.at
    ]
    const [answer] = yield* asNew(
      `${expansion.scope} ${expansion.id}`,
      values,
      (areNew) => sql.unsafe(statement(isHeard, areNew), values)
    ).pipe(Effect.flatMap((found) => Effect.orDie(decode(found))))
    if (!answer.current) return { _tag: "Fenced" } satisfies Advanced
    if (!answer.written) return { _tag: "Passed" } satisfies Advanced
    return {
      _tag: "Written",
      created: answer.created,
      intents: Intents.results(intents, { left: answer.left ?? [], known: answer.known ?? [] }, provenAtNanos)
    } satisfies Advanced
  })
  return (step: Advance, isHeard: boolean) => keep(Outputs.framesOf(step.intents ?? []), advance(step, isHeard))
}
