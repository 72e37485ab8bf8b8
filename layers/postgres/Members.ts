import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import { Looks } from "#layers/postgres/statements/Looks.ts"
import * as Prefix from "#layers/postgres/lists/Prefix.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { isThere } from "#layers/postgres/tenants/Members.ts"
import type { Scope } from "#schemas/Scope.ts"
import { type Member, Members, MembersUncounted, type Position, type Source } from "#src/people/Members.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  group: Schema.String,
  userId: Schema.String,
  listId: Schema.optional(Schema.String),
  tenantId: Schema.optional(Schema.String),
  belongs: Schema.optional(Schema.Boolean)
})))

interface Options {
  readonly after: Position | undefined
  readonly limit: number
  readonly latest: boolean
}

/**
 * How many members one statement holds against `memberOf`, where few are found in these tenants. One that looked until
 * the page is full would read the whole group, and time out at each try.
 */
const mostHeld = 4_000

/** The members of groups on Postgres: each page scans an index from where the last one ended. */
export const layer = Layer.effect(
  Members,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ordered = inOrder(sql)
    const looking = yield* Patience.asking(yield* Looks)

    /** The condition for rows of `m`, the table of members, that come after this user. */
    const behind = (user: string) => sql`m.user_id > ${user}`
    /**
     * The same where the walk goes from group to group: within the one in which the last page ended, after its last user.
     * Said with an `or`, no index could begin there.
     */
    const behindOf = (group: Statement.Fragment, after: Options["after"]) =>
      sql`m.user_id > case when ${group} = ${after?.group ?? ""} then ${after?.userId ?? ""} else '' end`
    /**
     * Says of each row whether its user is in all these tenants. `offset 0` makes it a lookup for each user: as a join,
     * every page would begin by reading all users of these tenants.
     */
    const held = (scope: Scope, tenants: ReadonlyArray<string>, rows: Statement.Fragment) =>
      tenants.length === 0 ?
        sql`${rows}` :
        sql`select m.*, not exists (select from unnest(${tenants}::text[]) as f(tenant_id)
          where not exists (select from tenant_users t
            where t.scope = ${scope} and t.tenant_id = f.tenant_id collate "C" and t.user_id = m."userId"
              and ${isThere(sql, "t")} offset 0) offset 0) as belongs
        from (${rows}) m order by m."group", m."userId"`

    const list = (scope: Scope, id: string, { after, limit }: Options) =>
      sql`select '' as "group", m.user_id as "userId", m.list_id as "listId"
        from list_subscriptions m
        where m.scope = ${scope} and m.list_id = ${id} and ${behind(after?.userId ?? "")}
          and exists (select from lists l where l.scope = ${scope} and l.id = ${id} and l.deleted_at is null)
        order by m.user_id limit ${limit}`

    /** How many of these there are, `limit` at most. In their order, or the planner would look for them in the whole table. */
    const counted = (members: Statement.Fragment, limit: number) =>
      sql`(select count(*) from (select from ${members} order by m.user_id limit ${limit}) c)`

    /**
     * Reads list by list, only as far as the page needs. With all lists in one scan, every page would read all members
     * of the pattern.
     */
    const pattern = (
      scope: Scope,
      { expression, prefix }: Extract<Source, { readonly _tag: "Pattern" }>["pattern"],
      { after, limit }: Options
    ) => {
      const next = sql`l.id from lists l
        where l.scope = ${scope} and l.deleted_at is null and l.id <= ${Prefix.endOf(prefix)} and l.id ~ ${expression}`
      const members = sql`list_subscriptions m where m.scope = ${scope} and m.list_id = l.id
        and ${behindOf(sql`l.id`, after)}`
      return sql`with recursive walk as (
          select l.id, ${counted(members, limit)} as n
          from (select ${next} and l.id >= ${after?.group ?? prefix} order by l.id limit 1) l
          union all
          select l.id, walk.n + ${counted(members, limit)}
          from walk, lateral (select ${next} and l.id > walk.id order by l.id limit 1) l where walk.n < ${limit})
        select l.id as "group", s.user_id as "userId", l.id as "listId"
        from walk l, lateral (select m.user_id from ${members} order by m.user_id limit ${limit}) s
        order by l.id, s.user_id limit ${limit}`
    }

    /**
     * Besides the members a row for nobody (''), if they are still being counted: what is stored may be of an older
     * filter, or with `latest` of older profiles and memberships. Those of a deleted tenant are marked only as they are
     * deleted (`Drops`). Only one statement sees all as they are at one moment.
     */
    const audience = (scope: Scope, id: string, { after, latest, limit }: Options) => {
      const isMade = sql`exists (select from audiences a where a.scope = ${scope} and a.id = ${id})`
      return sql`(select '' as "group", m.user_id as "userId" from audience_members m
          where m.scope = ${scope} and m.audience_id = ${id} and ${behind(after?.userId ?? "")} and ${isMade}
          order by m.user_id limit ${limit})
        union all select '', '' from audience_counts c
          where c.scope = ${scope} and c.audience_id = ${id} and ${isMade}
        ${
        latest
          ? sql`union all (select '', '' from audience_changes where scope = ${scope} and ${isMade} limit 1)
            union all (select '', '' from tenant_drops where scope = ${scope} and ${isMade} limit 1)`
          : sql``
      }`
    }

    const tenant = (scope: Scope, id: string, { after, limit }: Options) =>
      sql`select '' as "group", m.user_id as "userId", m.tenant_id as "tenantId" from tenant_users m
        where m.scope = ${scope} and m.tenant_id = ${id} and ${behind(after?.userId ?? "")}
          and ${isThere(sql, "m")}
        order by m.user_id limit ${limit}`

    /**
     * A tenant and those below it. The tenant itself comes first (group ''), so that a user who is also in one below it
     * is addressed as its member. Like a pattern, it reads only as far as the page needs.
     */
    const family = (scope: Scope, id: string, { after, limit }: Options) => {
      const members = sql`tenant_users m where m.scope = ${scope} and m.tenant_id = t.id and ${isThere(sql, "m")}
        and ${behindOf(sql`t.name`, after)}`
      const at = (place: Statement.Fragment) =>
        sql`lateral (select o.ids[${place}] as id, o.names[${place}] collate "C" as name) t`
      return sql`with recursive below as (
          select id from tenants where scope = ${scope} and id = ${id}
          union select t.id from tenants t join below b on t.parent_id = b.id where t.scope = ${scope}),
        named as (select id, case when id = ${id} then '' else id end collate "C" as name from below),
        ordered as (select array_agg(id order by name) as ids, array_agg(name order by name) as names
          from named where name >= ${after?.group ?? ""}),
        walk as (
          select 1 as place, ${counted(members, limit)} as n from ordered o, ${at(sql`1`)}
          union all
          select walk.place + 1, walk.n + ${counted(members, limit)} from walk, ordered o, ${at(sql`walk.place + 1`)}
          where walk.n < ${limit} and walk.place < cardinality(o.ids))
        select t.name as "group", s.user_id as "userId", t.id as "tenantId"
        from walk, ordered o, ${at(sql`walk.place`)},
          lateral (select m.user_id from ${members} order by m.user_id limit ${limit}) s
        order by t.name, s.user_id limit ${limit}`
    }

    const rows = (scope: Scope, source: Source, options: Options): Statement.Fragment => {
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

    const read = Effect.fn("Members.page")(
      function*(scope: Scope, source: Source, memberOf: ReadonlyArray<string>, options: Options) {
        const found = Effect.flatMap(held(scope, memberOf, rows(scope, source, options)), decode)
        // Of lists of which nothing is known, the planner would sort all that are to come, once for each that is met.
        return yield* source._tag === "Pattern" ? ordered(found) : found
      },
      orUnavailable,
      looking
    )

    const page = Effect.fnUntraced(function*(
      scope: Scope,
      source: Source,
      { after, latest = false, limit, memberOf }: Parameters<Members["Service"]["page"]>[2]
    ) {
      const found: Array<Member> = []
      let from = after
      let atOnce = limit
      while (true) {
        const members = yield* read(scope, source, memberOf, { after: from, limit: atOnce, latest })
        if (members.some(({ userId }) => userId === "")) return yield* new MembersUncounted()
        for (const { belongs, ...member } of members) if (belongs !== false) found.push(member)
        if (members.length < atOnce || found.length >= limit) return found.slice(0, limit)
        from = members.at(-1)
        atOnce = Math.max(limit, Math.min(mostHeld, 4 * atOnce))
      }
    })

    return Members.of({
      page,
      exists: Effect.fn("Members.exists")(
        function*(scope, source) {
          return (yield* found(scope, source)).length > 0
        },
        orUnavailable,
        looking
      )
    })
  })
)
