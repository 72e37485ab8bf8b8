import { type IdempotencyKey, StoredResponse } from "#src/access/Idempotency.ts"
import { Array, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const headers = Schema.fromJsonString(StoredResponse.fields.headers)
const encodeHeaders = Schema.encodeEffect(headers)
const decodeStored = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ owner: Schema.String, status: Schema.Int, headers, body: Schema.String }))
)

/**
 * The row of a key within the transaction that it belongs to: taken first (the unique index makes the others wait),
 * filled with the response last. There is no "in progress" record to expire: it is the open transaction (reliability.md
 * 2.2).
 */
export const make = (sql: SqlClient.SqlClient) => {
  /**
   * Whether the key is this transaction's: it had no row, or an expired one. Waits at most 5 s for another's
   * transaction, then fails with SQLSTATE 55P03; `set_config` stands in the `from` so that it holds before the insert
   * waits, without a round trip of its own.
   */
  const take = (key: IdempotencyKey, owner: string, now: number) =>
    Effect.map(
      sql`insert into idempotency as i (scope, path, key, owner, status, headers, body, body_hash, expires_at)
        select ${key.scope}, ${key.path}, ${key.value}, ${owner}, 0, '{}', '', ${key.bodyHash}, ${key.expiresAt}::bigint
        from set_config('lock_timeout', '5000', true)
        on conflict (scope, path, key) do update set owner = excluded.owner, status = excluded.status,
          headers = excluded.headers, body = excluded.body, body_hash = excluded.body_hash, expires_at = excluded.expires_at
        where i.expires_at <= ${now}::bigint returning 1`,
      (rows) => rows.length === 1
    )

  /** What a committed call stored for the key, until it expires. */
  const find = Effect.fnUntraced(function*(key: IdempotencyKey, now: number) {
    const rows = yield* sql`select owner, status, headers, body from idempotency
      where scope = ${key.scope} and path = ${key.path} and key = ${key.value} and expires_at > ${now}::bigint`
    return Option.map(Array.head(yield* decodeStored(rows)), ({ body, headers, owner, status }) => ({
      owner,
      response: { status, headers, body } satisfies StoredResponse
    }))
  })

  const fill = Effect.fnUntraced(function*(key: IdempotencyKey, response: StoredResponse) {
    yield* sql`update idempotency set status = ${response.status}, headers = ${yield* encodeHeaders(response.headers)},
        body = ${response.body}
      where scope = ${key.scope} and path = ${key.path} and key = ${key.value}`
  })

  return { take, find, fill }
}
