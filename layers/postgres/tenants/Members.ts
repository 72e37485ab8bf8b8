import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { JsonMap } from "#schemas/Optional.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Membership } from "#src/people/Memberships.ts"
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const profileText = Schema.fromJsonString(JsonMap)
export const encodeProfile = Schema.encodeEffect(profileText)

export const Row = Schema.Struct({
  tenantId: Schema.String,
  userId: Schema.String,
  profile: Schema.NullOr(profileText)
})

export const columns = `m.tenant_id as "tenantId", m.user_id as "userId", m.profile`

export const membership = ({ profile, tenantId, userId }: typeof Row.Type): Membership => ({
  tenantId,
  userId,
  profile: profile ?? undefined
})

/** The condition that the tenant of a row of `tenant_users` (alias `of`) exists and is not a newer one of its id. */
export const isThere = (sql: SqlClient.SqlClient, of: string) =>
  sql.literal(
    `exists (select from tenants of_member where of_member.scope = ${of}.scope and of_member.id = ${of}.tenant_id
    and of_member.generation = ${of}.generation)`
  )

/** A user's rows of `tenant_users` in these tenants, to be locked in this order; each is looked up by key, as `Lists.leave` says. */
export const rowsIn = (sql: SqlClient.SqlClient, scope: Scope, userId: string, tenantIds: ReadonlyArray<string>) =>
  sql`select m.ctid from unnest(${tenantIds}::text[]) as x(tenant_id) cross join lateral (
    select ctid from tenant_users
    where scope = ${scope} and tenant_id = x.tenant_id collate "C" and user_id = ${userId} for update) m`

const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ place: Schema.Number, ...Row.fields, profile: Schema.NullOr(Schema.String) }))
)
const decodeProfile = Schema.decodeUnknownEffect(Schema.NullOr(profileText))

/** Without `tenantId`, the user's only tenant is asked for; SQL gets empty text for that, which is never an id. */
interface Asked {
  readonly scope: Scope
  readonly userId: string
  readonly tenantId: string | undefined
}

/** Reads at most two memberships: two show that the user has no only one. A row that does not decode fails alone. */
export const finder = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const there = isThere(sql, "u")

  const lookup = yield* Lookups.make(Effect.fnUntraced(function*(asked: ReadonlyArray<Asked>) {
    const rows = yield* sql`select x.place::int as place, ${sql.literal(columns)}
      from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ userId }) => userId)}::text[],
        ${asked.map(({ tenantId }) => tenantId ?? "")}::text[]) with ordinality as x(scope, user_id, tenant_id, place)
      cross join lateral (
        select tenant_id, user_id, profile from tenant_users u
        where x.tenant_id <> '' and u.scope = x.scope and u.tenant_id = x.tenant_id and u.user_id = x.user_id and ${there}
        union all
        (select tenant_id, user_id, profile from tenant_users u
        where x.tenant_id = '' and u.scope = x.scope and u.user_id = x.user_id and ${there}
        order by u.tenant_id limit 2)
      ) m`.pipe(Effect.flatMap(decodeFound))
    const found = Map.groupBy(rows, ({ place }) => place - 1)
    return asked.map((_, place) => found.get(place) ?? [])
  }))

  return Effect.fnUntraced(function*(scope: Scope, userId: string, tenantId: string | undefined) {
    const [row, another] = yield* lookup({ scope, userId, tenantId })
    if (row === undefined || another !== undefined) return Option.none()
    return Option.some(membership({ ...row, profile: yield* orUnavailable(decodeProfile(row.profile)) }))
  })
})
