import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import { isThere } from "#layers/postgres/tenants/Members.ts"
import { isRefusal } from "#layers/postgres/statements/StoreErrors.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import { AudienceFilter } from "#schemas/Audience.ts"
import { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { most } from "#src/paging/PageBytes.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import type { Changes, Judge, Judged, Standing } from "#src/people/AudienceChange.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Others from "#src/reports/webhooks/Others.ts"
import { Clock, Effect, Metric, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

const decodeAudiences = Schema.decodeUnknownEffect(Schema.Array(
  Schema.Struct({ id: Schema.String, version: Schema.Number, filter: Schema.NullOr(Schema.String) })
))
const decodeFilter = Schema.decodeOption(Schema.fromJsonString(AudienceFilter))

const filterOf = (text: string | null): Option.Option<AudienceFilter | undefined> =>
  text === null ? Option.some(undefined) : decodeFilter(text)

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

const decodeFinished = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ members: Schema.Number, users: Schema.Number })])
)

const json = (standings: ReadonlyArray<Standing>): string =>
  JSON.stringify(standings.map(({ audienceId, reason, userId, version }) => ({
    audience_id: audienceId,
    user_id: userId,
    version,
    reason
  })))

/** A filter as it was read: its text, and what that decodes to; none if it does not decode. */
interface Read {
  readonly text: string | null
  readonly filter: Option.Option<AudienceFilter | undefined>
}

/** `unreadable`: the ids of audiences whose filters do not decode. */
interface Found {
  readonly audiences: ReadonlyArray<Judge>
  readonly unreadable: ReadonlySet<string>
}

const counted = Metric.update(Metrics.audienceSetAside, 1)

