import { access } from "#layers/postgres/migrations/Access.ts"
import { audiencePath } from "#layers/postgres/migrations/AudiencePath.ts"
import { audienceTenants } from "#layers/postgres/migrations/AudienceTenants.ts"
import { audienceWakeups } from "#layers/postgres/migrations/AudienceWakeups.ts"
import { bulk, bulkDrops } from "#layers/postgres/migrations/Bulk.ts"
import { comparisons } from "#layers/postgres/migrations/Comparisons.ts"
import { compression } from "#layers/postgres/migrations/Compression.ts"
import { content } from "#layers/postgres/migrations/Content.ts"
import { delivery } from "#layers/postgres/migrations/Delivery.ts"
import { expansions } from "#layers/postgres/migrations/Expansions.ts"
import { expiry } from "#layers/postgres/migrations/Expiry.ts"
import { frames } from "#layers/postgres/migrations/Frames.ts"
import { sharedInstructions } from "#layers/postgres/migrations/Instructions.ts"
import { lists } from "#layers/postgres/migrations/Lists.ts"
import { longRequests } from "#layers/postgres/migrations/LongRequests.ts"
import { people } from "#layers/postgres/migrations/People.ts"
import { preferences } from "#layers/postgres/migrations/Preferences.ts"
import { pushTickets } from "#layers/postgres/migrations/PushTickets.ts"
import { recipients } from "#layers/postgres/migrations/Recipients.ts"
import { references } from "#layers/postgres/migrations/References.ts"
import { room } from "#layers/postgres/migrations/Room.ts"
import { sendings } from "#layers/postgres/migrations/Sendings.ts"
import { slowest } from "#layers/postgres/migrations/Slowest.ts"
import { states } from "#layers/postgres/migrations/States.ts"
import { inboxMarks } from "#layers/postgres/migrations/InboxMarks.ts"
import { sendLimits } from "#layers/postgres/migrations/SendLimits.ts"
import { webhooks } from "#layers/postgres/migrations/Webhooks.ts"
import { suppressions, suppressionsByReason, suppressionsFreed } from "#layers/postgres/migrations/Suppressions.ts"
import { tenantDrops, tenants } from "#layers/postgres/migrations/Tenants.ts"
import { timelines } from "#layers/postgres/migrations/Timelines.ts"
import { timedTurns, turns } from "#layers/postgres/migrations/Turns.ts"
import { isDeadlock, isLockTimeout } from "#layers/postgres/statements/StoreErrors.ts"
import { Effect, Layer, Schedule, Schema } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"

const migrations = {
  "0001_delivery": delivery,
  "0002_people": people,
  "0003_content": content,
  "0004_references": references,
  "0006_lists": lists,
  "0007_preferences": preferences,
  "0008_tenants_brands": tenants,
  "0009_tokens_translations_audit": access,
  "0011_expansions": expansions,
  "0020_audience_tenants": audienceTenants,
  "0021_turns": turns,
  "0022_compression": compression,
  "0023_room": room,
  "0024_timed_turns": timedTurns,
  "0025_timelines": timelines,
  "0026_sendings": sendings,
  "0027_recipients": recipients,
  "0028_inbox_expiry": expiry,
  "0029_bulk": bulk,
  "0030_bulk_drops": bulkDrops,
  "0031_tenant_drops": tenantDrops,
  "0032_frames": frames,
  "0033_slowest": slowest,
  "0034_push_tickets": pushTickets,
  "0035_comparisons": comparisons,
  "0036_audience_wakeups": audienceWakeups,
  "0037_states": states,
  "0038_audience_path": audiencePath,
  "0039_long_requests": longRequests,
  "0040_suppressions": suppressions,
  "0041_send_limits": sendLimits,
  "0042_inbox_marks": inboxMarks,
  "0043_webhooks": webhooks,
  "0044_shared_instructions": sharedInstructions,
  "0045_suppressions_by_reason": suppressionsByReason,
  "0046_suppressions_freed": suppressionsFreed
}

