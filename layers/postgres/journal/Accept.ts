import * as Expand from "#layers/postgres/journal/Expand.ts"
import type { Accepted, Acceptance, NewMessage } from "#src/delivery/Journal.ts"
import { StoredResponse } from "#src/access/Idempotency.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** An acceptance on its way, under a name of its own: a flush repeated after an unknown commit recognises its rows by it. */
export interface Named {
  readonly acceptance: Acceptance
  readonly owner: string
}

const messageRow = (n: number, message: NewMessage) => ({
  n,
  scope: message.scope,
  id: message.id,
  request_id: message.requestId,
  shard: message.shard,
  lane: message.lane,
  recipient_key: message.recipientKey,
  key_state: message.keyState,
  status: message.status,
  due_at: message.dueAt,
  event: message.event,
  template: message.template,
  recipient_name: message.recipientName,
  tenant_id: message.tenantId,
  list_id: message.listId,
  tags: message.tags,
  trace_id: message.traceId,
  enqueued_at: message.enqueuedAt
})

const messageColumns =
  `scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event, template, recipient_name,
  tenant_id, list_id, tags, trace_id, enqueued_at, recipient, instructions`

const messageTypes =
  `n int, scope int, id text, request_id text, shard smallint, lane text, recipient_key text, key_state text,
  status text, due_at bigint, event text, template text, recipient_name text, tenant_id text, list_id text, tags text[],
  trace_id text, enqueued_at bigint`

const KeptRow = Schema.Struct({
  n: Schema.Int,
  owner: Schema.String,
  status: Schema.Int,
  headers: Schema.fromJsonString(StoredResponse.fields.headers),
  body: Schema.String
})
const decodeKept = Schema.decodeUnknownEffect(Schema.Array(KeptRow))

/** What a batch needs besides its messages; most need none of it, and their statement is the shorter. */
interface Parts {
  readonly notify: boolean
  readonly keyed: boolean
  readonly expands: boolean
  readonly listed: boolean
}

/**
 * Accepts a batch in one statement, one commit (P1, P5). Keys go in one order, or the flushes of two nodes deadlock; a live key of an earlier
 * call answers with its stored response, and the rows of its repeat are not inserted. `notify` names shards that other nodes own; `listed`
 * are messages of lists, which readers find by those.
 */
