import * as Drops from "#layers/postgres/tenants/Drops.ts"
import { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Scope } from "#schemas/Scope.ts"
import { TenantTemplate } from "#schemas/TenantTemplate.ts"
import type { Configuration } from "#src/delivery/providers/ProviderConfigurations.ts"
import { needs } from "#src/delivery/providers/StrategyProviders.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

type Named = Pick<Configuration, "alias" | "id" | "provider">

/** Texts of strategies and templates that are read at once. */
const looked = 20

const decodeStrategies = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.String, way: Schema.fromJsonString(RoutingStrategy) }))
)

const decodeTemplates = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ tenantId: Schema.String, id: Schema.String, way: Schema.fromJsonString(TenantTemplate) })
  )
)

/**
 * Tells, in words, what could no longer send as it says without a configuration; `undefined` if nothing. Of strategies
 * and templates only those are read whose text has one of the configuration's names: an environment may have a template
 * for each of its tenants.
 */
export const make = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function*(scope: Scope, removed: Named, others: ReadonlyArray<{ readonly provider: string }>) {
    const { alias, id, provider } = removed
    const isLast = !others.some((other) => other.provider === provider)
    const names = [id, ...(alias === undefined ? [] : [alias]), ...(isLast ? [provider] : [])]

    const named = (column: string) =>
      sql.or(names.map((name) => sql`position(${JSON.stringify(name)} in ${sql.literal(column)}) > 0`))

    /** The first that needs it. `read` answers a page; nearly all that have a name do need it, so the first one tells. */
    const first = Effect.fnUntraced(function*<User extends { readonly way: Parameters<typeof needs>[0] }, E>(
      read: (page: Statement.Fragment) => Effect.Effect<ReadonlyArray<User>, E>
    ) {
      for (let from = 0;; from += looked) {
        const found = yield* read(sql`offset ${from}::int limit ${looked}::int`)
        const user = found.find(({ way }) => needs(way, removed, others))
        if (user !== undefined || found.length < looked) return user
      }
    })

    const strategy = yield* first((page) =>
      sql`select id, strategy as way from routing_strategies
        where scope = ${scope} and not archived and ${named("strategy")} order by id ${page}`.pipe(
        Effect.flatMap(decodeStrategies)
      )
    )
    if (strategy !== undefined) return `routing strategy ${strategy.id}`
    const template = yield* first((page) =>
      sql`select t.tenant_id as "tenantId", t.template_id as id, v.template as way from tenant_templates t
        join tenant_template_versions v on v.scope = t.scope and v.tenant_id = t.tenant_id
          and v.template_id = t.template_id and v.version in (t.live, t.latest)
        where t.scope = ${scope} and ${Drops.isThere(sql, "t")} and ${named("v.template")}
        order by t.tenant_id, t.template_id, v.version ${page}`.pipe(Effect.flatMap(decodeTemplates))
    )
    return template === undefined ? undefined : `template ${template.id} of tenant ${template.tenantId}`
  })
