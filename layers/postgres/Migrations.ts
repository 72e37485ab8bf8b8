import { access } from "#layers/postgres/migrations/Access.ts"
import { audienceTenants } from "#layers/postgres/migrations/AudienceTenants.ts"
import { bulk } from "#layers/postgres/migrations/Bulk.ts"
import { compression } from "#layers/postgres/migrations/Compression.ts"
import { content } from "#layers/postgres/migrations/Content.ts"
import { delivery } from "#layers/postgres/migrations/Delivery.ts"
import { expansions } from "#layers/postgres/migrations/Expansions.ts"
import { expiry } from "#layers/postgres/migrations/Expiry.ts"
import { lists } from "#layers/postgres/migrations/Lists.ts"
import { people } from "#layers/postgres/migrations/People.ts"
import { preferences } from "#layers/postgres/migrations/Preferences.ts"
import { recipients } from "#layers/postgres/migrations/Recipients.ts"
import { references } from "#layers/postgres/migrations/References.ts"
import { room } from "#layers/postgres/migrations/Room.ts"
import { sendings } from "#layers/postgres/migrations/Sendings.ts"
import { tenants } from "#layers/postgres/migrations/Tenants.ts"
import { timelines } from "#layers/postgres/migrations/Timelines.ts"
import { timedTurns, turns } from "#layers/postgres/migrations/Turns.ts"
import { Effect, Layer } from "effect"
import { Migrator } from "effect/sql"

const run = Migrator.make({})

/** Brings the database to this version's schema, one node at a time (a table lock); a migration that fails leaves nothing behind. */
export const layer = Layer.effectDiscard(
  run({
    loader: Migrator.fromRecord({
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
      "0029_bulk": bulk
    }),
    table: "migrations"
  }).pipe(Effect.withSpan("Migrations"))
)