/** The reads and writes of a step, each within one scope (P10). */
export const make = (sql: SqlClient.SqlClient) => {
  const tell = Told.telling(sql)
  /** The decoded filters, by environment and audience: with thousands of them, decoding took most of a step. */
  const read = new Map<Scope, Map<string, Read>>()

  /** Counts an audience whose filter does not decode, and logs each such filter once; the other audiences go on. */
  const setAside = Effect.fnUntraced(function*(scope: Scope, audienceId: string, isKnown: boolean) {
    yield* counted
    if (isKnown) return
    yield* Effect.logError("the filter of an audience does not decode: its members stay as they are", {
      scope,
      audienceId
    })
  })

  /** An audience that this version cannot read keeps the members that it has. */
  const audiences = Effect.fnUntraced(function*(scope: Scope, id?: string): Effect.fn.Return<
    Found,
    Schema.SchemaError | SqlError.SqlError
  > {
    const rows = yield* sql`select id, version::float8 as version, filter from audiences
      where scope = ${scope} ${id === undefined ? sql`` : sql`and id = ${id}`}`.pipe(Effect.flatMap(decodeAudiences))
    const before = read.get(scope) ?? new Map<string, Read>()
    // When all are read, audiences that were deleted drop out.
    const now = id === undefined ? new Map<string, Read>() : before
    const found: Array<Judge> = []
    const unreadable = new Set<string>()
    for (const { filter: text, ...row } of rows) {
      const known = before.get(row.id)
      const one = known?.text === text ? known : { text, filter: filterOf(text) }
      now.set(row.id, one)
      if (Option.isSome(one.filter)) found.push({ ...row, filter: one.filter.value })
      else {
        unreadable.add(row.id)
        yield* setAside(scope, row.id, one === known)
      }
    }
    read.set(scope, now)
    return { audiences: found, unreadable }
  })

  /** Users to judge. A profile that cannot be read counts as none. Yields to other fibers from time to time. */
  const judged = (rows: Effect.Effect<ReadonlyArray<unknown>, Schema.SchemaError | SqlError.SqlError>) =>
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
    sql`array(select t.tenant_id from tenant_users t where t.scope = ${scope} and t.user_id = x.user_id
      and ${isThere(sql, "t")}) as tenants`

  /**
   * Looks up each user by key, here and below. With a plain join, the planner reads all rows of the environment until
   * it has statistics.
   */
  const users = (scope: Scope, userIds: ReadonlyArray<string>) =>
    judged(sql`select x.user_id as "userId", p.profile, ${tenants(scope)}
      from unnest(${userIds}::text[]) as x(user_id)
      left join lateral (select profile from profiles
        where scope = ${scope} and user_id = x.user_id collate "C" limit 1) p on true`)

  /** The next users with a profile: a page of them, which ends early where profiles are large. */
  const usersAfter = (scope: Scope, after: string, limit: number) =>
    judged(Effect.map(
      PageBytes.read(sql, {
        as: "x",
        columns: sql`x.user_id as "userId", x.profile, ${tenants(scope)}`,
        looked: sql`select user_id, profile, octet_length(profile) as bytes from profiles
          where scope = ${scope} and user_id > ${after}`,
        by: { id: "user_id" },
        limit,
        decode: Effect.succeed
      }),
      ({ rows }) => rows
    ))

  /** Takes the oldest marks from `first` on, `limit` at most; fewer, but at least one, where `most` bytes of profiles end the step. */
  const taken = (first: number, limit: number) =>
    sql`delete from audience_changes where seq in (
        select seq from (
          select seq, sum(bytes) over (order by seq) - bytes as before from (
            select c.seq, case row_number() over (partition by c.scope, c.user_id order by c.seq)
              when 1 then coalesce(p.bytes, 0) else 0 end as bytes
            from (select seq, scope, user_id from audience_changes where seq >= ${first}::bigint
              order by seq limit ${limit}::int) as c
            left join lateral (select octet_length(profile) as bytes from profiles
              where scope = c.scope and user_id = c.user_id limit 1) p on true) as measured) as summed
        where before < ${most}::bigint)
      returning scope, user_id as "userId"`

  const standingColumns = sql`audience_id as "audienceId", user_id as "userId", version::float8 as version, reason`

  const standings = (scope: Scope, userIds: ReadonlyArray<string>) =>
    sql`select m.* from unnest(${userIds}::text[]) as x(user_id)
      cross join lateral (select ${standingColumns} from audience_members
        where scope = ${scope} and user_id = x.user_id collate "C" offset 0) m`.pipe(Effect.flatMap(decodeStandings))

  const standingsBetween = (scope: Scope, audienceId: string, after: string, last: string) =>
    sql`select ${standingColumns} from audience_members where scope = ${scope} and audience_id = ${audienceId}
      and user_id > ${after} and user_id <= ${last}`.pipe(Effect.flatMap(decodeStandings))

  const inserted = (scope: Scope, put: ReadonlyArray<Standing>, now: number) =>
    sql`insert into audience_members (scope, audience_id, user_id, version, added_at, reason)
      select ${scope}::int, x.audience_id, x.user_id, x.version, ${now}::bigint, x.reason
      from json_to_recordset(${json(put)}::json) as x(audience_id text, user_id text, version bigint, reason text)
      on conflict (scope, audience_id, user_id) do update set version = excluded.version, reason = excluded.reason`

  /**
   * Writes members, and answers those that are stored. A row that the database refuses is found by halving and left out: it would be refused again at
   * every try, and everything behind it would wait.
   */
  const putAll = Effect.fnUntraced(function*(
    scope: Scope,
    put: ReadonlyArray<Standing>,
    now: number
  ): Effect.fn.Return<ReadonlyArray<Standing>, SqlError.SqlError> {
    const [first] = put
    if (first === undefined) return []
    const refusal = yield* inserted(scope, put, now).pipe(
      sql.withTransaction,
      Effect.as(undefined),
      Effect.catchIf(isRefusal, Effect.succeed)
    )
    if (refusal === undefined) return put
    if (put.length === 1) {
      yield* counted
      // Not whose: a user's id may be an address (P9).
      const { audienceId } = first
      yield* Effect.logError("a user's place in an audience cannot be stored", { scope, audienceId }, refusal)
      return []
    }
    const half = Math.ceil(put.length / 2)
    return [...yield* putAll(scope, put.slice(0, half), now), ...yield* putAll(scope, put.slice(half), now)]
  })

  const write = Effect.fnUntraced(function*(scope: Scope, { joined, put, removed }: Changes) {
    if (removed.length > 0) {
      yield* sql`delete from audience_members where ctid = any(array(
        select m.ctid from json_to_recordset(${json(removed)}::json) as x(audience_id text, user_id text)
        cross join lateral (select ctid from audience_members where scope = ${scope}
          and audience_id = x.audience_id collate "C" and user_id = x.user_id collate "C" for update) m))`
    }
    const now = yield* Clock.currentTimeMillis
    const stored = new Set(yield* putAll(scope, put, now))
    const members = joined.filter((standing) => stored.has(standing))
    yield* tell(scope, [...members.map(Others.matched), ...removed.map(Others.unmatched)], now)
  })

  /** In their order: where it takes many to be stale, the planner would read the members of all audiences to find none. */
  const removeStale = Effect.fnUntraced(function*(scope: Scope, audienceId: string, version: number, limit: number) {
    const gone = yield* sql`delete from audience_members where ctid = any(array(
        select ctid from audience_members
          where scope = ${scope} and audience_id = ${audienceId} and version < ${version}::bigint
          order by user_id limit ${limit}::int for update)) returning ${standingColumns}`.pipe(
      Effect.flatMap(decodeStandings)
    )
    yield* tell(scope, gone.map(Others.unmatched), yield* Clock.currentTimeMillis)
    return gone.length
  })

  /** Tells that an audience's count is over. Users are counted only if somebody wants to know. */
  const finished = Effect.fnUntraced(function*(scope: Scope, audienceId: string) {
    if (!(yield* Told.isWanted(sql, scope, "audiences:calculated"))) return
    const [{ members, users: all }] = yield* sql`select
        (select count(*) from audience_members where scope = ${scope} and audience_id = ${audienceId})::float8 as members,
        (select count(*) from profiles where scope = ${scope})::float8 as users`.pipe(Effect.flatMap(decodeFinished))
    yield* tell(scope, [Others.calculated(audienceId, members, all)], yield* Clock.currentTimeMillis)
  })

  return { audiences, taken, users, usersAfter, standings, standingsBetween, write, removeStale, finished }
}
