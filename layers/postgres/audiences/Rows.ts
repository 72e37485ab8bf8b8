import { AudienceFilter } from "#schemas/Audience.ts"
import { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import type { Judge, Judged, Standing } from "#src/people/AudienceChange.ts"
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

const decodeAudiences = Schema.decodeUnknownEffect(Schema.Array(
  Schema.Struct({
    id: Schema.String,
    version: Schema.Number,
    filter: Schema.NullOr(Schema.fromJsonString(AudienceFilter))
  })
))

const decodeProfile = Schema.decodeUnknownOption(Schema.fromJsonString(Profile))
const decodeUsers = Schema.decodeUnknownEffect(Schema.Array(
  Schema.Struct({
    userId: Schema.String,
    profile: Schema.NullOr(Schema.String),
    tenants: Schema.Array(Schema.String)
  })
))
const decodeStandings = Schema.decodeUnknownEffect(Schema.Array(
  Schema.Struct({
    audienceId: Schema.String,
    userId: Schema.String,
    version: Schema.Number,
    reason: Schema.String
  })
))

const json = (standings: ReadonlyArray<Standing>): string =>
  JSON.stringify(standings.map(({ audienceId, reason, userId, version }) => ({
    audience_id: audienceId,
    user_id: userId,
    version,
    reason
  })))

/** What a step of the memberships reads and writes, all of it in one scope (P10). */
export const make = (sql: SqlClient.SqlClient) => {
  const audiences = Effect.fnUntraced(function*(scope: Scope, id?: string) {
    const rows = yield* sql`select id, version::float8 as version, filter from audiences
      where scope = ${scope} ${id === undefined ? sql`` : sql`and id = ${id}`}`.pipe(Effect.flatMap(decodeAudiences))
    return rows.map((row): Judge => ({ ...row, filter: row.filter ?? undefined }))
  })

  /** A profile that cannot be read counts as none. Others of this process have their turn between some of them. */
  const judged = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    Effect.flatMap(
      Effect.flatMap(rows, decodeUsers),
      Effect.forEach(({ profile, tenants, userId }, index): Effect.Effect<Judged> => {
        const user = Effect.sync(() => {
          const decoded = decodeProfile(profile)
          return { userId, subject: Option.isNone(decoded) ? undefined : { profile: decoded.value, tenants } }
        })
        return index % AudienceChange.turn === 0 ? Effect.andThen(Effect.yieldNow, user) : user
      })
    )

  const tenants = (scope: Scope) =>
    sql`array(select t.tenant_id from tenant_users t where t.scope = ${scope} and t.user_id = x.user_id) as tenants`

  const users = (scope: Scope, userIds: ReadonlyArray<string>) =>
    judged(sql`select x.user_id as "userId", p.profile, ${tenants(scope)}
      from unnest(${userIds}::text[]) as x(user_id)
      left join profiles p on p.scope = ${scope} and p.user_id = x.user_id collate "C"`)

  const usersAfter = (scope: Scope, after: string, limit: number) =>
    judged(sql`select x.user_id as "userId", x.profile, ${tenants(scope)} from (select user_id, profile from profiles
        where scope = ${scope} and user_id > ${after} order by user_id limit ${limit}::int) as x
      order by x.user_id`)

  const standingColumns = sql`audience_id as "audienceId", user_id as "userId", version::float8 as version, reason`

  const standings = (scope: Scope, userIds: ReadonlyArray<string>) =>
    sql`select ${standingColumns} from audience_members
      where scope = ${scope} and user_id = any(${userIds}::text[])`.pipe(Effect.flatMap(decodeStandings))

  const standingsBetween = (scope: Scope, audienceId: string, after: string, last: string) =>
    sql`select ${standingColumns} from audience_members where scope = ${scope} and audience_id = ${audienceId}
      and user_id > ${after} and user_id <= ${last}`.pipe(Effect.flatMap(decodeStandings))

  const write = Effect.fnUntraced(function*(
    scope: Scope,
    { put, removed }: { readonly put: ReadonlyArray<Standing>; readonly removed: ReadonlyArray<Standing> }
  ) {
    if (removed.length > 0) {
      yield* sql`delete from audience_members m
        using json_to_recordset(${json(removed)}::json) as x(audience_id text, user_id text)
        where m.scope = ${scope} and m.audience_id = x.audience_id and m.user_id = x.user_id`
    }
    if (put.length > 0) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into audience_members (scope, audience_id, user_id, version, added_at, reason)
        select ${scope}::int, x.audience_id, x.user_id, x.version, ${now}::bigint, x.reason
        from json_to_recordset(${json(put)}::json) as x(audience_id text, user_id text, version bigint, reason text)
        on conflict (scope, audience_id, user_id) do update set version = excluded.version, reason = excluded.reason`
    }
  })

  const removeStale = (scope: Scope, audienceId: string, version: number, limit: number) =>
    Effect.map(
      sql`delete from audience_members where (scope, audience_id, user_id) in
        (select scope, audience_id, user_id from audience_members
          where scope = ${scope} and audience_id = ${audienceId} and version < ${version}::bigint limit ${limit}::int)
        returning 1`,
      (rows) => rows.length
    )

  return { audiences, users, usersAfter, standings, standingsBetween, write, removeStale }
}
