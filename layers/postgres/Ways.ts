import * as Drops from "#layers/postgres/tenants/Drops.ts"
import { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Scope } from "#schemas/Scope.ts"
import { TenantTemplate } from "#schemas/TenantTemplate.ts"
import type { Way } from "#src/delivery/providers/Ways.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** Ways that are read at once. */
const looked = 20

const decodeStrategies = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.String, way: Schema.fromJsonString(RoutingStrategy) }))
)
const decodeTemplates = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ tenantId: Schema.String, id: Schema.String, way: Schema.fromJsonString(TenantTemplate) })
  )
)

/** What is looked for: a way that has one of these texts in its JSON, and for which this holds. */
interface Wanted {
  readonly texts: ReadonlyArray<string>
  readonly holds: (way: Way) => boolean
}

/**
 * Finds the first routing strategy, or the first template of a tenant in its live or latest version, that is wanted.
 * Only those with one of the texts are read: an environment may have a template for each of its tenants.
 */
export const make = (sql: SqlClient.SqlClient) => {
  const has = (column: string, { texts }: Wanted) =>
    sql.or(texts.map((text) => sql`position(${text} in ${sql.literal(column)}) > 0`))

  /** `read` answers a page. Nearly all that have one of the texts are wanted, so the first page tells. */
  const first = Effect.fnUntraced(function*<A extends { readonly way: Way }, E>(
    { holds }: Wanted,
    read: (page: Statement.Fragment) => Effect.Effect<ReadonlyArray<A>, E>
  ) {
    for (let from = 0;; from += looked) {
      const found = yield* read(sql`offset ${from}::int limit ${looked}::int`)
      const one = found.find(({ way }) => holds(way))
      if (one !== undefined || found.length < looked) return one
    }
  })

  return {
    strategy: (scope: Scope, wanted: Wanted) =>
      first(wanted, (page) =>
        sql`select id, strategy as way from routing_strategies
          where scope = ${scope} and not archived and ${has("strategy", wanted)} order by id ${page}`.pipe(
          Effect.flatMap(decodeStrategies)
        )),
    tenantTemplate: (scope: Scope, wanted: Wanted) =>
      first(
        wanted,
        (page) =>
          sql`select t.tenant_id as "tenantId", t.template_id as id, v.template as way from tenant_templates t
          join tenant_template_versions v on v.scope = t.scope and v.tenant_id = t.tenant_id
            and v.template_id = t.template_id and v.version in (t.live, t.latest)
          where t.scope = ${scope} and ${Drops.isThere(sql, "t")} and ${has("v.template", wanted)}
          order by t.tenant_id, t.template_id, v.version ${page}`.pipe(Effect.flatMap(decodeTemplates))
      )
  }
}
