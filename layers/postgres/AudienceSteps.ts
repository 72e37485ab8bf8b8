import * as Rows from "#layers/postgres/audiences/Rows.ts"
import { inOrder } from "#layers/postgres/statements/InOrder.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Drops from "#layers/postgres/tenants/Drops.ts"
import { Scope } from "#schemas/Scope.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import * as Patience from "#src/store/Patience.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The advisory lock that a node holds while it takes a step. */
const workLock = 726_007

/** Marks handled in one step, at most: each marked user is judged by every audience of the environment. */
const batchSize = 500

/** Profiles of one page of a count, at most. */
const pageSize = 1_000

/** Stale members that one step removes. */
const staleSize = 5_000

/** How long a step may take. One that hangs on a silent database holds up all audiences, and deleted tenants' members. */
const patience = "2 minutes"

/**
 * How far before the oldest mark that was seen, or the last one there was, the next look for marks begins: the number of
 * a mark is drawn before it can be seen. Marks that were taken stay in their index while any session's snapshot might see
 * them: during a backup, a look from the beginning passed all that were taken since it began.
 */
const overlap = 10_000

/** In monotonic ns, how often a look begins at the beginning: for a mark whose transaction took very long. */
const thorough = 60_000_000_000n

const decodeLock = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ mine: Schema.Boolean })]))
const decodeWork = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({
    leaving: Schema.Boolean,
    counting: Schema.Boolean,
    oldest: Schema.NullOr(Schema.Number),
    drawn: Schema.Number
  })])
)
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
  const stepping = yield* Patience.asking(patience)
  /** Where the next look for marks begins. */
  let first = 0
  let wholeAt: bigint | undefined

  /** Judges users who were written, as they are now: a mark is visible only together with the write that left it. */
  const follow = Effect.gen(function*() {
    const marks = yield* rows.taken(first, batchSize).pipe(Effect.flatMap(decodeMarks))
    for (const scope of new Set(marks.map((mark) => mark.scope))) {
      const userIds = [...new Set(marks.filter((mark) => mark.scope === scope).map((mark) => mark.userId))]
      const { audiences, unreadable } = yield* rows.audiences(scope)
      const users = yield* rows.users(scope, userIds)
      const standings = (yield* rows.standings(scope, userIds)).filter(({ audienceId }) => !unreadable.has(audienceId))
      yield* rows.write(scope, yield* AudienceChange.between(audiences, users, standings))
    }
    return marks.length > 0
  })

  /** Judges the next profiles. After the last one, `after` is null, and members that this version did not meet go. */
  const page = Effect.fnUntraced(function*({ after, audienceId, scope, version }: typeof Count.Type) {
    const { audiences, unreadable } = yield* rows.audiences(scope, audienceId)
    const [audience] = audiences.filter((found) => found.version === version)
    if (audience === undefined || after === null) {
      const gone = unreadable.has(audienceId) ? 0 : yield* rows.removeStale(scope, audienceId, version, staleSize)
      if (gone === staleSize) return
      yield* sql`delete from audience_counts where scope = ${scope} and audience_id = ${audienceId}`
      if (audience !== undefined) yield* rows.finished(scope, audienceId)
      return
    }
    const users = yield* rows.usersAfter(scope, after, pageSize)
    const last = users.at(-1)?.userId ?? after
    const standings = yield* rows.standingsBetween(scope, audienceId, after, last)
    yield* rows.write(scope, yield* AudienceChange.between([audience], users, standings))
    // An empty page comes behind the last profile: a page may end early, by its bytes.
    yield* sql`update audience_counts set after = ${users.length === 0 ? null : last}
      where scope = ${scope} and audience_id = ${audienceId}`
  })

  const count = inOrder(sql)(Effect.gen(function*() {
    const counts = yield* sql`select scope, audience_id as "audienceId", version::float8 as version, after
      from audience_counts order by requested_at, scope, audience_id limit 1 for update`.pipe(
      Effect.flatMap(decodeCounts)
    )
    for (const started of counts) yield* page(started)
    return counts.length > 0
  }))

  /** Does nothing if another node has the lock: that one looks again when it is done. */
  const alone = Effect.fnUntraced(function*<E, R>(step: Effect.Effect<boolean, E, R>) {
    const [{ mine }] = yield* decodeLock(yield* sql`select pg_try_advisory_xact_lock(${workLock}, 0) as mine`)
    return mine && (yield* step)
  }, sql.withTransaction)

  return AudienceSteps.of({
    advance: Effect.gen(function*() {
      const now = yield* Clock.monotonicTimeNanos
      if (wholeAt === undefined || now - wholeAt >= thorough) [first, wholeAt] = [0, now]
      const [{ counting, drawn, leaving, oldest }] = yield* decodeWork(
        yield* sql`select exists (select 1 from tenant_drops) as leaving, exists (select 1 from audience_counts) as counting,
          (select min(seq)::float8 from audience_changes where seq >= ${first}::bigint) as oldest,
          (select last_value::float8 from audience_changes_seq_seq) as drawn`
      )
      first = Math.max(0, (oldest ?? drawn) - overlap)
      const left = leaving && (yield* Drops.step(sql))
      const followed = oldest !== null && (yield* alone(follow))
      const counted = counting && (yield* alone(count))
      return left || followed || counted
    }).pipe(orUnavailable, stepping)
  })
})

/**
 * The steps of audiences in Postgres: the node that gets the lock takes one, in one transaction. They also delete the
 * members of deleted tenants.
 */
export const layer = Layer.effect(AudienceSteps, make)
