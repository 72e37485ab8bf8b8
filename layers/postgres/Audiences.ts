import { audienceLock } from "#layers/postgres/migrations/Lists.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { AudienceFilter, LogicalOperator } from "#schemas/Audience.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as Pages from "#src/paging/Pages.ts"
import { AudienceNotFound, type AudienceRecord, Audiences } from "#src/people/Audiences.ts"
import * as Others from "#src/reports/webhooks/Others.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const filterText = Schema.fromJsonString(AudienceFilter)
const encodeFilter = Schema.encodeEffect(filterText)

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  filter: Schema.NullOr(filterText),
  operator: Schema.NullOr(LogicalOperator),
  version: Schema.Number,
  created: Schema.Number,
  updated: Schema.Number
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const columns = `id, name, description, filter, operator, version::float8 as version, created_at::float8 as created,
  updated_at::float8 as updated`

const record = ({ filter, operator, ...row }: typeof Row.Type): AudienceRecord => ({
  ...row,
  filter: filter ?? undefined,
  operator: operator ?? undefined
})

const Version = Schema.Struct({ version: Schema.Number })
const decodeVersion = Schema.decodeUnknownEffect(Schema.Tuple([Version]))
const decodeVersions = Schema.decodeUnknownEffect(Schema.Array(Version))

const decodeMembers = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ userId: Schema.String, version: Schema.Number, added: Schema.Number, reason: Schema.String })
  )
)

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const tell = Told.telling(sql)
  const cursors = Cursor.make(yield* SecretKey)

  const listed = Readable.listed("audience", Row)

  const told = sql`select pg_notify('tidings_audiences', '')`

  /**
   * Starts a count of an audience's members over all profiles after `after`, in place of one that is running: `''` is
   * before the first profile, and null counts none and only removes stale members.
   */
  const count = (scope: Scope, id: string, version: number, now: number, after: string | null) =>
    sql`insert into audience_counts (scope, audience_id, version, requested_at, after)
      values (${scope}, ${id}, ${version}, ${now}, ${after})
      on conflict (scope, audience_id) do update set
        version = greatest(excluded.version, audience_counts.version + 1), requested_at = excluded.requested_at,
        after = excluded.after
      returning version::float8 as version`

  // The lock comes last: it waits for writes of profiles that did not see the audience yet, so that the count sees
  // their rows. An audience that is made again continues the versions of the removed one, which may still have members.
  const put: Audiences["Service"]["put"] = Effect.fnUntraced(
    function*(scope, id, { description, filter, name, operator }) {
      const now = yield* Clock.currentTimeMillis
      const text = filter === undefined ? null : yield* encodeFilter(filter)
      const rows = yield* sql`insert into audiences as a
          (scope, id, name, description, filter, operator, version, created_at, updated_at)
        values (${scope}, ${id}, ${name}, ${description}, ${text}, ${operator ?? null}, 1 + coalesce(
          (select version from audience_counts where scope = ${scope} and audience_id = ${id}), 0), ${now}, ${now})
        on conflict (scope, id) do update set name = excluded.name, description = excluded.description,
          filter = excluded.filter, operator = excluded.operator, version = a.version + 1,
          updated_at = excluded.updated_at
        returning ${sql.literal(columns)}`.pipe(Effect.flatMap(decode))
      const [row] = rows
      if (row === undefined) return yield* Effect.die("An insert returned no row")
      const [{ version }] = yield* decodeVersion(yield* count(scope, id, row.version, now, ""))
      // If the audience was removed while this waited for its row, the version of its old members is seen only now.
      if (version !== row.version) {
        yield* sql`update audiences set version = ${version}::bigint where scope = ${scope} and id = ${id}`
      }
      yield* sql`select pg_advisory_xact_lock(${audienceLock}, ${scope})`
      yield* told
      yield* tell(scope, [Others.audience(id, version, filter)], now)
      return record({ ...row, version })
    },
    sql.withTransaction,
    orUnavailable
  )

  const remove: Audiences["Service"]["remove"] = Effect.fnUntraced(
    function*(scope, id) {
      const [row] = yield* sql`delete from audiences where scope = ${scope} and id = ${id}
        returning version::float8 as version`.pipe(Effect.flatMap(decodeVersions))
      if (row === undefined) return false
      yield* count(scope, id, row.version + 1, yield* Clock.currentTimeMillis, null)
      yield* told
      return true
    },
    sql.withTransaction,
    orUnavailable
  )

  const get: Audiences["Service"]["get"] = Effect.fnUntraced(function*(scope, id) {
    const rows = yield* sql`select ${sql.literal(columns)} from audiences where scope = ${scope} and id = ${id}`.pipe(
      Effect.flatMap(decode)
    )
    const row = Array.head(rows)
    return Option.isSome(row) ? record(row.value) : yield* new AudienceNotFound({ id })
  }, orUnavailable)

  const list: Audiences["Service"]["list"] = Effect.fnUntraced(function*(scope, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "audiences", filters: [] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const { end, rows } = yield* PageBytes.read(sql, {
      as: "audiences",
      columns: sql.literal(columns),
      looked: sql`select *, octet_length(description) + coalesce(octet_length(filter), 0) as bytes from audiences
        where scope = ${scope} ${after === undefined ? sql`` : sql`and id > ${after}`}`,
      by: { id: "id" },
      limit,
      decode: listed
    })
    return Pages.upTo(cursors, sealed, rows.map(record), end)
  }, orUnavailable)

  const members: Audiences["Service"]["members"] = Effect.fnUntraced(function*(scope, id, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "audience members", filters: [id] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const found = yield* sql`select 1 from audiences where scope = ${scope} and id = ${id}`
    if (found.length === 0) return yield* new AudienceNotFound({ id })
    const rows = yield* sql`select user_id as "userId", version::float8 as version, added_at::float8 as added, reason
      from audience_members where scope = ${scope} and audience_id = ${id}
        ${after === undefined ? sql`` : sql`and user_id > ${after}`}
      order by user_id limit ${limit + 1}::int`.pipe(Effect.flatMap(decodeMembers))
    return IdPages.cut(cursors, sealed, rows, limit, (row) => row.userId)
  }, orUnavailable)

  return Audiences.of({ put, get, list, remove, members })
})

/** Audiences in Postgres. */
export const layer = Layer.effect(Audiences, make)
