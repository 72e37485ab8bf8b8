import * as InPieces from "#layers/postgres/statements/InPieces.ts"
import * as Locked from "#layers/postgres/statements/Locked.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as UserLock from "#layers/postgres/statements/UserLock.ts"
import * as Members from "#layers/postgres/tenants/Members.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Text from "#schemas/Text.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as Pages from "#src/paging/Pages.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { TenantNotFound } from "#src/people/Tenants.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"

const decodeTenants = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.String, generation: Schema.String }))
)

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const find = yield* Members.finder
  const isThere = Members.isThere(sql, "m")
  const listed = Readable.listed("membership", Members.Row)

  // The tenants are locked until the memberships are committed, so that none is deleted meanwhile. Every writer locks
  // them in the same order.
  const put: Memberships["Service"]["put"] = Effect.fnUntraced(
    function*(scope, userId, tenants) {
      // No profile is passed as empty text, since the type of an array of only nulls is unknown.
      const profiles = new Map<string, string>()
      const kept = new Set<string>()
      for (const { profile, tenantId } of tenants) {
        if (profile !== undefined) {
          profiles.set(tenantId, profile === null ? "" : yield* Members.encodeProfile(profile))
          kept.delete(tenantId)
        } else if (!profiles.has(tenantId)) {
          profiles.set(tenantId, "")
          kept.add(tenantId)
        }
      }
      if (profiles.size === 0) return
      if (profiles.size > 1) yield* UserLock.of(sql, scope, userId)
      const ids = [...profiles.keys()].toSorted(Text.compare)
      const known = new Map<string, string>()
      yield* InPieces.run(ids, (piece) =>
        sql`select id, generation::text as generation from tenants
          where scope = ${scope} and id = any(${piece}::text[]) order by id for key share`.pipe(
          Effect.flatMap(decodeTenants),
          Effect.map((found) => found.forEach(({ generation, id }) => known.set(id, generation)))
        ))
      const missing = [...profiles.keys()].find((id) => !known.has(id))
      if (missing !== undefined) return yield* new TenantNotFound({ id: missing })
      const now = yield* Clock.currentTimeMillis
      yield* InPieces.run(
        ids,
        (piece) => {
          const keeps = piece.filter((id) => kept.has(id))
          // What is kept is read from the row once it is locked. That of a tenant which has been deleted since is gone.
          const profile = keeps.length === 0 ? sql`excluded.profile` : sql`case
            when m.generation = excluded.generation and m.tenant_id = any(${keeps}::text[]) then m.profile
            else excluded.profile end`
          return sql`insert into tenant_users as m (scope, tenant_id, user_id, profile, generation, created_at, updated_at)
          select ${scope}, x.tenant_id, ${userId}, nullif(x.profile, ''), x.generation, ${now}, ${now}
          from unnest(${piece}::text[], ${piece.map((id) => profiles.get(id) ?? "")}::text[], ${
            piece.map((id) => known.get(id) ?? "0")
          }::bigint[])
            as x(tenant_id, profile, generation)
          order by x.tenant_id collate "C"
          on conflict (scope, tenant_id, user_id) do update
            set profile = ${profile}, generation = excluded.generation, updated_at = excluded.updated_at
            where (m.profile, m.generation) is distinct from (${profile}, excluded.generation)`
        }
      )
    },
    sql.withTransaction,
    orUnavailable
  )

  /** A page of the memberships whose tenants exist, of those for which the condition `mine` holds. */
  const page = (scope: Scope, mine: Statement.Fragment, id: string, limit: number) =>
    PageBytes.read(sql, {
      as: "m",
      columns: sql.literal(Members.columns),
      looked: sql`select m.*, coalesce(octet_length(profile), 0) as bytes from tenant_users m
        where scope = ${scope} and ${isThere} and ${mine}`,
      by: { id },
      limit,
      decode: listed
    })

  const ofUser: Memberships["Service"]["ofUser"] = Effect.fnUntraced(function*(scope, userId, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "tenants of a user", filters: [userId] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const mine = sql`user_id = ${userId} ${after === undefined ? sql`` : sql`and tenant_id > ${after}`}`
    const { end, rows } = yield* page(scope, mine, "tenant_id", limit)
    return Pages.upTo(cursors, sealed, rows.map(Members.membership), end)
  }, orUnavailable)

  const ofTenant: Memberships["Service"]["ofTenant"] = Effect.fnUntraced(function*(scope, tenantId, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "users of a tenant", filters: [tenantId] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const mine = sql`tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and user_id > ${after}`}`
    const { end, rows } = yield* page(scope, mine, "user_id", limit)
    return Pages.upTo(cursors, sealed, rows.map(Members.membership), end)
  }, orUnavailable)

  // In pieces, each of which locks its rows in the order in which `put` does.
  const removeAll: Memberships["Service"]["removeAll"] = Effect.fnUntraced(
    function*(scope, userId) {
      yield* UserLock.of(sql, scope, userId)
      const walk = yield* InPieces.opened(
        sql,
        sql`select tenant_id as key from tenant_users where scope = ${scope} and user_id = ${userId} order by tenant_id`
      )
      yield* walk((tenantIds) =>
        Locked.rows(
          sql,
          Members.rowsIn(sql, scope, userId, tenantIds),
          (rows) => sql`delete from tenant_users where ${rows}`
        )
      )
    },
    sql.withTransaction,
    orUnavailable
  )

  return Memberships.of({
    put,
    remove: (scope, userId, tenantId) =>
      sql`delete from tenant_users where scope = ${scope} and tenant_id = ${tenantId} and user_id = ${userId}`.pipe(
        Effect.asVoid,
        orUnavailable
      ),
    removeAll,
    ofUser,
    ofTenant,
    find,
    sole: (scope, userId) => find(scope, userId, undefined)
  })
})

export const layer = Layer.effect(Memberships, make)
