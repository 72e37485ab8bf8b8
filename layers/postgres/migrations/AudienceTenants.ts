import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Audiences follow who is in which tenant, as they follow profiles (`Lists`). */
export const audienceTenants = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create trigger audience_follows_tenant after insert or delete on tenant_users
    for each row execute function audience_subject_changed()`
})
