import type { Scope } from "#schemas/Scope.ts"
import { ownFaults, type Renaming } from "#src/delivery/ProviderNames.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** `ProviderNames.renamed` of the attempts of all open messages; each `due_at` is spelt out, since it is what the partial indexes are for. */
const statement = `
  with tried as materialized (
    select scope, id from messages where scope = $1 and due_at = 0 and providers <> '{}'
    union all select scope, id from messages where scope = $1 and due_at > 0 and providers <> '{}')
  update attempts a set provider = r.new
  from tried, unnest($2::text[], $3::text[], $4::boolean[]) as r(old, new, gone)
  where a.scope = tried.scope and a.message_id = tried.id and a.provider = r.old
    and (not r.gone or (a.state not in ('intent', 'accepted') and a.kind = any($5::text[])))`

/** Calls the attempts of an environment's open messages as their providers are called now. */
export const attempts = (sql: SqlClient.SqlClient) => (scope: Scope, all: ReadonlyArray<Renaming>) =>
  all.length === 0 ? Effect.void : Effect.asVoid(sql.unsafe(statement, [
    scope,
    all.map(({ from }) => from),
    all.map(({ to }) => to),
    all.map(({ isGone }) => isGone),
    ownFaults
  ]))
