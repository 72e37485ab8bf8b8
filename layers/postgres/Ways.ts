import * as InPieces from "#layers/postgres/statements/InPieces.ts"
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

const decodeRevisions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ revision: Schema.String })))

/** What is looked for: a way that has one of these texts in its JSON, and for which this holds. The same texts mean the same. */
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

  /** A thousand tenants at a time, in a transaction: all of their templates in one statement are more than a caller waits for. */
  const tenantTemplate = Effect.fnUntraced(function*(scope: Scope, wanted: Wanted) {
    const walk = yield* InPieces.opened(sql, sql`select id as key from tenants where scope = ${scope} order by id`)
    let found: Effect.Success<ReturnType<typeof decodeTemplates>>[number] | undefined
    yield* walk((tenantIds) =>
      found !== undefined ? Effect.void : Effect.map(
        first(wanted, (page) =>
          sql`select t.tenant_id as "tenantId", t.template_id as id, v.template as way
            from unnest(${tenantIds}::text[]) as x(tenant_id) cross join lateral (
              select tenant_id, template_id, live, latest from tenant_templates
              where scope = ${scope} and tenant_id = x.tenant_id collate "C" offset 0) t
            cross join lateral (select version, template from tenant_template_versions
              where scope = ${scope} and tenant_id = t.tenant_id and template_id = t.template_id
                and version in (t.live, t.latest) offset 0) v
            where ${has("v.template", wanted)}
            order by t.tenant_id, t.template_id, v.version ${page}`.pipe(Effect.flatMap(decodeTemplates))),
        (one) => {
          found = one
        }
      )
    )
    return found
  })

  const revisionOf = (scope: Scope) =>
    sql`select revision::text as revision from revisions where scope = ${scope} and kind = 'tenant templates'`.pipe(
      Effect.flatMap(decodeRevisions),
      Effect.map(([row]) => row?.revision ?? "")
    )

  return {
    strategy: (scope: Scope, wanted: Wanted) =>
      first(wanted, (page) =>
        sql`select id, strategy as way from routing_strategies
          where scope = ${scope} and not archived and ${has("strategy", wanted)} order by id ${page}`.pipe(
          Effect.flatMap(decodeStrategies)
        )),
    /**
     * Looks for a template of a tenant, and for the same again: what was not found is not looked for until a template is
     * written. So who asks before a change takes its locks, and under them once more, has them for a moment.
     */
    tenantTemplates: (scope: Scope) => {
      let missed: string | undefined
      return Effect.fnUntraced(function*(wanted: Wanted) {
        const asked = JSON.stringify([yield* revisionOf(scope), wanted.texts])
        if (missed === asked) return undefined
        const found = yield* tenantTemplate(scope, wanted)
        missed = found === undefined ? asked : undefined
        return found
      })
    }
  }
}
