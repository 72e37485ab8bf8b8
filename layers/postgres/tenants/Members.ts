import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { JsonMap } from "#schemas/Optional.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { Membership } from "#src/people/Memberships.ts"
import { Context, Effect, type Option, Request, RequestResolver, Schema } from "effect"
import type { SqlClient } from "effect/sql"

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

const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ place: Schema.Number, ...Row.fields, profile: Schema.NullOr(Schema.String) }))
)
const decodeProfile = Schema.decodeUnknownEffect(Schema.NullOr(profileText))

const maxBatch = 500

/** `tenantId` absent: the only tenant of the user; in SQL that is empty text, which is no id. */
class Find extends Request.Class<
  { readonly scope: Scope; readonly userId: string; readonly tenantId: string | undefined },
  Option.Option<Membership>,
  StoreUnavailable
> {}

/**
 * The lookups of one turn as one statement. Two memberships of a user are enough to know that neither is the only one.
 * A row that does not decode fails alone.
 */
export const finder = (sql: SqlClient.SqlClient) => {
  const resolver = RequestResolver.makeWith<Find>({
    batchKey: (entry) => Context.getOrUndefined(entry.context, sql.transactionService)?.[0],
    delay: Effect.yieldNow,
    collectWhile: (entries) => entries.size < maxBatch,
    runAll: Effect.fnUntraced(function*(entries) {
      const asked = entries.map((entry) => entry.request)
      const rows = yield* sql`select x.place::int as place, ${sql.literal(columns)}
        from unnest(${asked.map(({ scope }) => scope)}::int[], ${asked.map(({ userId }) => userId)}::text[],
          ${asked.map(({ tenantId }) => tenantId ?? "")}::text[]) with ordinality as x(scope, user_id, tenant_id, place)
        cross join lateral (
          select tenant_id, user_id, profile from tenant_users u
          where x.tenant_id <> '' and u.scope = x.scope and u.tenant_id = x.tenant_id and u.user_id = x.user_id
          union all
          (select tenant_id, user_id, profile from tenant_users u
          where x.tenant_id = '' and u.scope = x.scope and u.user_id = x.user_id
          order by u.tenant_id limit 2)
        ) m`.pipe(Effect.flatMap(decodeFound), orUnavailable)
      const found = Map.groupBy(rows, (row) => row.place - 1)
      yield* Effect.forEach(entries, (entry, place) => {
        const [row, another] = found.get(place) ?? []
        const answer = row === undefined || another !== undefined
          ? Effect.succeedNone
          : Effect.asSome(
            Effect.map(orUnavailable(decodeProfile(row.profile)), (profile) => membership({ ...row, profile }))
          )
        return Effect.map(Effect.exit(answer), (exit) => entry.completeUnsafe(exit))
      }, { discard: true })
    })
  })
  return (scope: Scope, userId: string, tenantId: string | undefined) =>
    Effect.request(new Find({ scope, userId, tenantId }), resolver)
}