/**
 * How long a migration waits for a lock, in ms. Statements of running nodes on the same table queue behind it; but an
 * autovacuum in its way, which may last for hours, is ended by Postgres only after `deadlock_timeout`, 1 s by default.
 */
const patience = 1_500

const again = Schedule.spaced("4 seconds")

/** Any number will do, so long as every node takes the same. */
const lock = 7_311_843

const decodeLatest = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ latest: Schema.NullOr(Schema.Int) })]))

/**
 * The last migration that ran; 0 if none did. Asked first, since `Migrator` asks it under a lock that conflicts with
 * every reader of `table`, and a backup is such a reader for as long as it lasts.
 */
const latestOf = Effect.fnUntraced(function*(table: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select 1 where to_regclass(${table}) is not null`
  if (found.length === 0) return 0
  const [{ latest }] = yield* decodeLatest(yield* sql`select max(migration_id) as latest from ${sql(table)}`)
  return latest ?? 0
})

const warnOfNewer = (table: string, database: number, server: number) =>
  Effect.logWarning("the database is of a newer version than this server, which may not know all that is in it", {
    table,
    database,
    server
  })

const isBlocked = (error: Migrator.MigrationError | SqlError.SqlError | Schema.SchemaError): boolean => {
  const cause = error._tag === "MigrationError" ? error.cause : error
  return SqlError.isSqlError(cause) && (isLockTimeout(cause) || isDeadlock(cause))
}

/**
 * Runs those of these migrations that `table` does not record yet: one node at a time and in one transaction, so that a
 * failure leaves nothing behind. If another session's lock is in the way, such as a backup's, or the two waited for each
 * other, it tries again until that is released; nodes of the last version serve on meanwhile. A version that is older
 * than the schema logs that and starts: a rolling update may need it.
 */
export const run = Effect.fn("Migrations")(function*(table: string, loader: Migrator.Loader) {
  const sql = yield* SqlClient.SqlClient
  const migrate = Effect.gen(function*() {
    // The role's limit for queries is lifted: a migration that takes longer would never succeed.
    yield* sql`select set_config('statement_timeout', '0', true)`
    yield* sql`select pg_advisory_xact_lock(${lock})`
    yield* sql`select set_config('lock_timeout', ${String(patience)}, true)`
    // The same table as `Migrator` makes. If it cannot be made, `Migrator` would go on in the aborted transaction, and
    // hide the database's error.
    yield* sql`create table if not exists ${sql(table)}
      (migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
    yield* Migrator.make({})({ loader, table })
  })
  const newest = Math.max(...(yield* loader).map(([id]) => id))
  const upgrade = Effect.gen(function*() {
    const latest = yield* latestOf(table)
    if (latest > newest) yield* warnOfNewer(table, latest, newest)
    if (latest < newest) yield* sql.withTransaction(migrate)
  })
  yield* upgrade.pipe(
    Effect.tapError((error) =>
      isBlocked(error)
        ? Effect.logWarning("the schema waits for another session's lock: a backup's or a person's")
        : Effect.void
    ),
    Effect.retry({ while: isBlocked, schedule: again })
  )
})

const ours = Migrator.fromRecord(migrations)

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Tells of migrations of ours that never ran, since a checkout that numbered them otherwise ran here. */
const tellMissing = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const names = new Set((yield* decodeNames(yield* sql`select name from migrations`)).map(({ name }) => name))
  const missing = (yield* ours).flatMap(([, name]) => names.has(name) ? [] : [name])
  if (missing.length === 0) return
  yield* Effect.logError("the database lacks migrations that other ones' numbers hide: what needs them does not work", {
    missing: missing.join(", ")
  })
})

/** Brings the database to this version's schema. */
export const upgrade = Effect.andThen(run("migrations", ours), tellMissing)

/** The same, once. */
export const layer = Layer.effectDiscard(upgrade)
