import * as Rows from "#layers/postgres/audiences/Rows.ts"
import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { Scope } from "#schemas/Scope.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import { AudienceSteps, stepSize } from "#src/people/AudienceSteps.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The advisory lock of the node that works. */
const workLock = 726_007

/** Members without a place in their audience any more that go in one step. */
const staleSize = 5_000

const decodeLock = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ mine: Schema.Boolean })]))
const decodeMarks = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ scope: Scope, userId: Schema.String })))
const Count = Schema.Struct({
  scope: Scope,
  audienceId: Schema.String,
  version: Schema.Number,
  after: Schema.NullOr(Schema.String)
})
const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Count))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = Rows.make(sql)

  /** The users that were written, as they are now: a mark is seen only together with the write that left it. */
  const follow = Effect.gen(function*() {
    const marks = yield* sql`delete from audience_changes where seq in
        (select seq from audience_changes order by seq limit ${stepSize}::int)
      returning scope, user_id as "userId"`.pipe(Effect.flatMap(decodeMarks))
    for (const scope of new Set(marks.map((mark) => mark.scope))) {
      const userIds = [...new Set(marks.filter((mark) => mark.scope === scope).map((mark) => mark.userId))]
      const audiences = yield* rows.audiences(scope)
      const users = yield* rows.users(scope, userIds)
      const standings = yield* rows.standings(scope, userIds)
      yield* rows.write(scope, yield* AudienceChange.between(audiences, users, standings))
    }
    return marks.length > 0
  })

  /** Judges the next profiles; after the last, the place is null and what no count of this version met goes. */
  const page = Effect.fnUntraced(function*({ after, audienceId, scope, version }: typeof Count.Type) {
    const [audience] = (yield* rows.audiences(scope, audienceId)).filter((found) => found.version === version)
    if (audience === undefined || after === null) {
      const gone = yield* rows.removeStale(scope, audienceId, version, staleSize)
      if (gone === staleSize) return
      yield* sql`delete from audience_counts where scope = ${scope} and audience_id = ${audienceId}`
      return
    }
    const userIds = yield* rows.usersAfter(scope, after, stepSize)
    const users = yield* rows.users(scope, userIds)
    const standings = yield* rows.standings(scope, userIds, audienceId)
    yield* rows.write(scope, yield* AudienceChange.between([audience], users, standings))
    const place = userIds.length < stepSize ? null : userIds.at(-1) ?? null
    yield* sql`update audience_counts set after = ${place} where scope = ${scope} and audience_id = ${audienceId}`
  })

  const count = Effect.gen(function*() {
    const counts = yield* sql`select scope, audience_id as "audienceId", version::float8 as version, after
      from audience_counts order by requested_at, scope, audience_id limit 1 for update`.pipe(
      Effect.flatMap(decodeCounts)
    )
    for (const started of counts) yield* page(started)
    return counts.length > 0
  })

  const idle = sql`select (exists (select 1 from audience_changes) or exists (select 1 from audience_counts)) as mine`

  const step = Effect.gen(function*() {
    const [{ mine }] = yield* decodeLock(yield* sql`select pg_try_advisory_xact_lock(${workLock}, 0) as mine`)
    return mine && ((yield* follow) || (yield* count))
  }).pipe(sql.withTransaction)

  return AudienceSteps.of({
    advance: Effect.gen(function*() {
      const [{ mine: isWork }] = yield* decodeLock(yield* idle)
      return isWork && (yield* step)
    }).pipe(orUnavailable)
  })
})

/** The steps of audiences in Postgres: whoever has the lock works, in one transaction per step. */
export const layer = Layer.effect(AudienceSteps, make)
