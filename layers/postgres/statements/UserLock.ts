import type { Scope } from "#schemas/Scope.ts"
import type { SqlClient } from "effect/sql"

/**
 * SQL: takes a user's lock, once no other transaction has it, until the end of its own. Who writes several things that
 * the user is in or has takes it, and who ends all of them, who would otherwise meet a part of what is written. It is
 * taken before any row is locked, so that nobody waits in a circle.
 */
export const of = (sql: SqlClient.SqlClient, scope: Scope, userId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`user ${userId}`}, ${scope}))`
