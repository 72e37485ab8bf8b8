import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Members, type Source } from "#src/people/Members.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  group: Schema.String,
  userId: Schema.String,
  listId: Schema.optional(Schema.String),
  tenantId: Schema.optional(Schema.String)
})))

interface Options {
  readonly after: { readonly group: string; readonly userId: string } | undefined
  readonly limit: number
  readonly memberOf: ReadonlyArray<string>
}

/** The members of groups on Postgres: each page is a walk on an index from where the last one ended. */
export const layer = Layer.effect(
  Members,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** The rows of one group, behind `after` if that is in this group, `limit` at most; `m` is the table of members. */
    const behind = (user: string) => sql`m.user_id > ${user}`
    const inAll = (scope: Scope, tenants: ReadonlyArray<string>) =>
      tenants.length === 0 ? sql`true` : sql`not exists (select from unnest(${tenants}::text[]) as f(tenant_id)
        where not exists (select from tenant_users t
          where t.scope = ${scope} and t.tenant_id = f.tenant_id collate "C" and t.user_id = m.user_id))`

    const list = (scope: Scope, id: string, { after, limit, memberOf }: Options) =>
      sql`select '' as "group", m.user_id as "userId", m.list_id as "listId"
        from list_subscriptions m
        where m.scope = ${scope} and m.list_id = ${id} and ${behind(after?.userId ?? "")} and ${inAll(scope, memberOf)}
          and exists (select from lists l where l.scope = ${scope} and l.id = ${id} and l.deleted_at is null)
        order by m.user_id limit ${limit}`

    const pattern = (
      scope: Scope,
      { expression, prefix }: Extract<Source, { readonly _tag: "Pattern" }>["pattern"],
      { after, limit, memberOf }: Options
    ) =>
      sql`select l.id as "group", s.user_id as "userId", l.id as "listId"
        from lists l, lateral (select m.user_id from list_subscriptions m
          where m.scope = ${scope} and m.list_id = l.id and ${inAll(scope, memberOf)}
            and (l.id > ${after?.group ?? ""} or ${behind(after?.userId ?? "")})
          order by m.user_id limit ${limit}) s
        where l.scope = ${scope} and l.deleted_at is null and l.id >= ${
        after?.group ?? prefix
      } and starts_with(l.id, ${prefix})
          and l.id ~ ${expression}
        order by l.id, s.user_id limit ${limit}`

    const audience = (scope: Scope, id: string, { after, limit, memberOf }: Options) =>
      sql`select '' as "group", m.user_id as "userId" from audience_members m
        where m.scope = ${scope} and m.audience_id = ${id} and ${behind(after?.userId ?? "")} and ${
        inAll(scope, memberOf)
      }
          and exists (select from audiences a where a.scope = ${scope} and a.id = ${id})
        order by m.user_id limit ${limit}`

    const tenant = (scope: Scope, id: string, { after, limit }: Options) =>
      sql`select '' as "group", m.user_id as "userId", m.tenant_id as "tenantId" from tenant_users m
        where m.scope = ${scope} and m.tenant_id = ${id} and ${behind(after?.userId ?? "")}
          and exists (select from tenants t where t.scope = ${scope} and t.id = ${id})
        order by m.user_id limit ${limit}`

    /** The tenant itself comes first (group ''), so that who is in it and below it is addressed as its member. */
    const family = (scope: Scope, id: string, { after, limit }: Options) =>
      sql`with recursive below as (
          select id from tenants where scope = ${scope} and id = ${id}
          union select t.id from tenants t join below b on t.parent_id = b.id where t.scope = ${scope}),
        named as (select id, case when id = ${id} then '' else id end collate "C" as name from below)
        select n.name as "group", s.user_id as "userId", n.id as "tenantId"
        from named n, lateral (select m.user_id from tenant_users m
          where m.scope = ${scope} and m.tenant_id = n.id and (n.name > ${after?.group ?? ""} or ${
        behind(after?.userId ?? "")
      })
          order by m.user_id limit ${limit}) s
        where n.name >= ${after?.group ?? ""} order by n.name, s.user_id limit ${limit}`

    const rows = (scope: Scope, source: Source, options: Options) => {
      switch (source._tag) {
        case "List":
          return list(scope, source.id, options)
        case "Pattern":
          return pattern(scope, source.pattern, options)
        case "Audience":
          return audience(scope, source.id, options)
        case "Tenant":
          return source.includeChildren ? family(scope, source.id, options) : tenant(scope, source.id, options)
      }
    }

    const found = (scope: Scope, source: Source) => {
      switch (source._tag) {
        case "List":
          return sql`select 1 from lists where scope = ${scope} and id = ${source.id} and deleted_at is null`
        case "Pattern":
          return Effect.succeed([{}])
        case "Audience":
          return sql`select 1 from audiences where scope = ${scope} and id = ${source.id}`
        case "Tenant":
          return sql`select 1 from tenants where scope = ${scope} and id = ${source.id}`
      }
    }

    return Members.of({
      exists: Effect.fn("Members.exists")(function*(scope, source) {
        return (yield* found(scope, source)).length > 0
      }, orUnavailable),
      page: Effect.fn("Members.page")(function*(scope, source, options) {
        return yield* Effect.flatMap(rows(scope, source, options), decode)
      }, orUnavailable)
    })
  })
)
