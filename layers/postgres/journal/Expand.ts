import { encodePlace, start } from "#src/delivery/Expansion.ts"
import type { Advance, Advanced, PageMember } from "#src/delivery/expansion/Expansions.ts"
import type { Acceptance } from "#src/delivery/Journal.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** What a new message is written with, one of a request to one or to many. */
export const messageColumns =
  `scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event, template, recipient_name,
  tenant_id, list_id, tags, trace_id, enqueued_at, recipient, instructions`

/** The expansions of a batch of acceptances, each under the number of its acceptance. */
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

/** The part of an acceptance's statement that stores its expansion, beside the messages and under the same key. */
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
  list_id: member.listId,
  recipient: JSON.stringify(member.recipient)
})

/**
 * One step in one autocommit statement: the epoch row is locked `for share`, the expansion's row for its update, and the messages go in with
 * them. What several rows have in common is a parameter ($11 and on).
 */
const statement = (notify: boolean) => `
  with current as (select epoch from epochs where shard = $1 and epoch = $2 for share),
  e as (select x.scope, x.id from expansions x, current
    where x.scope = $3 and x.id = $4 and x.place = $5 and x.due_at is not null for update of x),
  m as (insert into messages (${messageColumns})
    select e.scope, r.id, e.id, r.shard, $13, r.recipient_key, $14, $15, $16, $17, $18, r.recipient_name, r.tenant_id, r.list_id,
      $19::text[], $20, $21, r.recipient, $22
    from e, json_to_recordset($11::json) as r(id text, shard smallint, recipient_key text, recipient_name text, tenant_id text,
      list_id text, recipient text)
    on conflict (scope, id) do nothing returning scope, id),
  h as (insert into history (scope, message_id, at, step, events)
    select scope, id, $21, 'accept', $23 from m where $23::text is not null on conflict do nothing),
  l as (insert into list_requests (scope, list_id, request_id)
    select e.scope, list_id, e.id from e, unnest($26::text[]) as lists(list_id) on conflict do nothing),
  p as (insert into profiles (scope, user_id, profile, created_at, updated_at)
    select distinct on (p.user_id) e.scope, p.user_id, p.profile, $21, $21
    from e, json_to_recordset($12::json) as p(user_id text, profile text) order by p.user_id on conflict (scope, user_id) do nothing),
  u as (update expansions x set place = $6, created = x.created + (select count(*) from m), tries = $7, epoch = $8, state = $9,
      due_at = $10, error = case when $27 then $24 else x.error end, advanced_at = $25, ended_at = case when $10::bigint is null then $25 end
    from e where x.scope = e.scope and x.id = e.id returning 1)
  select exists (select from current) as current, exists (select from u) as written, (select count(*)::int from m) as created
  ${notify ? `, (select pg_notify('tidings_due', $28))::text` : ""}`

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ current: Schema.Boolean, written: Schema.Boolean, created: Schema.Int })])
)

/** Writes a step; `unowned` are shards of its messages that other nodes own, which are told. */
export const write = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function*(step: Advance, unowned: ReadonlyArray<number>) {
    const { expansion, page } = step
    const { common, members = [], profiles = [] } = page ?? {}
    const [answer] = yield* sql.unsafe(statement(unowned.length > 0), [
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
      JSON.stringify(members.map(memberRow)),
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
      common === undefined ? null : JSON.stringify(common.instructions),
      common === undefined || common.events.length === 0 ? null : JSON.stringify(common.events),
      step.error ?? null,
      step.at,
      [...new Set(members.flatMap(({ listId }) => listId === undefined ? [] : [listId]))],
      step.error !== undefined,
      ...(unowned.length > 0 ? [unowned.join(",")] : [])
    ]).pipe(Effect.flatMap((found) => Effect.orDie(decode(found))))
    if (!answer.current) return { _tag: "Fenced" } satisfies Advanced
    return answer.written
      ? { _tag: "Written", created: answer.created } satisfies Advanced
      : { _tag: "Passed" } satisfies Advanced
  })