export const write = (sql: SqlClient.SqlClient) => {
  const insert = ({ expands, keyed, listed, notify }: Parts) => `
    with x as (select * from rows from (json_to_recordset($1::json) as (${messageTypes}), unnest($2::text[], $3::text[]))
      as x(n, ${messageColumns})),
    ${
    keyed
      ? `k as (
      insert into idempotency as i (scope, path, key, owner, status, headers, body, body_hash, expires_at)
      select scope, path, key, owner, status, headers, body, body_hash, expires_at
      from json_to_recordset($6::json) as e(scope int, path text, key text, owner text, status smallint, headers text, body text,
        body_hash text, expires_at bigint)
      order by scope, path, key
      on conflict (scope, path, key) do update set
        owner = case when i.expires_at <= $7::bigint then excluded.owner else i.owner end,
        status = case when i.expires_at <= $7::bigint then excluded.status else i.status end,
        headers = case when i.expires_at <= $7::bigint then excluded.headers else i.headers end,
        body = case when i.expires_at <= $7::bigint then excluded.body else i.body end,
        body_hash = case when i.expires_at <= $7::bigint then excluded.body_hash else i.body_hash end,
        expires_at = case when i.expires_at <= $7::bigint then excluded.expires_at else i.expires_at end
      returning scope, path, key, owner, status, headers, body),
    e as (select e.n, e.owner as mine, k.owner, k.status, k.headers, k.body
      from json_to_recordset($6::json) as e(n int, scope int, path text, key text, owner text) join k using (scope, path, key)),
    lost as (select n from e where owner <> mine),`
      : `lost as (select 0 as n where false),`
  }
    m as (insert into messages (${messageColumns})
      select ${messageColumns} from x where n not in (select n from lost) on conflict (scope, id) do nothing),
    h as (insert into history (scope, message_id, at, step, events)
      select h.scope, h.message_id, h.at, 'accept', h.events
      from json_to_recordset($4::json) as h(n int, scope int, message_id text, at bigint, events text)
      where h.n not in (select n from lost) on conflict do nothing),
    p as (insert into profiles (scope, user_id, profile, created_at, updated_at)
      select distinct on (p.scope, p.user_id) p.scope, p.user_id, p.profile, p.at, p.at
      from json_to_recordset($5::json) as p(n int, scope int, user_id text, profile text, at bigint)
      where p.n not in (select n from lost) order by p.scope, p.user_id, p.n on conflict (scope, user_id) do nothing)${
    expands ? `, ${Expand.insertion(keyed ? 8 : 6)}` : ""
  }${
    listed
      ? `, l as (insert into list_requests (scope, list_id, request_id) select distinct scope, list_id, request_id from x
      where list_id is not null and n not in (select n from lost) on conflict do nothing)`
      : ""
  }
    select ${keyed ? "n, owner, status, headers, body" : "n"}${
    notify ? `, (select pg_notify('tidings_due', $${(keyed ? 8 : 6) + (expands ? 1 : 0)}))::text` : ""
  } from ${keyed ? "e" : "lost"} ${!keyed && notify ? "right join (select 1) one on true" : ""}`

  return Effect.fnUntraced(function*(batch: ReadonlyArray<Named>, unowned: ReadonlyArray<number>) {
    const drafts = batch.flatMap(({ acceptance }) => acceptance.messages)
    const messages = batch.flatMap(({ acceptance }, n) => acceptance.messages.map((message) => messageRow(n, message)))
    const history = batch.flatMap(({ acceptance }, n) =>
      acceptance.messages.flatMap((message) =>
        message.events.length === 0 ? [] : [{
          n,
          scope: message.scope,
          message_id: message.id,
          at: acceptance.at,
          events: JSON.stringify(message.events)
        }]
      )
    )
    const profiles = batch.flatMap(({ acceptance }, n) =>
      acceptance.profiles.map((profile) => ({
        n,
        scope: profile.scope,
        user_id: profile.userId,
        profile: JSON.stringify(profile.profile),
        at: acceptance.at
      }))
    )
    const keys = batch.flatMap(({ acceptance: { key, response }, owner }, n) =>
      key === undefined ? [] : [{
        n,
        scope: key.scope,
        path: key.path,
        key: key.value,
        owner,
        status: response.status,
        headers: JSON.stringify(response.headers),
        body: response.body,
        body_hash: key.bodyHash,
        expires_at: key.expiresAt
      }]
    )
    const keyed = keys.length > 0
    const now = Math.max(...batch.map(({ acceptance }) => acceptance.at))
    // What the callers wrote goes over beside the rows: inside their JSON it would be escaped and parsed once more.
    const params: Array<unknown> = [
      JSON.stringify(messages),
      drafts.map(({ recipient }) => JSON.stringify(recipient)),
      drafts.map(({ instructions }) => JSON.stringify(instructions)),
      JSON.stringify(history),
      JSON.stringify(profiles)
    ]
    if (keyed) params.push(JSON.stringify(keys), now)
    const expansions = Expand.rows(batch.map(({ acceptance }) => acceptance))
    if (expansions.length > 0) params.push(JSON.stringify(expansions))
    if (unowned.length > 0) params.push(unowned.join(","))
    const parts = {
      notify: unowned.length > 0,
      keyed,
      expands: expansions.length > 0,
      listed: drafts.some(({ listId }) => listId !== undefined)
    }
    const rows = yield* sql.unsafe(insert(parts), params)
    const kept = new Map((yield* decodeKept(keyed ? rows : []).pipe(Effect.orDie)).map((row) => [row.n, row]))
    return batch.map(({ acceptance, owner }, n): Accepted => {
      const row = kept.get(n)
      return row === undefined || row.owner === owner
        ? { response: acceptance.response, replayed: false }
        : { response: { status: row.status, headers: row.headers, body: row.body }, replayed: true }
    })
  })
}
