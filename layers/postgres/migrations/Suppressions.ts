import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The addresses that are sent to no more, and why. */
export const suppressions = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table suppressions (
    scope int not null,
    channel text collate "C" not null,
    address text collate "C" not null,
    reason text not null,
    provider text,
    detail text,
    created_at bigint not null,
    expires_at bigint,
    primary key (scope, channel, address)
  )`
  yield* sql`create index suppressions_newest on suppressions (scope, created_at, address)`
  yield* sql`create index suppressions_expiring on suppressions (expires_at) where expires_at is not null`
})

/** When an address was last freed. While the row is kept for that alone, it has expired. */
export const suppressionsFreed = SqlClient.SqlClient.use((sql) =>
  sql`alter table suppressions add column freed_at bigint`
)

/** Those of one reason were looked for among all. */
export const suppressionsByReason = SqlClient.SqlClient.use((sql) =>
  sql`create index suppressions_by_reason on suppressions (scope, reason, created_at, address)`
)
