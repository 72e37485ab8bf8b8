import * as Locked from "#layers/postgres/statements/Locked.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Rows of each kind deleted in one transaction, members each with a mark for the audiences: so few that its locks are
 * held briefly.
 */
const batch = 1_000

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ scope: Schema.Int, tenantId: Schema.String, generation: Schema.String }))
)
const decodeGenerations = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ generation: Schema.String })))

/** The condition that the tenant of a row of `tenant_templates`, by its alias, exists. */
export const isThere = (sql: SqlClient.SqlClient, of: string) =>
  sql.literal(`exists (select from tenants owner where owner.scope = ${of}.scope and owner.id = ${of}.tenant_id)`)

/**
 * Deletes what a deleted tenant has left but its members, the next `batch` rows of each kind. Nothing happens if the
 * tenant exists again: `generation` has cleared the old one's rows by then.
 */
const pieces = (sql: SqlClient.SqlClient, scope: number, id: string) => {
  const limit = sql`limit ${batch}::int`
  const isGone = sql`not exists (select from tenants p where p.scope = ${scope} and p.id = ${id})`
  const removed = (table: string, key: string) =>
    sql`delete from ${sql(table)} where ctid = any(array(
      select ctid from ${sql(table)} where scope = ${scope} and tenant_id = ${id} and ${isGone}
      order by ${sql.literal(key)} ${limit} for update)) returning 1`
  return [
    sql`update tenants set parent_id = null where ctid = any(array(
      select ctid from tenants where scope = ${scope} and parent_id = ${id} and ${isGone}
      order by id ${limit} for no key update)) returning 1`,
    removed("tenant_templates", "template_id"),
    removed("tenant_template_versions", "template_id, version")
  ]
}

/** Deletes the next rows of a deleted tenant, in the order of their ids. Answers whether there may be more. */
export const step = Effect.fn("tenants.Drops.step")(
  function*(sql: SqlClient.SqlClient) {
    const found = yield* sql`select scope, tenant_id as "tenantId", generation::text as generation from tenant_drops
      order by scope, tenant_id limit 1 for update skip locked`.pipe(Effect.flatMap(decode))
    for (const { generation, scope, tenantId } of found) {
      const members = Locked.rows(
        sql,
        sql`select ctid from tenant_users where scope = ${scope} and tenant_id = ${tenantId} and generation < ${generation}::bigint
          order by user_id limit ${batch}::int for update`,
        (rows) => sql`delete from tenant_users where ${rows} returning 1`
      )
      const kinds = [...pieces(sql, scope, tenantId), members]
      const gone = yield* Effect.forEach(kinds, Effect.map((rows) => rows.length))
      if (gone.every((rows) => rows < batch)) {
        yield* sql`delete from tenant_drops where scope = ${scope} and tenant_id = ${tenantId}`
      }
    }
    return found.length > 0
  },
  (effect, sql) => sql.withTransaction(effect)
)

/**
 * The generation that a tenant gets if it is created now; to be called in the transaction that writes it. Clears what a
 * deleted tenant of the same id has left, but for its members: those have the generation before. `step` waits for this
 * transaction.
 */
export const generation = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, scope: Scope, id: string) {
  const rows = yield* sql`select generation::text as generation from tenant_drops
    where scope = ${scope} and tenant_id = ${id} for update`.pipe(Effect.flatMap(decodeGenerations))
  const drop = Array.head(rows)
  if (Option.isNone(drop)) return "0"
  for (const piece of pieces(sql, scope, id)) {
    yield* Effect.repeat(Effect.tap(piece, Patience.heard), { while: (rows) => rows.length === batch })
  }
  return drop.value.generation
})
