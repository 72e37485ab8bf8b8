import * as Expand from "#layers/postgres/journal/Expand.ts"
import * as Parameters from "#layers/postgres/journal/Parameters.ts"
import * as Repeats from "#layers/postgres/statements/Repeats.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import type { Accepted, Acceptance, NewMessage } from "#src/delivery/Journal.ts"
import { StoredResponse } from "#src/access/Idempotency.ts"
import { Effect, Exit, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** An acceptance on its way to the database. */
export interface Named {
  readonly acceptance: Acceptance
  /** Names this call alone: by it, a flush repeated after an unknown commit recognises its own rows. */
  readonly owner: string
  /** What it counts of its flush (`Weight.most`). */
  readonly weight: number
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

const messageTypes =
  `n int, scope int, id text, request_id text, shard smallint, lane text, recipient_key text, key_state text,
  status text, due_at bigint, event text, template text, recipient_name text, tenant_id text, list_id text, tags text[],
  trace_id text, enqueued_at bigint`

const decodeOwners = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ n: Schema.Int, owner: Schema.String })))
/** A row of another version, or one that something else wrote, is the fault of its own callers alone. */
const decodeKept = Schema.decodeUnknownExit(
  Schema.Struct({
    status: Schema.Int,
    headers: Schema.fromJsonString(StoredResponse.fields.headers),
    body: Schema.String
  })
)

/**
 * The placeholders of a batch's parameters. What most batches do not need is left out, which makes their statement
 * shorter.
 */
interface Parts {
  readonly messages: string
  readonly recipients: string
  readonly instructions: string
  readonly history: string
  readonly profiles: string
  readonly keys: { readonly rows: string; readonly now: string } | undefined
  readonly expansions: string | undefined
  /** Whether there are messages of lists, which readers find by their list. */
  readonly listed: boolean
  /** When the batch is written, if webhooks want to know of messages. */
  readonly told: string | undefined
}

/**
 * Accepts a batch in one statement and one commit (P1, P5). Keys go in one order, or the flushes of two nodes deadlock.
 * A live key of an earlier call answers with its stored response, and nothing of the repeat is inserted; an `Exit` that
 * fails if that response does not decode.
 */
export const write = (sql: SqlClient.SqlClient) => {
  const insert = (
    { expansions, history, instructions, keys, listed, messages, profiles, recipients, told }: Parts,
    areNew: boolean
  ) => `
    with x as (select * from rows from (json_to_recordset(${messages}::json) as (${messageTypes}),
      unnest(${recipients}::text[], ${instructions}::text[]))
      as x(n, ${Expand.messageColumns})),
    ${
    keys !== undefined
      ? `k as (
      insert into idempotency as i (scope, path, key, owner, status, headers, body, body_hash, expires_at)
      select scope, path, key, owner, status, headers, body, body_hash, expires_at
      from json_to_recordset(${keys.rows}::json) as e(scope int, path text, key text, owner text, status smallint, headers text, body text,
        body_hash text, expires_at bigint)
      order by scope, path, key
      on conflict (scope, path, key) do update set
        owner = case when i.expires_at <= ${keys.now}::bigint then excluded.owner else i.owner end,
        status = case when i.expires_at <= ${keys.now}::bigint then excluded.status else i.status end,
        headers = case when i.expires_at <= ${keys.now}::bigint then excluded.headers else i.headers end,
        body = case when i.expires_at <= ${keys.now}::bigint then excluded.body else i.body end,
        body_hash = case when i.expires_at <= ${keys.now}::bigint then excluded.body_hash else i.body_hash end,
        expires_at = case when i.expires_at <= ${keys.now}::bigint then excluded.expires_at else i.expires_at end
      returning scope, path, key, owner, status, headers, body),
    e as (select e.n, e.owner as mine, k.owner, k.status, k.headers, k.body
      from json_to_recordset(${keys.rows}::json) as e(n int, scope int, path text, key text, owner text) join k using (scope, path, key)),
    lost as (select n from e where owner <> mine),`
      : `lost as (select 0 as n where false),`
  }
    m as (insert into messages (${Expand.messageColumns})
      select ${Expand.messageColumns} from x where n not in (select n from lost) ${
    areNew ? "" : "on conflict (scope, id) do nothing"
  }
      ${told === undefined ? "" : `returning scope, id, status, enqueued_at as at, ${told}::bigint as stored_at`}),
    h as (insert into history (scope, message_id, at, step, events)
      select h.scope, h.message_id, h.at, 'accept', h.events
      from json_to_recordset(${history}::json) as h(n int, scope int, message_id text, at bigint, events text)
      where h.n not in (select n from lost) on conflict do nothing),
    p as (insert into profiles (scope, user_id, profile, created_at, updated_at)
      select distinct on (p.scope, p.user_id) p.scope, p.user_id, p.profile, p.at, p.at
      from json_to_recordset(${profiles}::json) as p(n int, scope int, user_id text, profile text, at bigint)
      where p.n not in (select n from lost) order by p.scope, p.user_id, p.n on conflict (scope, user_id) do nothing)${
    expansions === undefined ? "" : `, ${Expand.insertion(expansions)}`
  }${
    listed
      ? `, l as (insert into list_requests (scope, list_id, request_id) select distinct scope, list_id, request_id from x
      where list_id is not null and n not in (select n from lost) on conflict do nothing)`
      : ""
  }${told === undefined ? "" : `, w as (${Told.messages("select * from m")})`}
    select ${keys !== undefined ? "n, owner, status, headers, body" : "n"}${
    told === undefined ? "" : `, ${Told.wake}`
  } from ${keys !== undefined ? "e" : "lost"} ${
    keys === undefined && told !== undefined ? "right join (select 1) one on true" : ""
  }`

  return Effect.fnUntraced(function*(batch: ReadonlyArray<Named>, isHeard: boolean) {
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
    const expansions = Expand.rows(batch.map(({ acceptance }) => acceptance))
    const isKeyed = keys.length > 0
    const now = Math.max(...batch.map(({ acceptance }) => acceptance.at))
    const { $, values } = Parameters.make()
    const parts: Parts = {
      messages: $(JSON.stringify(messages)),
      // What callers wrote is sent beside the rows: inside their JSON it would be escaped and parsed a second time.
      recipients: $(drafts.map(({ recipient }) => JSON.stringify(recipient))),
      instructions: $(drafts.map(({ instructions }) => JSON.stringify(instructions))),
      history: $(JSON.stringify(history)),
      profiles: $(JSON.stringify(profiles)),
      keys: isKeyed ? { rows: $(JSON.stringify(keys)), now: $(now) } : undefined,
      expansions: expansions.length === 0 ? undefined : $(JSON.stringify(expansions)),
      listed: drafts.some(({ listId }) => listId !== undefined),
      told: isHeard ? $(now) : undefined
    }
    const rows = yield* Repeats.asNew(values, (areNew) => sql.unsafe(insert(parts, areNew), values))
    const owners = yield* Effect.orDie(decodeOwners(isKeyed ? rows : []))
    const kept = new Map(owners.map(({ n, owner }, row) => [n, { owner, row: rows[row] }]))
    return batch.map(({ acceptance, owner }, n): Exit.Exit<Accepted, Schema.SchemaError> => {
      const found = kept.get(n)
      return found === undefined || found.owner === owner
        ? Exit.succeed({ response: acceptance.response, replayed: false })
        : Exit.map(decodeKept(found.row), (response) => ({ response, replayed: true }))
    })
  })
}
