import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { PreferenceChannel, PreferenceStatus } from "#schemas/Preferences.ts"
import { Scope } from "#schemas/Scope.ts"
import { chainLength } from "#schemas/Tenant.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { type TenantDefault, TenantPreferences } from "#src/people/TenantPreferences.ts"
import { Context, Effect, Exit, Layer, Request, RequestResolver, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  scope: Scope,
  asked: Schema.String,
  topicId: Schema.String,
  tenantId: Schema.String,
  status: PreferenceStatus,
  has_custom_routing: Schema.NullOr(Schema.Boolean),
  custom_routing: Schema.NullOr(Schema.fromJsonString(Schema.Array(PreferenceChannel)))
})))

const maxBatch = 500

interface Asked {
  readonly scope: Scope
  readonly tenantId: string
  readonly topicId: string
}

class Chain extends Request.Class<Asked, ReadonlyArray<TenantDefault>, StoreUnavailable> {}

const nameOf = ({ scope, tenantId, topicId }: Asked): string => JSON.stringify([scope, tenantId, topicId])

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  /** The lookups of one turn as one statement; those of a transaction stay on its connection. */
  const resolver = RequestResolver.makeWith<Chain>({
    batchKey: (entry) => Context.getOrUndefined(entry.context, sql.transactionService)?.[0],
    delay: Effect.yieldNow,
    collectWhile: (entries) => entries.size < maxBatch,
    runAll: Effect.fnUntraced(function*(entries) {
      const asked = [...new Map(entries.map(({ request }) => [nameOf(request), request])).values()]
      const rows = yield* sql`with recursive up as (
          select x.scope, x.tenant_id as asked, x.topic_id, t.id, t.parent_id, 1 as depth
          from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ tenantId }) => tenantId)}::text[],
            ${asked.map(({ topicId }) => topicId)}::text[]) as x(scope, tenant_id, topic_id)
          join tenants t on t.scope = x.scope and t.id = x.tenant_id
          union all
          select up.scope, up.asked, up.topic_id, t.id, t.parent_id, up.depth + 1
          from up join tenants t on t.scope = up.scope and t.id = up.parent_id where up.depth < ${chainLength}::int)
        select up.scope, up.asked, up.topic_id as "topicId", up.id as "tenantId", d.status, d.has_custom_routing, d.custom_routing
        from up join tenant_default_preferences d on d.scope = up.scope and d.tenant_id = up.id and d.topic_id = up.topic_id
        order by up.depth`.pipe(Effect.flatMap(decodeRows), orUnavailable)
      const chains = Map.groupBy(rows, ({ asked, scope, topicId }) => nameOf({ scope, tenantId: asked, topicId }))
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(chains.get(nameOf(entry.request)) ?? []))
    })
  })

  return TenantPreferences.of({
    chain: (scope, tenantId, topicId) => Effect.request(new Chain({ scope, tenantId, topicId }), resolver)
  })
})

/** Tenants' defaults on Postgres. */
export const layer = Layer.effect(TenantPreferences, make)
