import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** When an in-app message disappears (api.md §3, `expiry`); the sweep finds those whose time has come. */
export const expiry = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table inbox add column expires_at bigint`
  yield* sql`create index inbox_expiry on inbox (expires_at) where expires_at is not null`
})
