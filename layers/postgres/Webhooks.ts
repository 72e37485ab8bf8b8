import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import type { Scope } from "#schemas/Scope.ts"
import { WebhookEventType, WebhookState } from "#schemas/Webhook.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { most, TooManyWebhooks, untold, WebhookNotFound, type WebhookRecord, Webhooks } from "#src/reports/Webhooks.ts"
import * as Secrets from "#src/reports/webhooks/Secrets.ts"
import { Array, Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Text = Schema.NullOr(Schema.String)
const Time = Schema.NullOr(Schema.Number)

const Row = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  types: Schema.NullOr(Schema.Array(WebhookEventType)),
  description: Text,
  state: WebhookState,
  failingSince: Time,
  error: Text,
  gaveUpAt: Time,
  lost: Schema.Number,
  reachedAt: Time,
  created: Schema.Number,
  updated: Time
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeSecrets = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ secrets: Schema.String })))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Number })]))

const columns = `id, url, types, description, state, failing_since::float8 as "failingSince", error,
  gave_up_at::float8 as "gaveUpAt", lost::float8 as lost, reached_at::float8 as "reachedAt",
  created_at::float8 as created, updated_at::float8 as updated`

const record = ({ error, failingSince, ...row }: typeof Row.Type): WebhookRecord => ({
  ...row,
  types: row.types ?? undefined,
  description: row.description ?? undefined,
  failing: failingSince === null ? undefined : { since: failingSince, error: error ?? "" },
  gaveUpAt: row.gaveUpAt ?? undefined,
  reachedAt: row.reachedAt ?? undefined,
  updated: row.updated ?? undefined
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const newId = yield* TypeId.generator("wh")
  const secrets = yield* Secrets.make
  const revisions = yield* Revisions.make("webhooks")
  const listed = Readable.listed("webhook", Row)
  const isIt = (scope: Scope, id: string) => sql`scope = ${scope} and id = ${id}`

  const only = Effect.fnUntraced(function*(id: string, rows: ReadonlyArray<unknown>) {
    const row = Array.head(yield* decode(rows))
    return Option.isSome(row) ? record(row.value) : yield* new WebhookNotFound({ id })
  })

  // Every write bumps the revision first: its row is the lock that serialises the writes of a scope's webhooks, of which
  // there may be so many.
  const create: Webhooks["Service"]["create"] = Effect.fnUntraced(
    function*(scope, draft, secret) {
      yield* revisions.bump(scope)
      const rows = yield* sql`select count(*)::int as count from webhooks where scope = ${scope}`
      const [{ count }] = yield* decodeCount(rows)
      if (count >= most) return yield* new TooManyWebhooks({ most })
      const id = yield* newId
      const now = yield* Clock.currentTimeMillis
      const sealed = yield* secrets.seal(scope, id, [{ secret: Redacted.value(secret) }])
      yield* sql`insert into webhooks (scope, id, url, types, description, state, secrets, created_at)
        values (${scope}, ${id}, ${draft.url}, ${draft.types ?? null}::text[], ${draft.description ?? null},
          ${draft.state}, ${sealed}, ${now})`
      return { ...draft, ...untold, id, created: now, updated: undefined }
    },
    sql.withTransaction,
    orUnavailable
  )

  const get = Effect.fnUntraced(function*(scope: Scope, id: string) {
    return yield* only(id, yield* sql`select ${sql.literal(columns)} from webhooks where ${isIt(scope, id)}`)
  }, orUnavailable)

  const list: Webhooks["Service"]["list"] = Effect.fnUntraced(function*(scope, query) {
    const page = yield* PageBytes.newestFirst(sql, {
      cursors,
      list: { scope, route: "webhooks", filters: [] },
      query,
      table: "webhooks",
      columns,
      bytes: "octet_length(url)",
      decode: listed
    })
    return { ...page, items: page.items.map(record) }
  }, orUnavailable)

  const replace: Webhooks["Service"]["replace"] = Effect.fnUntraced(
    function*(scope, id, { description = null, state, types = null, url }) {
      yield* revisions.bump(scope)
      const now = yield* Clock.currentTimeMillis
      const isAnew = sql`(${state}::text = 'ENABLED' and (state <> 'ENABLED' or url <> ${url}))`
      const anew = (column: string, value: string) =>
        sql`${sql(column)} = case when ${isAnew} then ${sql.literal(value)} else ${sql(column)} end`
      // A call that is under way since before says nothing of a webhook that begins anew: its claim is over.
      const rows = yield* sql`update webhooks set url = ${url}, types = ${types}::text[], description = ${description},
          state = ${state}, updated_at = ${now}, ${anew("failures", "0")}, ${anew("failing_since", "null")},
          ${anew("error", "null")}, ${anew("gave_up_at", "null")}, ${anew("paused_until", "0")},
          ${anew("claim", "claim + 1")}, ${anew("claimed_until", "0")},
          since = case when ${state}::text = 'ENABLED' and state <> 'ENABLED' then ${now}::bigint else since end
        where ${isIt(scope, id)} returning ${sql.literal(columns)}`
      return yield* only(id, rows)
    },
    sql.withTransaction,
    orUnavailable
  )

  const remove = Effect.fnUntraced(
    function*(scope: Scope, id: string) {
      yield* revisions.bump(scope)
      const gone = yield* sql`delete from webhooks where ${isIt(scope, id)} returning 1`
      if (gone.length === 0) return yield* new WebhookNotFound({ id })
    },
    sql.withTransaction,
    orUnavailable
  )

  const renew: Webhooks["Service"]["renew"] = Effect.fnUntraced(
    function*(scope, id, secret) {
      yield* revisions.bump(scope)
      const [stored] = yield* decodeSecrets(yield* sql`select secrets from webhooks where ${isIt(scope, id)}`)
      if (stored === undefined) return yield* new WebhookNotFound({ id })
      const renewed = yield* secrets.renewed(scope, id, stored.secrets, secret)
      yield* sql`update webhooks set secrets = ${renewed} where ${isIt(scope, id)}`
    },
    sql.withTransaction,
    orUnavailable
  )

  return Webhooks.of({ create, get, list, replace, remove, renew })
})

/** The webhooks in Postgres. */
export const layer = Layer.effect(Webhooks, make)
