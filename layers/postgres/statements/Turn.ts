import type { Scope } from "#schemas/Scope.ts"
import type { SqlClient } from "effect/sql"

/**
 * SQL: takes this turn once no other transaction has it, until the end of its own. Who writes several rows in one change
 * takes it before it locks any, and no other turn, so that nobody waits in a circle.
 */
export const of = (sql: SqlClient.SqlClient, scope: Scope, name: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${name}, ${scope}))`
