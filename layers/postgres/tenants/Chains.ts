import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import * as Rows from "#layers/postgres/tenants/Rows.ts"
import { Scope } from "#schemas/Scope.ts"
import { chainLength, type Tenant } from "#schemas/Tenant.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, Effect, Exit, Request, RequestResolver, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ scope: Scope, asked: Schema.String, ...Rows.Row.fields }))
)

const maxBatch = 500

class Look extends Request.Class<
  { readonly scope: Scope; readonly id: string },
  ReadonlyArray<Tenant>,
  StoreUnavailable
> {}

/** Tenants with their ancestors, nearest first: the lookups of one turn as one statement. */
export const make = (sql: SqlClient.SqlClient) => {
  const resolver = RequestResolver.makeWith<Look>({
    batchKey: (entry) => Context.getOrUndefined(entry.context, sql.transactionService)?.[0],
    delay: Effect.yieldNow,
    collectWhile: (entries) => entries.size < maxBatch,
    runAll: Effect.fnUntraced(function*(entries) {
      const rows = yield* sql`with recursive asked as (
          select distinct x.scope, x.id
          from unnest(${entries.map((entry) => entry.request.scope)}::int[],
            ${entries.map((entry) => entry.request.id)}::text[]) as x(scope, id)
        ), chain as (
          select t.scope, t.id as asked, t.id, t.parent_id, 1 as depth
          from asked a join tenants t on t.scope = a.scope and t.id = a.id
          union all
          select t.scope, c.asked, t.id, t.parent_id, c.depth + 1
          from chain c join tenants t on t.scope = c.scope and t.id = c.parent_id
          where c.depth < ${chainLength}::int
        )
        select c.scope, c.asked, ${sql.literal(Rows.columns)}
        from chain c join tenants t on t.scope = c.scope and t.id = c.id order by c.depth`.pipe(
        Effect.flatMap(decode),
        orUnavailable
      )
      for (const entry of entries) {
        const { id, scope } = entry.request
        const chain = rows.filter((row) => row.scope === scope && row.asked === id).map(Rows.tenant)
        entry.completeUnsafe(Exit.succeed(chain))
      }
    })
  })
  return (scope: Scope, id: string) => Effect.request(new Look({ scope, id }), resolver)
}
