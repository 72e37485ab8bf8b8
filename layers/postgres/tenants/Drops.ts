import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** Members deleted in one transaction, each with a mark for the audiences: so few that its locks are held briefly. */
const batch = 1_000

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ scope: Schema.Int, tenantId: Schema.String, generation: Schema.String }))
)

/** Deletes the next members of a deleted tenant, in the order of their ids. Answers whether there may be more. */
export const step = Effect.fn("tenants.Drops.step")(
  function*(sql: SqlClient.SqlClient) {
    const found = yield* sql`select scope, tenant_id as "tenantId", generation::text as generation from tenant_drops
      order by scope, tenant_id limit 1 for update skip locked`.pipe(Effect.flatMap(decode))
    for (const { generation, scope, tenantId } of found) {
      const gone = yield* sql`delete from tenant_users where ctid = any(array(
        select ctid from tenant_users where scope = ${scope} and tenant_id = ${tenantId} and generation < ${generation}::bigint
        order by user_id limit ${batch}::int for update)) returning 1`
      if (gone.length < batch) yield* sql`delete from tenant_drops where scope = ${scope} and tenant_id = ${tenantId}`
    }
    return found.length > 0
  },
  (effect, sql) => sql.withTransaction(effect)
)
