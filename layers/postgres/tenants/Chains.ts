import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import * as Rows from "#layers/postgres/tenants/Rows.ts"
import type { Scope } from "#schemas/Scope.ts"
import { chainLength } from "#schemas/Tenant.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ place: Schema.Number, ...Rows.Row.fields })))

interface Asked {
  readonly scope: Scope
  readonly id: string
}

/** Tenants with their ancestors, nearest first. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const lookup = yield* Lookups.make(Effect.fnUntraced(function*(asked: ReadonlyArray<Asked>) {
    const rows = yield* sql`with recursive chain as (
        select x.place, t.scope, t.id, t.parent_id, 1 as depth
        from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ id }) => id)}::text[])
          with ordinality as x(scope, id, place)
        join tenants t on t.scope = x.scope and t.id = x.id
        union all
        select c.place, t.scope, t.id, t.parent_id, c.depth + 1
        from chain c join tenants t on t.scope = c.scope and t.id = c.parent_id
        where c.depth < ${chainLength}::int
      )
      select c.place::int as place, ${sql.literal(Rows.columns)}
      from chain c join tenants t on t.scope = c.scope and t.id = c.id order by c.depth`.pipe(Effect.flatMap(decode))
    const found = Map.groupBy(rows, ({ place }) => place - 1)
    return asked.map((_, place) => (found.get(place) ?? []).map(Rows.tenant))
  }))

  return (scope: Scope, id: string) => lookup({ scope, id })
})
